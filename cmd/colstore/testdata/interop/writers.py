"""writers.py: carries out a command a line of standard input, a JSON object, and answers in a line of standard output.

"create", "recreate", "update": writes "rows" numbers from "first" on to "path", in two writes with a "pause" between.
"compact": makes one record of "path". "append", "appender": a shard, or two, in the folder "path".
"read": the numbers in "path" as runs of consecutive ones. "wait" is slept before. Times are seconds.
"""

import json
import sys
import time
import warnings

import numpy as np

import colstore

warnings.simplefilter("ignore")


def columns(first, rows):
    n = np.arange(first, first + rows, dtype=np.int64)
    return {"n": n, "half": n / 2}


def write(c, writer):
    head = c["rows"] // 2
    try:
        writer.write(columns(c["first"], head))
        time.sleep(c["pause"])
        writer.write(columns(c["first"] + head, c["rows"] - head))
    finally:
        writer.close()


def read(c):
    with colstore.open(c["path"]) as r:
        n, half = np.asarray(r["n"]), np.asarray(r["half"])
        if not np.array_equal(half, n / 2):
            raise ValueError("the columns do not belong together")
    starts = np.concatenate([[0], np.flatnonzero(np.diff(n) != 1) + 1, [len(n)]]) if len(n) else [0]
    return [[int(n[a]), int(b - a)] for a, b in zip(starts[:-1], starts[1:])]


def do(c):
    op, path = c["op"], c["path"]
    if op == "read":
        return {"runs": read(c)}
    if op == "compact":
        colstore.compact(path, show_progress=False)
    elif op == "append":
        colstore.append(path, columns(c["first"], c["rows"]))
    elif op == "appender":
        write(c, colstore.appender(path, shard_size=1))
    else:
        write(c, getattr(colstore, op)(path))
    return {}


for line in sys.stdin:
    c = json.loads(line)
    time.sleep(c.get("wait", 0))
    try:
        answer = {"result": "ok", **do(c)}
    except FileExistsError:
        answer = {"result": "exists"}
    except FileNotFoundError:
        answer = {"result": "missing"}
    except OSError as e:
        answer = {"result": "locked" if "lock" in str(e).lower() else "failed", "error": str(e)}
    except Exception as e:
        answer = {"result": "failed", "error": repr(e)}
    print(json.dumps(answer), flush=True)
