"""Writes appended/: a folder that the Python package's appender filled, for the test that ours gives the same bytes.

Rows are numbered from 0 over all batches: x is the number, s its text, f half of it. A batch is never divided: with
shard_size=10 the batches of 4, 7, 25, 3, 0, 7 and 2 rows become shards of 11, 25, 10 and 2 rows.
"""

import os
import shutil

import colstore
import numpy as np

SIZES = [4, 7, 25, 3, 0, 7, 2]


def main() -> None:
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "appended")
    shutil.rmtree(folder, ignore_errors=True)
    first = 0
    with colstore.appender(folder, shard_size=10, statistics=True) as out:
        for n in SIZES:
            x = np.arange(first, first + n, dtype="<i8")
            out.write({"x": x, "s": np.array([b"%d" % i for i in x], dtype="S3"), "f": (x / 2).astype("<f4")})
            first += n
    os.remove(os.path.join(folder, ".colstore.lock"))


if __name__ == "__main__":
    main()
