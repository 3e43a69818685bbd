"""Writes linked.lz4: a frame as pyarrow makes it, whose blocks refer to those before them. Needs pyarrow."""
import os

import pyarrow as pa

x, unit = 1, bytearray()
for _ in range(5000):
    x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    unit.append(x >> 16 & 0xFF)
with open(os.path.join(os.path.dirname(__file__), "linked.lz4"), "wb") as f:
    f.write(pa.Codec("lz4").compress(bytes(unit) * 60))
