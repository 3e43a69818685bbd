"""write_foreign.py DIR: Parquet, Feather, NPZ and CSV files by those who write most of them."""

import json
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
from tables import cells, exportable

out = Path(sys.argv[1])
columns = exportable(3000)
fixed = {c: pa.array(a.tolist(), pa.binary(5)) for c, a in columns.items() if a.dtype.kind == "S"}
table = pa.table(columns | fixed)

for codec in ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]:
    pq.write_table(table, out / f"pyarrow_{codec}.parquet", compression=codec, row_group_size=700)
pq.write_table(table, out / "pyarrow_plain.parquet", use_dictionary=False, data_page_size=1000, write_statistics=False)
pq.write_table(table, out / "pyarrow_v2.parquet", data_page_version="2.0", data_page_size=2000, write_page_checksum=True)
delta = {c: "DELTA_BINARY_PACKED" for c in ["i4", "i8"]} | {c: "BYTE_STREAM_SPLIT" for c in ["f4", "f8"]}
delta["U6"] = "DELTA_BYTE_ARRAY"
pq.write_table(table, out / "pyarrow_delta.parquet", use_dictionary=False, column_encoding=delta)

# The others have no half floats, no durations, no fixed binary.
plain = table.select([c for c in columns if c not in ("f2", "S5") and not c.startswith("m_")])
plain.to_pandas().to_parquet(out / "pandas.parquet", index=False)
simple = plain.select([c for c in plain.column_names if not c.startswith("M_")])
pl.from_arrow(simple).write_parquet(out / "polars.parquet", row_group_size=1000)
duckdb.connect().from_arrow(simple).write_parquet(str(out / "duckdb.parquet"))

for codec in ["uncompressed", "lz4", "zstd"]:
    pa.feather.write_feather(table, out / f"pyarrow_{codec}.feather", compression=codec, chunksize=700)
coded = table.set_column(table.column_names.index("U6"), "U6", table["U6"].dictionary_encode())
with pa.ipc.new_stream(out / "pyarrow_stream.arrow", coded.schema) as w:
    w.write_table(coded, max_chunksize=1100)
plain.to_pandas().to_feather(out / "pandas.feather")
for codec in ["uncompressed", "lz4", "zstd"]:
    pl.from_arrow(simple).write_ipc(out / f"polars_{codec}.arrow", compression=codec)

np.savez(out / "stored.npz", **columns)
np.savez_compressed(out / "deflated.npz", **{c: a.astype(a.dtype.newbyteorder(">")) for c, a in columns.items()})

text = cells(3000)
pd.DataFrame(text).to_csv(out / "pandas.csv", index=False)
pd.DataFrame(text).to_csv(out / "pandas.tsv", index=False, sep="\t")
pa.csv.write_csv(pa.table(text), out / "pyarrow.csv")
pl.DataFrame(text).write_csv(out / "polars.csv")

lists = {c: a.tolist() for c, a in text.items()}
records = [dict(zip(lists, row)) for row in zip(*lists.values())]
(out / "python.json").write_text(json.dumps(records, indent=1))
(out / "python_lists.json").write_text(json.dumps(lists, ensure_ascii=False), encoding="utf-8")
pl.DataFrame(text).write_json(out / "polars.json")
pl.DataFrame(text).write_ndjson(out / "polars.jsonl")
duckdb.connect().from_arrow(pa.table(text)).query("t", f"copy t to '{out / 'duckdb.ndjson'}' (format json)")
# The floats of pandas have 15 digits at most.
rounded = pd.DataFrame(text).drop(columns="x")
for orient in ["records", "columns", "split", "table"]:
    rounded.to_json(out / f"pandas_{orient}.json", orient=orient)
rounded.to_json(out / "pandas_lines.jsonl", orient="records", lines=True)

nulls = pa.table(
    {
        "i": pa.array([1, None, 3], pa.int32()),
        "x": pa.array([0.5, None, float("nan")], pa.float64()),
        "b": pa.array([None, True, False], pa.bool_()),
        "t": pa.array(["a", None, "ccc"], pa.string()),
        "when": pa.array([0, None, 2], pa.timestamp("s")),
        "full": pa.array([7, 8, 9], pa.int64()),
    }
)
pq.write_table(nulls, out / "nulls.parquet")
pa.feather.write_feather(nulls, out / "filled.feather")
