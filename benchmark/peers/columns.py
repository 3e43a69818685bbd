#!/usr/bin/env python3
"""Runs one peer on Feather or NPZ files, as one process: columns.py TASK ENGINE SOURCE OUT [CODEC].

The last line of output is a JSON object as that of peer.py.

  make     SOURCE.cstore  ->  OUT             by the format's own library, for others to read
  import   SOURCE         ->  OUT.cstore      colstore; pyarrow and numpy read into memory and write nothing
  export   SOURCE.cstore  ->  OUT             colstore; pyarrow and numpy write from memory

CODEC is that of Feather: lz4 or uncompressed.
"""
import json
import sys
import time

from peer import GROUP, convert, limit_memory


def load(engine, path):
    """The table of a .cstore file as the engine has it in memory."""
    import colstore
    with colstore.open(path) as f:
        return f.arrow() if engine == "pyarrow" else f.dict()


def write(engine, table, out, codec):
    if engine == "pyarrow":
        import pyarrow.feather as pf
        pf.write_feather(table, out, compression=codec, chunksize=GROUP)
    else:
        import numpy as np
        np.savez(out, **table)


def read(engine, path):
    """The rows of a file, all of whose values are in memory then."""
    if engine == "pyarrow":
        import pyarrow.feather as pf
        return len(pf.read_table(path, memory_map=False))
    import numpy as np
    with np.load(path) as z:
        return len([z[name] for name in z.files][0])


def main():
    task, engine, source, out, *codec = sys.argv[1:]
    codec = codec[0] if codec else None
    limit_memory()
    setup, note = 0, ""
    if engine == "colstore":
        rows, setup, note = convert(engine, source, out, **({"compression": codec} if codec and task == "export" else {}))
    elif task == "import":
        rows, note = read(engine, source), "into memory only"
    else:
        start = time.monotonic()
        table = load(engine, source)
        setup, note = time.monotonic() - start, "from memory only"
        write(engine, table, out, codec)
        rows = len(table) if engine == "pyarrow" else len(next(iter(table.values())))
    print(json.dumps({"n_rows": rows, "setup": setup, "note": note}))


if __name__ == "__main__":
    main()
