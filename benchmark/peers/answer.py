#!/usr/bin/env python3
"""Runs one peer on one task whose result is small or stays in memory: answer.py TASK ENGINE SOURCE [ARGUMENT...].

The last line of output is a JSON object like that of peer.py, with these keys more: inner, the seconds of the operation
alone, without starting, importing and opening; exact and near, the numbers of the answer, of which near ones may differ by
rounding; columns, the content of a table in memory, as check.py prints it.

  derive   SOURCE                    numpy; the task of peer.py, into memory
  cutflow  SOURCE                    seven cuts, weighted by h
  stats    SOURCE OPS                reductions of all columns
  count    SOURCE COLUMN WORD        the number of rows whose text is WORD
  select   SOURCE OUT COLUMN WORD    columns x and y of those rows; numpy into memory
  gather   SOURCE ROWS               the rows with the numbers in the file ROWS, into memory

SOURCE is a .cstore file for colstore, .arrow for polars, .parquet for duckdb, a folder of .npy files for numpy.
"""
import json
import os
import sys
import time
import zlib

import check
import peer


class Clock:
    """Adds up the seconds of the blocks it is used for."""

    def __init__(self):
        self.seconds = 0.0

    def __enter__(self):
        self.start = time.monotonic()

    def __exit__(self, *_):
        self.seconds += time.monotonic() - self.start


inner = Clock()
setup = Clock()  # what is not the work: checksums of results


def load(folder, names):
    """Columns of a folder, mapped."""
    import numpy as np
    return [np.load(os.path.join(folder, n + ".npy"), mmap_mode="r") for n in names]


def quoted(path):
    """A path as SQL text."""
    return "'" + path.replace("'", "''") + "'"


def content(columns):
    """What check.py prints of a file with these columns."""
    sums = {n: check.Sum() for n in columns}
    for n, column in columns.items():
        check.add_numbers(sums[n], n, column)
    return [[n, s.kind, str(s)] for n, s in sums.items()]


def derive_numpy(source):
    import numpy as np
    columns = load(source, "abcd")
    with inner:
        keep = columns[0] > 0
        a, b, c, d = (column[keep] for column in columns)
        out = {"a": a, "b": b, "c": c, "d": d,
               "x": a * 2 + b / c, "y": np.sqrt(b * b + c * c), "z": (a - b) * d}
    with setup:
        return {"n_rows": len(a), "columns": content(out), "note": "all in memory, nothing written"}


# The cuts of cutflow as SQL; cuts gives the same for columns that overload Python's operators.
SQL_CUTS = ["a > 0", "b < 3", "c > 0.5 and c < 6", "d + e > 5", "f * 2 > g", "e / h > 1", "g * g < 150"]


def cuts(a, b, c, d, e, f, g, h):
    yield a > 0
    yield b < 3
    yield (c > 0.5) & (c < 6)
    yield d + e > 5
    yield f * 2 > g
    yield e / h > 1
    yield g * g < 150


def cutflow_colstore(source):
    import colstore
    from colstore import col
    with colstore.open(source) as f, inner:
        frame = f.edit()
        for i, cut in enumerate(cuts(*(col(n) for n in "abcdefgh"))):
            frame = frame.where(cut, str(i), weight=None if i else "h")
        records = frame.report().records()
    return {"exact": [r["passing"] for r in records], "near": [r["weighted_passing"] for r in records]}


def passing(groups):
    """The answer of cutflow from triples: how many cuts rows pass, the number of such rows, the sum of their weights."""
    exact, near = [0] * len(SQL_CUTS), [0.0] * len(SQL_CUTS)
    for passed, n, w in groups:
        for i in range(passed):
            exact[i] += n
            near[i] += w
    return {"exact": exact, "near": near}


# One group for each number of cuts that a row passes is quicker, in Polars and in DuckDB, than a filtered count and a
# filtered sum for every cut.


def cutflow_polars(source):
    import polars as pl
    rows = pl.scan_ipc(source)
    with inner:
        passed = pl
        for i, cut in enumerate(cuts(*(pl.col(n) for n in "abcdefgh"))):
            passed = passed.when(~cut).then(i)
        groups = rows.select(passed.otherwise(len(SQL_CUTS)).alias("passed"), "h").group_by("passed").agg(
            pl.len(), pl.col("h").sum()).collect().rows()
    return passing(groups)


def cutflow_duckdb(source):
    import duckdb
    with inner:
        passed = " ".join(f"when not ({cut}) then {i}" for i, cut in enumerate(SQL_CUTS))
        groups = duckdb.sql(f"select case {passed} else {len(SQL_CUTS)} end as passed, count(*), sum(h)"
                            f" from {quoted(source)} group by passed").fetchall()
    return passing(groups)


def cutflow_numpy(source):
    import numpy as np
    columns = load(source, "abcdefgh")
    counts, sums = [], []
    with inner:
        keep = True
        for cut in cuts(*columns):
            keep = keep & cut
            counts.append(int(np.count_nonzero(keep)))
            sums.append(float(columns[-1][keep].sum()))
    return {"exact": counts, "near": sums, "note": "masks and expressions of all rows in memory"}


