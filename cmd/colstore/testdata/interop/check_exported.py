"""check_exported.py DIR: Parquet, Feather, NPZ, CSV and JSON of the binary, as four others read them."""

import json
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
from tables import cells, exportable, same, same_table

folder = Path(sys.argv[1])
typed = exportable(3000)


def through_arrow(name, table, columns, seconds="ms"):
    """Compares an Arrow table; NaT is null in it, and in Parquet seconds are milliseconds."""
    for c in columns:
        a, got = typed[c], table.column(c).combine_chunks()
        if a.dtype.kind in "Mm":
            unit = seconds if c == "M_s" else np.datetime_data(a.dtype)[0]
            want = a.astype(f"{a.dtype.kind}8[{unit}]")
            if got.null_count != np.isnat(want).sum():
                raise SystemExit(f"{name}: {c}: {got.null_count} nulls, want {np.isnat(want).sum()}")
            same(f"{name}: {c}", got.to_numpy(zero_copy_only=False).astype(want.dtype), want)
        elif a.dtype.kind in "US":
            same(f"{name}: {c}", np.array(got.to_pylist(), a.dtype), a)
        else:
            if got.null_count:
                raise SystemExit(f"{name}: {c}: {got.null_count} nulls")
            same(f"{name}: {c}", got.to_numpy(zero_copy_only=False).astype(a.dtype, casting="safe"), a)


everyone = [c for c in typed if c != "f2" and not c.startswith("m_")]
for path in sorted(folder.glob("typed.*.parquet")):
    arrow = pq.read_table(path)
    if arrow.column_names != list(typed):
        raise SystemExit(f"{path.name}: columns {arrow.column_names}")
    through_arrow(f"pyarrow {path.name}", arrow, typed)
    through_arrow(f"polars {path.name}", pl.read_parquet(path, columns=everyone).to_arrow(), everyone)
    found = duckdb.connect().sql(f"select {', '.join(everyone)} from read_parquet('{path}')").to_arrow_table()
    through_arrow(f"duckdb {path.name}", found, everyone)
    frame = pd.read_parquet(path)
    for c, a in typed.items():
        if a.dtype.kind in "biuf":
            same(f"pandas {path.name}: {c}", frame[c].to_numpy(), a)

feathers = sorted(folder.glob("typed.*.feather"))
if len(feathers) != 4:
    raise SystemExit(f"{len(feathers)} feather files")
for path in feathers:
    arrow = pyarrow.feather.read_table(path)
    arrow.validate(full=True)
    if arrow.column_names != list(typed):
        raise SystemExit(f"{path.name}: columns {arrow.column_names}")
    through_arrow(f"pyarrow {path.name}", arrow, typed, "s")
    for name, mapped in [("mapped", True), ("read", False)]:
        through_arrow(f"pyarrow {name} {path.name}", pyarrow.feather.read_table(path, memory_map=mapped), typed, "s")
    with pyarrow.ipc.open_stream(path.read_bytes()[8:]) as r:  # the messages of a file are a stream
        through_arrow(f"pyarrow's stream {path.name}", r.read_all(), typed, "s")
    others = [c for c in typed if c not in ("m_s", "M_s", "S5")]
    through_arrow(f"polars {path.name}", pl.read_ipc(path, columns=others).to_arrow(), others)
    frame = pd.read_feather(path)
    for c, a in typed.items():
        if a.dtype.kind in "biuf":
            same(f"pandas {path.name}: {c}", frame[c].to_numpy(), a)

archives = sorted(folder.glob("typed.*.npz"))
if len(archives) != 3:
    raise SystemExit(f"{len(archives)} archives")
for path in archives:
    with np.load(path, allow_pickle=False) as z:
        same_table(path.name, dict(z.items()), typed)
with np.load(folder / "empty.npz", allow_pickle=False) as z:
    same_table("empty.npz", dict(z.items()), {c: a[:0] for c, a in typed.items()})

empty = pq.read_table(folder / "empty.parquet")
if empty.num_rows or empty.column_names != list(typed):
    raise SystemExit(f"empty.parquet: {empty.num_rows} rows of {empty.column_names}")

empty = pyarrow.feather.read_table(folder / "empty.feather")
if empty.num_rows or empty.column_names != list(typed):
    raise SystemExit(f"empty.feather: {empty.num_rows} rows of {empty.column_names}")

text = cells(3000)
kinds = {"i": "i8", "u": "u8", "x": "f8", "b": "?"}


def through_lists(name, column):
    """Compares columns that a reader of CSV returns as lists."""
    for c, a in text.items():
        same(f"{name}: {c}", np.array(column(c)).astype(kinds.get(c, a.dtype)), a)


for path, separator in [(folder / "cells.csv", ","), (folder / "cells.tsv", "\t")]:
    frame = pd.read_csv(path, sep=separator, keep_default_na=False, float_precision="round_trip", dtype={"t": object})
    through_lists(f"pandas {path.name}", lambda c: frame[c].tolist())

    parse = pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    convert = pyarrow.csv.ConvertOptions(column_types={"u": "uint64", "t": "string"})
    arrow = pyarrow.csv.read_csv(path, parse_options=parse, convert_options=convert)
    through_lists(f"pyarrow {path.name}", lambda c: arrow.column(c).to_pylist())

    polars = pl.read_csv(path, separator=separator, schema_overrides={"u": pl.UInt64, "t": pl.String})
    through_lists(f"polars {path.name}", lambda c: polars[c].to_list())

    types = "{'i': 'BIGINT', 'u': 'UBIGINT', 'x': 'DOUBLE', 'b': 'BOOLEAN', 't': 'VARCHAR'}"
    reader = f"""read_csv('{path}', delim='{separator}', header=true, quote='"', escape='"', columns={types})"""
    rows = duckdb.connect().sql(f"select * from {reader}").fetchall()
    through_lists(f"duckdb {path.name}", lambda c: [r[list(text).index(c)] for r in rows])

types = "{'i': 'BIGINT', 'u': 'UBIGINT', 'x': 'DOUBLE', 'b': 'BOOLEAN', 't': 'VARCHAR'}"
for path in [folder / "cells.records.json", folder / "cells.jsonl"]:
    lines = path.suffix == ".jsonl"
    whole = path.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in whole.splitlines()] if lines else json.loads(whole)
    if any(list(r) != list(text) for r in rows):
        raise SystemExit(f"{path.name}: other names")
    through_lists(f"python {path.name}", lambda c: [r[c] for r in rows])
    read = pl.read_ndjson if lines else pl.read_json
    polars = read(path, schema={"i": pl.Int64, "u": pl.UInt64, "x": pl.Float64, "b": pl.Boolean, "t": pl.String})
    through_lists(f"polars {path.name}", lambda c: polars[c].to_list())
    found = duckdb.connect().sql(f"select * from read_json('{path}', columns={types})").fetchall()
    through_lists(f"duckdb {path.name}", lambda c: [r[list(text).index(c)] for r in found])

for orient in ["records", "columns", "split", "index", "values", "table"]:
    path = folder / f"cells.{orient}.json"
    plain = {} if orient == "table" else {"dtype": False, "convert_dates": False, "convert_axes": False}
    frame = pd.read_json(path, orient=orient, precise_float=True, **plain)
    if orient == "values":
        frame.columns = list(text)
    elif list(frame.columns) != list(text):
        raise SystemExit(f"pandas {path.name}: columns {list(frame.columns)}")
    for c in ["i", "b", "t"]:
        same(f"pandas {path.name}: {c}", np.array(frame[c].tolist()).astype(kinds.get(c, text[c].dtype)), text[c])
