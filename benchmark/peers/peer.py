#!/usr/bin/env python3
"""Runs one peer on one task, as one process: peer.py TASK ENGINE SOURCE OUT.

The last line of output is a JSON object: n_rows; setup, the seconds spent on bringing the input into memory where that is
not the work; note, what a reader of the result should know.

  import   SOURCE.parquet  ->  OUT.cstore     colstore, colstore-64M; pyarrow reads into memory and writes nothing
  import   SOURCE.root     ->  OUT.cstore     colstore, colstore-64M; uproot reads into memory and writes nothing
  export   SOURCE.cstore   ->  OUT.parquet    colstore, colstore-64M; pyarrow writes from memory
  derive   SOURCE          ->  OUT            colstore (.cstore), polars (.arrow), duckdb (.parquet)

Engines run with their defaults: their own number of threads, their own memory.
"""
import json
import resource
import sys
import time
import warnings

GROUP = 128 * 1024  # rows a row group


def limit_memory():
    """Makes a peer that needs more memory than there is fail by itself."""
    with open("/proc/meminfo") as f:
        available = next(int(line.split()[1]) for line in f if line.startswith("MemAvailable"))
    most = available * 1024 * 8 // 10
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def convert(engine, source, out, **options):
    """A conversion by the Python package, with a note where it could not stream."""
    import colstore
    if engine == "colstore-64M":
        options["batch_size"] = "64 MiB"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = colstore.convert(source, out, **options)
    note = "whole file, not streamed" if any("whole-file" in str(w.message) for w in seen) else ""
    if hasattr(result, "n_rows"):
        with result:
            return result.n_rows, 0, note
    return colstore.info(source).n_rows, 0, note


def import_file(engine, source, out):
    if engine == "uproot":
        import uproot
        with uproot.open(source) as f:
            tree = f["t"]
            tree.arrays(library="np")
            return tree.num_entries, 0, "into memory only"
    if engine != "pyarrow":
        return convert(engine, source, out)
    import pyarrow.parquet as pq
    return len(pq.read_table(source)), 0, "into memory only"


def export_parquet(engine, source, out):
    if engine != "pyarrow":
        # The package writes one row group a batch when it streams, and then takes no size of them.
        groups = {} if engine == "colstore-64M" else {"row_group_size": GROUP}
        return convert(engine, source, out, compression="snappy", **groups)
    import colstore
    import pyarrow.parquet as pq
    start = time.monotonic()
    with colstore.open(source) as f:
        table = f.arrow()
    setup = time.monotonic() - start
    pq.write_table(table, out, compression="snappy", row_group_size=GROUP)
    return len(table), setup, "from memory only"


def derive(engine, source, out):
    """Rows with a > 0, and three more columns."""
    if engine == "colstore":
        import colstore
        import numpy as np
        from colstore import col
        a, b, c, d = (col(n) for n in "abcd")
        with colstore.open(source) as f:
            frame = f.edit().where(a > 0).assign(x=a * 2 + b / c, y=np.sqrt(b * b + c * c), z=(a - b) * d)
            with frame.write(out) as written:
                return written.n_rows, 0, ""
    if engine == "polars":
        import polars as pl
        a, b, c, d = (pl.col(n) for n in "abcd")
        rows = pl.scan_ipc(source).filter(a > 0)
        rows.with_columns(x=a * 2 + b / c, y=(b * b + c * c).sqrt(), z=(a - b) * d).sink_ipc(out)
        return None, 0, "Arrow to Arrow"
    import duckdb
    # Parameters are not allowed in COPY; a path with a quote would need escaping.
    src, dst = (p.replace("'", "''") for p in (source, out))
    duckdb.sql(f"copy (select *, a*2+b/c as x, sqrt(b*b+c*c) as y, (a-b)*d as z from '{src}' where a > 0)"
               f" to '{dst}' (format parquet, compression uncompressed)")
    return None, 0, "Parquet to Parquet"


def main():
    task, engine, source, out = sys.argv[1:]
    limit_memory()
    rows, setup, note = {"import": import_file, "export": export_parquet, "derive": derive}[task](engine, source, out)
    print(json.dumps({"n_rows": rows, "setup": setup, "note": note}))


if __name__ == "__main__":
    main()