def reduced(ops, values):
    """The answer of reductions: values has those of one column after the other."""
    exact, near = [], []
    for i, v in enumerate(values):
        (exact if ops[i % len(ops)] in ("min", "max", "count") else near).append(float(v))
    return {"exact": exact, "near": near}


def stats_colstore(source, ops):
    import colstore
    with colstore.open(source) as f, inner:
        return reduced(ops, [getattr(f[n], op)() for n in "abcdefgh" for op in ops])


def stats_polars(source, ops):
    import polars as pl
    rows = pl.scan_ipc(source)
    with inner:
        wanted = []
        for n in "abcdefgh":
            for op in ops:
                options = {"ddof": 0} if op in ("std", "var") else {}
                wanted.append(getattr(pl.col(n), op)(**options).alias(n + op))
        return reduced(ops, rows.select(wanted).collect().row(0))


def stats_duckdb(source, ops):
    import duckdb
    names = {"mean": "avg", "std": "stddev_pop", "var": "var_pop"}
    with inner:
        wanted = ", ".join(f"{names.get(op, op)}({n})" for n in "abcdefgh" for op in ops)
        row, = duckdb.sql(f"select {wanted} from {quoted(source)}").fetchall()
    return reduced(ops, row)


def stats_numpy(source, ops):
    columns = load(source, "abcdefgh")
    with inner:
        values = [len(c) if op == "count" else getattr(c, op)() for c in columns for op in ops]
        return reduced(ops, values) | {"note": "temporaries of all rows in memory"}


def count_colstore(source, column, word):
    import colstore
    with colstore.open(source) as f, inner:
        return {"exact": [f.query(f"{column} == '{word}'").count()]}


def count_polars(source, column, word):
    import polars as pl
    rows = pl.scan_ipc(source)
    with inner:
        return {"exact": [rows.filter(pl.col("s") == word).select(pl.len()).collect().item()],
                "note": "string views"}


def count_duckdb(source, column, word):
    import duckdb
    with inner:
        rows = duckdb.sql(f"select count(*) from {quoted(source)} where s = '{word}'").fetchall()
    return {"exact": rows[0], "note": "words are dictionaries in Parquet"}


def count_numpy(source, column, word):
    import numpy as np
    texts, = load(source, [column])
    with inner:
        return {"exact": [int(np.count_nonzero(texts == np.array(word, texts.dtype)))], "note": "the mask in memory"}


def select_colstore(source, out, column, word):
    import colstore
    from colstore import col
    with colstore.open(source) as f, inner:
        # A frame, unlike a query, compares a column of bytes with bytes only.
        literal = word.encode() if column == "s" else word
        with f.edit().where(col(column) == literal).select("x", "y").write(out) as written:
            return {"n_rows": written.n_rows}


def select_polars(source, out, column, word):
    import polars as pl
    rows = pl.scan_ipc(source)
    with inner:
        rows.filter(pl.col("s") == word).select("x", "y").sink_ipc(out)
    return {"note": "Arrow to Arrow, string views"}


def select_duckdb(source, out, column, word):
    import duckdb
    with inner:
        duckdb.sql(f"copy (select x, y from {quoted(source)} where s = '{word}')"
                   f" to {quoted(out)} (format parquet, compression uncompressed)")
    return {"note": "Parquet to Parquet, words are dictionaries"}


def select_numpy(source, out, column, word):
    import numpy as np
    texts, x, y = load(source, [column, "x", "y"])
    with inner:
        keep = texts == np.array(word, texts.dtype)
        x, y = x[keep], y[keep]
    with setup:
        return {"n_rows": len(x), "columns": content({"x": x, "y": y}), "note": "all in memory, nothing written"}


def gathered(columns):
    """The answer of a gather: a checksum of every column's bytes."""
    return {"exact": [zlib.crc32(memoryview(c).cast("B")) for c in columns]}


def gather_colstore(source, rows):
    import colstore
    import numpy as np
    index = np.fromfile(rows, "<i8")
    with colstore.open(source) as f:
        with inner:
            columns = f[index].dict()
    return gathered(columns.values())


def gather_polars(source, rows):
    import numpy as np
    import polars as pl
    index = pl.Series(np.fromfile(rows, "<i8"))
    table = pl.read_ipc(source)
    with inner:
        taken = table.select(pl.all().gather(index))
    return gathered(c.to_numpy() for c in taken.get_columns()) | {"note": "all in memory before it begins"}


def gather_numpy(source, rows):
    import numpy as np
    index = np.fromfile(rows, "<i8")
    columns = load(source, "abcdefgh")
    with inner:
        taken = [np.take(c, index) for c in columns]
    return gathered(taken)


def main():
    task, engine, source, *arguments = sys.argv[1:]
    if task == "stats":
        arguments = [arguments[0].split(",")]
    peer.limit_memory()
    told = globals()[f"{task}_{engine}"](source, *arguments)
    print(json.dumps({"setup": setup.seconds, "inner": inner.seconds} | told))


if __name__ == "__main__":
    main()
