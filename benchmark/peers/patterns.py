#!/usr/bin/env python3
"""The peers' side of the access patterns: a process that stays warm, patterns.py FOLDER.

It reads a request a line, as JSON, and answers each with a line:

  {"do": "about"}                                         the versions of the packages
  {"do": "prepare", "pattern": {...}, "rows": N}          writes the pattern's files below FOLDER, names its engines
  {"do": "first", "engine": E}                            calls it once: bytes of the result, and all of its check
  {"do": "run", "engine": E, "loops": K}                  calls it K times: seconds a call, and a quick check
  {"do": "done"}                                          forgets the pattern

A request that fails is answered with {"error": text}. A pattern is what benchmark/pattern.go says; patterndata.py tells what the
files hold.
"""
import json
import os
import sys
import time
import warnings

from patterndata import Data

TOLERATED = 16384  # values of an inexact result that are shown for comparison


def columns_of(result):
    """The arrays of a result, in order, dense and in native byte order."""
    import numpy as np
    if isinstance(result, float):
        return [np.array([result])]
    if isinstance(result, dict):
        found = list(result.values())
    elif isinstance(result, np.ndarray):
        found = [result]
    elif type(result).__module__.startswith("polars"):
        many = hasattr(result, "columns")
        found = [s.to_numpy() for s in (result.get_columns() if many else [result])]
    else:
        import pyarrow as pa
        many = isinstance(result, pa.Table)
        found = []
        for c in result.columns if many else [result]:
            c = c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c
            found.append(c.to_numpy(zero_copy_only=False))
    found = [c.filled() if isinstance(c, np.ma.MaskedArray) else c for c in found]
    return [np.ascontiguousarray(c.astype(c.dtype.newbyteorder("="), copy=False)) for c in found]


def text(v):
    return "nan" if v != v else v.hex()


def quick(columns, exact):
    """What is compared in every round: the sum of the bytes as words, or of the values."""
    import numpy as np
    if not exact:
        return {"sum": text(sum(float(np.sum(c, dtype="f8")) for c in columns))}
    total = 0
    for c in columns:
        b = c.reshape(-1).view("u1")
        whole = len(b) // 8 * 8
        total += int(np.add.reduce(b[:whole].view("<u8"))) + int.from_bytes(b[whole:].tobytes(), "little")
    return {"words": str(total % 2**64)}


def full(columns, exact):
    """What is compared once: the checksum of the bytes, or a part of the values."""
    import zlib

    import numpy as np
    check = quick(columns, exact)
    if exact:
        crc = 0
        for c in columns:
            crc = zlib.crc32(c.reshape(-1).view("u1"), crc)
        return check | {"crc": crc}
    values = np.concatenate([c[::max(1, -(-len(c) // TOLERATED))] for c in columns])
    return check | {"values": [text(v) for v in values.astype("f8").tolist()]}


class Server:
    def __init__(self, folder):
        self.folder, self.sizes, self.engines, self.exact = folder, {}, {}, True

    def about(self, request):
        from importlib import metadata
        names = ["colstore", "numpy", "numexpr", "polars", "duckdb", "pyarrow"]
        return {"about": ", ".join(f"{n} {metadata.version(n)}" for n in names)}

    def prepare(self, request):
        import patternengines
        rows = request["rows"]
        data = self.sizes.setdefault(rows, Data(os.path.join(self.folder, str(rows)), rows))
        data.forget(request["pattern"]["file"])
        self.exact = request["pattern"]["exact"]
        self.engines = patternengines.engines(request["pattern"], data)
        return {"engines": list(self.engines)}

    def first(self, request):
        columns = columns_of(self.engines[request["engine"]]())
        return {"bytes": sum(c.nbytes for c in columns), "check": full(columns, self.exact)}

    def run(self, request):
        call, loops = self.engines[request["engine"]], request["loops"]
        begin = time.perf_counter()
        for _ in range(loops):
            result = None  # what a call returned is given back before the next
            result = call()
        seconds = time.perf_counter() - begin
        return {"seconds": seconds / loops, "check": quick(columns_of(result), self.exact)}

    def done(self, request):
        self.engines = {}
        for data in self.sizes.values():
            data.forget(None)
        return {}


def main():
    warnings.simplefilter("ignore")
    server = Server(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(server, request["do"])(request)
        except Exception as err:  # the other side decides what it means
            answer = {"error": f"{type(err).__name__}: {err}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
