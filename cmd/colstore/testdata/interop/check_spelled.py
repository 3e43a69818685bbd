"""check_spelled.py DIR: CSV, TSV and JSON of every dtype, as others read the words in them; and what was read of theirs."""

import csv
import json
import sys
from pathlib import Path

import colstore
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
from tables import same, same_table, spelled, values

folder = Path(sys.argv[1])
typed = spelled(2000)


def through_words(name, column):
    """Compares columns that a reader returns as words."""
    for c, a in typed.items():
        same(f"{name}: {c}", values(column(c), a.dtype), a)


for path, separator in [(folder / "spelled.csv", ","), (folder / "spelled.tsv", "\t"), (folder / "semicolon.csv", ";")]:
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f, delimiter=separator))
    if rows[0] != list(typed):
        raise SystemExit(f"{path.name}: names {rows[0]}")
    through_words(f"python {path.name}", lambda c: [r[rows[0].index(c)] for r in rows[1:]])
    frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    through_words(f"pandas {path.name}", lambda c: frame[c].tolist())
    convert = pa.csv.ConvertOptions(column_types={c: pa.string() for c in typed})
    parse = pa.csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    arrow = pa.csv.read_csv(path, parse_options=parse, convert_options=convert)
    through_words(f"pyarrow {path.name}", lambda c: arrow.column(c).to_pylist())
    polars = pl.read_csv(path, separator=separator, infer_schema=False)
    through_words(f"polars {path.name}", lambda c: [w or "" for w in polars[c].to_list()])
    reader = f"""read_csv('{path}', delim='{separator}', header=true, quote='"', escape='"', all_varchar=true)"""
    found = duckdb.connect().sql(f"select * from {reader}").fetchall()
    through_words(f"duckdb {path.name}", lambda c: [r[list(typed).index(c)] or "" for r in found])

bare = list(csv.reader(open(folder / "bare.csv", newline="", encoding="utf-8")))
if bare != list(csv.reader(open(folder / "spelled.csv", newline="", encoding="utf-8")))[1:]:
    raise SystemExit("bare.csv is not spelled.csv without its header")

for name in ["literal.jsonl", "literal.json", "literal.table.json"]:
    text = (folder / name).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()] if name.endswith("l") else json.loads(text)
    rows = rows["data"] if name.endswith(".table.json") else rows
    through_words(f"python {name}", lambda c: [r[c] for r in rows])

# A null is all that standard JSON has for NaN and infinities.
rows = [json.loads(line) for line in (folder / "null.jsonl").read_text(encoding="utf-8").splitlines()]
for c, a in typed.items():
    want = np.where(np.isfinite(a), a, np.nan).astype(a.dtype) if a.dtype.kind == "f" else a
    same(f"python null.jsonl: {c}", values([r[c] for r in rows], a.dtype), want)
polars = pl.read_ndjson(folder / "null.jsonl", infer_schema_length=None)
duck = duckdb.connect().sql(f"select * from read_json('{folder / 'null.jsonl'}')").to_arrow_table()
for c in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "U6", "S5", "f8"]:
    want = np.where(np.isfinite(typed[c]), typed[c], np.nan) if c == "f8" else typed[c]
    for who, got in [("polars", polars[c].to_list()), ("duckdb", duck.column(c).to_pylist())]:
        same(f"{who} null.jsonl: {c}", values(got, want.dtype), want)

for name in ["python.csv", "python.tsv", "python.jsonl"]:
    with colstore.open(folder / f"{name}.cstore") as r:
        same_table(name, {c: np.asarray(r[c]) for c in typed}, typed)
