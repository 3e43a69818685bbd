"""Makes the pairs NAME.before.cstore and NAME.after.cstore of this folder: a file, and the same one after an update.

Run: python make.py (deterministic; needs Python 3.11, NumPy 2.4, colstore 0.5.1). The records that are new in the second
file are what was written; the names that end in "_stats" were updated with statistics=True. "twice" was updated two times. The files whose
names begin with "stored" are one-shot stores.
"""
import os
import shutil
import zlib

import colstore
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20260601)
rows = 0


def batch(n):
    global rows
    ids = np.arange(rows, rows + n, dtype="i4")
    rows += n
    x = rng.standard_normal(n).round(4)
    if n > 2:
        x[n // 2] = [np.nan, np.inf, -0.0, 0.0][n % 4]
    t = (rng.integers(0, 10**9, n)).astype("M8[s]")
    if n == 5:
        t[1] = "NaT"
    return {
        "id": ids,
        "x": x,
        "h": x.astype("f2"),
        "f": (x * 3).astype("f4"),
        "s": np.array([f"n{i}".encode() for i in ids], "S5"),
        "u": np.array([f"µ{i % 7}" for i in ids], "U3"),
        "t": t,
        "ok": ids % 3 == 0,
        "b": (ids % 200 - 100).astype("i1"),
        "q": (ids * 7919 % 65536).astype("u2"),
    }


def path(name, when):
    return os.path.join(HERE, f"{name}.{when}.cstore")


def before(name, sizes, statistics=False, tail=b""):
    p = path(name, "before")
    with colstore.recreate(p, statistics=statistics) as w:
        for n in sizes:
            w.write(batch(n))
    if tail:
        with open(p, "ab") as f:
            f.write(tail)


def after(name, *sessions):
    p = path(name, "after")
    shutil.copyfile(path(name, "before"), p)
    for sizes in sessions:
        with colstore.update(p, statistics=name.endswith("_stats")) as w:
            for n in sizes:
                w.write(batch(n))


before("plain", [7, 4])
after("plain", [3, 0, 8])
before("leftovers", [6], tail=b"REC\x01 half a record")
after("leftovers", [2])
before("keep_stats", [7, 0, 5], statistics=True)
after("keep_stats", [9, 1, 0, 6])
before("new_stats", [4, 6])
after("new_stats", [5, 8])
before("lost_stats", [4, 5], statistics=True, tail=b"x")
after("lost_stats", [6])
before("twice_stats", [3], statistics=True)
after("twice_stats", [4], [11, 5])

# A writer that died before its first commit: the header with counters of zero, and half a record.
with open(path("plain", "before"), "rb") as f:
    raw = f.read()
end = 80 + int.from_bytes(raw[72:80], "little")
end += -end % 64
zero = bytes(24)
with open(path("fresh", "before"), "wb") as f:
    f.write(raw[:8] + zero + zlib.crc32(zero).to_bytes(4, "little") + bytes(36) + raw[72:end] + raw[end : end + 50])
after("fresh", [4, 2])

# One-shot stores.
colstore.store(batch(9), os.path.join(HERE, "stored.cstore"), mode="recreate")
colstore.store(batch(6), os.path.join(HERE, "stored_stats.cstore"), mode="recreate", statistics=True)
