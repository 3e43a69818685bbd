#!/usr/bin/env python3
"""Writes and opens .cstore files with the Python package, as one process: writing.py TASK ARGUMENT...

The last line of output is a JSON object as that of answer.py. Inner seconds end when the output is on the disk: what the
package does not sync is synced here, the folder too.

  frame        SOURCE OUT           four columns and three derived ones
  compact      SOURCE OUT           one record
  concat       FOLDER OUT           the part_*.cstore of a folder as one file
  small        SOURCE OUT RECORDS   the first rows of SOURCE in records of 100 rows, a write each
  append       SOURCE FOLDER ROWS   the first rows of SOURCE as 64 files of a folder, each on the disk before the next
  open         SOURCE TIMES         opened and closed so often; inner seconds are those of one time
  open-shards  FOLDER TIMES         likewise, a folder
  parts        OUT SOURCE N         makes a folder of N files that together are SOURCE
  shards       OUT SOURCE N         makes a folder of N files of 100 rows
"""
import json
import os
import resource
import sys
import time

import colstore

import peer

SMALL = 100  # rows of a small record or file
APPENDED = 64  # files that are appended


def durable(path):
    """Has the file and its name on the disk."""
    for name in (path, os.path.dirname(path) or "."):
        f = os.open(name, os.O_RDONLY)
        os.fsync(f)
        os.close(f)


def frame(source, out):
    import numpy as np
    a, b, c, d = (colstore.col(n) for n in "abcd")
    with colstore.open(source) as f:
        made = f.edit().assign(x=a * 2 + b / c, y=np.sqrt(b * b + c * c), z=(a - b) * d)
        with made.write(out) as written:
            return written.n_rows


def compact(source, out):
    colstore.compact(source, out=out, show_progress=False)
    return colstore.info(out).n_rows


def parts_of(folder):
    return [os.path.join(folder, n) for n in sorted(os.listdir(folder))]


def concat(folder, out):
    with colstore.concat(parts_of(folder), out=out) as written:
        return written.n_rows


def small(columns, out):
    rows = len(columns["a"])
    with colstore.create(out) as w:
        for at in range(0, rows, SMALL):
            w.write({n: v[at:at + SMALL] for n, v in columns.items()})
    return rows


def append(columns, folder):
    rows = len(columns["a"])
    with colstore.appender(folder) as w:
        for i in range(APPENDED):
            w.write({n: v[rows * i // APPENDED:rows * (i + 1) // APPENDED] for n, v in columns.items()})
            durable(w.flush())
    return rows


def load(source, begin, end):
    with colstore.open(source) as f:
        return f[begin:end].dict()


def opened(path, times):
    for _ in range(times):
        f = colstore.open(path)
        rows = f.n_rows
        f.close()
    return rows


def make(task, out, source, count):
    os.makedirs(out)
    if task == "shards":
        first = os.path.join(out, "shard_00000.cstore")
        colstore.store(load(source, 0, SMALL), first, show_progress=False).close()
        with open(first, "rb") as f:
            content = f.read()
        for i in range(1, count):
            with open(os.path.join(out, f"shard_{i:05d}.cstore"), "wb") as f:
                f.write(content)
        return
    rows = colstore.info(source).n_rows
    for i in range(count):
        part = load(source, rows * i // count, rows * (i + 1) // count)
        colstore.store(part, os.path.join(out, f"part_{i}.cstore"), show_progress=False).close()


def main():
    task, *args = sys.argv[1:]
    peer.limit_memory()
    if task in ("parts", "shards"):
        make(task, args[0], args[1], int(args[2]))
        return
    exact, times = [], 1
    columns = None
    if task in ("small", "append"):
        columns = load(args[0], 0, int(args[2]) * (SMALL if task == "small" else 1))
    if task == "open-shards":  # the package keeps every file open
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if task == "frame":
        __import__("numpy")
    start = time.monotonic()
    if task.startswith("open"):
        times = int(args[1])
        rows = opened(args[0], times)
        exact = [rows]
    else:
        work = {"frame": frame, "compact": compact, "concat": concat, "small": small, "append": append}[task]
        rows = work(args[0] if columns is None else columns, args[1])
        if task == "append":
            exact = [rows]
        else:
            durable(args[1])
    inner = (time.monotonic() - start) / times
    print(json.dumps({"n_rows": rows, "setup": 0, "inner": inner, "exact": exact, "note": ""}))


if __name__ == "__main__":
    main()
