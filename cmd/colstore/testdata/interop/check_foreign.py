"""check_foreign.py DIR: what the binary made of write_foreign.py's files, as the Python package reads it."""

import sys
from pathlib import Path

import colstore
import numpy as np
from tables import cells, exportable, same_table

folder = Path(sys.argv[1])
restored = exportable(3000)
restored["M_s"] = restored["M_s"].astype("M8[ms]")  # Parquet has no seconds
text = cells(3000)


def fitting(columns, name):
    """The columns with text no wider than it has to be."""
    width = max(map(len, columns[name].tolist()))
    return columns | {name: columns[name].astype(f"U{max(1, width)}")}



for path in sorted(folder.glob("*.parquet.cstore")):
    if path.name.startswith("nulls"):
        continue
    ds = colstore.open(path)
    got = {c: ds.array(c) for c in ds.columns}
    want = dict(restored)
    if path.name.startswith("pandas"):
        want["M_D"] = want["M_D"].astype(got["M_D"].dtype)
    want = fitting(want, "U6")
    same_table(path.name, got, {c: want[c] for c in got})

feathers = sorted([*folder.glob("*.feather.cstore"), *folder.glob("*.arrow.cstore")])
if len(feathers) != 9:
    raise SystemExit(f"{len(feathers)} feather files")
for path in feathers:
    if path.name.startswith("filled"):
        continue
    ds = colstore.open(path)
    got = {c: ds.array(c) for c in ds.columns}
    want = fitting(exportable(3000), "U6")
    if path.name.startswith("pandas"):
        want["M_D"] = want["M_D"].astype(got["M_D"].dtype)
    same_table(path.name, got, {c: want[c] for c in got})

for name in ["stored.npz", "deflated.npz"]:
    ds = colstore.open(folder / f"{name}.cstore")
    same_table(name, {c: ds.array(c) for c in ds.columns}, exportable(3000))

for name in ["pandas.csv", "pandas.tsv", "pyarrow.csv", "polars.csv"]:
    ds = colstore.open(folder / f"{name}.cstore")
    same_table(name, {c: ds.array(c) for c in ds.columns}, fitting(text, "t"))

written = sorted(folder.glob("*.*json*.cstore"))
if len(written) != 10:
    raise SystemExit(f"{len(written)} files of JSON")
for path in written:
    ds = colstore.open(path)
    want = fitting(text, "t")
    if path.name.startswith("pandas"):
        del want["x"]
    same_table(path.name, {c: ds.array(c) for c in ds.columns}, want)

filled = {
    "i": np.array([1, 0, 3], "i4"),
    "x": np.array([0.5, np.nan, np.nan]),
    "b": np.array([False, True, False]),
    "t": np.array(["a", "", "ccc"], "U3"),
    "when": np.array([0, "NaT", 2000], "M8[ms]"),
    "full": np.array([7, 8, 9], "i8"),
}
valid = {"b": [False, True, True]}
masked = {}
for c, a in filled.items():
    masked[c] = a
    if c != "full":
        masked[c + "_valid"] = np.array(valid.get(c, [True, False, True]))
named = dict(filled, i=np.array([1, -1, 3], "i4"), t=np.array(["a", "none", "ccc"], "U4"), x=np.array([0.5, -2.5, np.nan]))
ds = colstore.open(folder / "filled.feather.cstore")
same_table("filled.feather", {c: ds.array(c) for c in ds.columns}, dict(filled, when=filled["when"].astype("M8[s]")))
for policy, want in {"fill": filled, "mask": masked, "named": named}.items():
    ds = colstore.open(folder / f"nulls.{policy}.cstore")
    same_table(f"nulls {policy}", {c: ds.array(c) for c in ds.columns}, want)
