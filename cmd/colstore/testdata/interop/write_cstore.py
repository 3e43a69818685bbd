"""write_cstore.py DIR: files of the Python package, and one that it reads but never writes."""

import json
import struct
import sys
import zlib
from pathlib import Path

import colstore
import numpy as np
from tables import events, everything

out = Path(sys.argv[1])


def write(name, columns, sizes, **options):
    with colstore.create(out / name, **options) as w:
        begin = 0
        for n in sizes:
            w.write({c: a[begin : begin + n] for c, a in columns.items()})
            begin += n


def big_endian(columns):
    columns = {c: a.astype(a.dtype.newbyteorder(">")) for c, a in columns.items()}
    described = [{"name": c, "dtype": a.dtype.str, "encoding": "raw", "nullable": False} for c, a in columns.items()]
    checked = json.dumps({"columns": described}, sort_keys=True).encode()
    manifest = json.dumps({"format_version": 1, "columns": described, "manifest_crc32": zlib.crc32(checked)}).encode()
    rows = len(next(iter(columns.values())))
    counters = struct.pack("<qqq", 1, rows, 0)
    head = b"CSTORE\x00\x01" + counters + struct.pack("<I", zlib.crc32(counters)) + bytes(36)
    head += struct.pack("<Q", len(manifest)) + manifest
    head += bytes(-len(head) % 64)
    record = b"REC\x01" + struct.pack("<qqq", 0, rows, 0)
    body = b"".join(a.tobytes() for a in columns.values())
    (out / "big.cstore").write_bytes(head + record + struct.pack("<I", zlib.crc32(record)) + body + bytes(-len(body) % 8))


colstore.store(everything(100), out / "one.cstore", show_progress=False)
write("multi.cstore", everything(100), [7, 0, 50, 1, 42])
write("stats.cstore", everything(100), [40, 60], statistics=True)
colstore.store(everything(0), out / "zero.cstore", show_progress=False)
big_endian({c: a for c, a in everything(100).items() if a.dtype.kind in "iufMmU" and a.dtype.itemsize > 1})
colstore.store(events(20_000), out / "events.cstore", show_progress=False)
write("events_multi.cstore", events(20_000), [4096, 1, 10_000, 5903], statistics=True)
