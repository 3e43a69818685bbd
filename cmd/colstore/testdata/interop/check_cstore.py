"""check_cstore.py DIR: what the binary said of write_cstore.py's files and made of them."""

import base64
import json
import sys
from pathlib import Path

import colstore
import numpy as np
from tables import everything, same, same_table

folder = Path(sys.argv[1])


def column(values, dtype):
    """JSON cells as an array."""
    match dtype.kind:
        case "M" | "m":
            return np.array([np.iinfo("i8").min if v == "NaT" else int(v) for v in values], "i8").view(dtype)
        case "f":
            return np.array([float(v) for v in values], "f8").astype(dtype)
        case "i" | "u":
            return np.array([int(v) for v in values], dtype)
        case "S":
            return np.array([base64.b64decode(v["base64"]) if isinstance(v, dict) else v.encode() for v in values], dtype)
    return np.array(values, dtype)


for name in ["one", "multi", "stats", "zero", "big"]:
    want = {c: colstore.open(folder / f"{name}.cstore").array(c) for c in colstore.open(folder / f"{name}.cstore").columns}
    made = everything(0 if name == "zero" else 100)
    same_table(name, want, {c: made[c] for c in want})

    rows = [json.loads(line) for line in (folder / f"{name}.ndjson").read_text("utf-8").splitlines()]
    same_table(f"cat {name}", {c: column([r[c] for r in rows], a.dtype) for c, a in want.items()}, want)

    copied = colstore.open(folder / f"{name}.copy.cstore")
    same_table(f"convert {name}", {c: copied.array(c) for c in copied.columns}, want)

    stats = json.loads((folder / f"{name}.json").read_text("utf-8"))
    view = colstore.open(folder / f"{name}.cstore")
    for c, a in want.items():
        said = stats.get(c, {})
        if said.get("count") is not None and int(said["count"]) != len(a):
            raise SystemExit(f"stats {name}: count of {c} is {said['count']}, want {len(a)}")
        if a.dtype.kind not in "iufb" or not len(a):
            continue
        for op in ["min", "max"]:
            found = np.array([getattr(view[c], op)()]).astype(a.dtype)
            same(f"stats {name}: {op} of {c}", column([said[op]], a.dtype), found)
        if a.dtype.kind in "iub":  # modulo 2**64, so that the order does not matter
            total = view[c].sum()
            if int(said["sum"]) != int(total):
                raise SystemExit(f"stats {name}: sum of {c} is {said['sum']}, want {total}")
