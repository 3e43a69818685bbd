#!/usr/bin/env python3
"""Reads or writes a file of text with one peer, as one process: text.py read|write ENGINE SOURCE OUT.

The last line of output is a JSON object, as peer.py prints it.

  read    SOURCE.csv, SOURCE.json  ->  OUT.cstore   colstore (CSV through pandas); pandas, polars, duckdb read into memory
  write   SOURCE.cstore            ->  OUT.csv      colstore through pandas; pandas, polars, duckdb write from memory

Engines run with their defaults: their own number of threads, their own memory.
"""
import json
import sys
import time

import peer

IN_MEMORY = {"read": "into memory only", "write": "from memory only"}


def table(source):
    """The columns of a .cstore file, text as lists of str."""
    import colstore
    with colstore.open(source) as f:
        return {n: v.tolist() if v.dtype.kind == "U" else v.copy() for n, v in f.dict().items()}


def read(engine, source, out):
    text = source.endswith(".csv")
    if engine == "colstore":
        import colstore
        if not text:
            return peer.convert("colstore", source, out)[0]
        import pandas as pd
        frame = pd.read_csv(source)
        columns = {}
        for name, column in frame.items():
            values = column.to_numpy()
            columns[name] = values if values.dtype.kind in "bif" else values.astype(str)
        colstore.store(columns, out, mode="recreate", show_progress=False).close()
        return len(frame)
    if engine == "pandas":
        import pandas as pd
        return len(pd.read_csv(source) if text else pd.read_json(source, orient="records"))
    if engine == "polars":
        import polars as pl
        return len(pl.read_csv(source) if text else pl.read_json(source))
    import duckdb
    path = source.replace("'", "''")
    reader = f"read_csv('{path}')" if text else f"read_json('{path}', format='array')"
    duckdb.sql(f"create table t as select * from {reader}")
    return duckdb.sql("select count(*) from t").fetchall()[0][0]


def write(engine, source, out):
    """The rows, and the seconds that bringing the table into memory took."""
    start = time.monotonic()
    columns = table(source)
    rows = len(next(iter(columns.values())))
    if engine in ("colstore", "pandas"):
        import pandas as pd
        frame = pd.DataFrame(columns)
        setup = time.monotonic() - start if engine == "pandas" else 0
        frame.to_csv(out, index=False)
    elif engine == "polars":
        import polars as pl
        frame = pl.DataFrame(columns)
        setup = time.monotonic() - start
        frame.write_csv(out)
    else:
        import duckdb
        import pyarrow as pa
        arrow = pa.table(columns)
        duckdb.sql("create table t as select * from arrow")
        setup = time.monotonic() - start
        path = out.replace("'", "''")
        duckdb.sql(f"copy t to '{path}' (format csv, header true)")
    return rows, setup


def main():
    task, engine, source, out = sys.argv[1:]
    peer.limit_memory()
    setup, note = 0, IN_MEMORY[task]
    __import__(engine)  # its start is no part of the inner seconds
    start = time.monotonic()
    if task == "read":
        rows = read(engine, source, out)
    else:
        rows, setup = write(engine, source, out)
    inner = time.monotonic() - start - setup
    if engine == "colstore":
        note = "through pandas" if task == "write" or source.endswith(".csv") else ""
    print(json.dumps({"n_rows": rows, "setup": setup, "inner": inner, "note": note}))


if __name__ == "__main__":
    main()
