"""updates.py DIR SEED N: makes N pairs NUMBER[s].before.cstore and NUMBER[s].after.cstore in DIR: a file of random columns
and records, and the same one after one to three updates. Those with an s were updated with statistics=True."""
import os
import shutil
import sys

import colstore
import numpy as np

directory, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(seed)
DTYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "S1", "S7", "U1", "U5", "M8[ns]", "m8[D]"]


def values(code, n):
    dtype = np.dtype(code)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind in "SU":
        letter = "é" if dtype.kind == "U" else b"x"
        return np.array([letter * int(k) for k in rng.integers(0, 9, n)], dtype)
    if dtype.kind == "f":
        out = rng.standard_normal(n).astype(dtype)
        if n and rng.integers(0, 3) == 0:
            out[rng.integers(0, n)] = rng.choice([np.nan, np.inf, -np.inf])
        return out
    if dtype.kind in "Mm":
        out = rng.integers(-(10**9), 10**9, n).astype(dtype)
        if n and rng.integers(0, 3) == 0:
            out[rng.integers(0, n)] = "NaT"
        return out
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


for number in range(count):
    statistics = bool(rng.integers(0, 2))
    columns = {f"c{i}": code for i, code in enumerate(rng.choice(DTYPES, rng.integers(1, 7)))}
    batch = lambda: {name: values(code, n) for n in [int(rng.integers(0, 40))] for name, code in columns.items()}
    name = os.path.join(directory, f"{number}{'s' if statistics else ''}")
    before, after = name + ".before.cstore", name + ".after.cstore"
    # A file that has statistics keeps them here: only those that are asked for are the same in both.
    with colstore.create(before, statistics=statistics and bool(rng.integers(0, 2))) as w:
        for _ in range(rng.integers(1, 5)):
            w.write(batch())
    if rng.integers(0, 3) == 0:
        with open(before, "ab") as f:
            f.write(rng.bytes(int(rng.integers(1, 100))))
    shutil.copyfile(before, after)
    for _ in range(rng.integers(1, 4)):
        with colstore.update(after, statistics=statistics) as w:
            for _ in range(rng.integers(1, 5)):
                w.write(batch())
