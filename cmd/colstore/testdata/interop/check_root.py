"""check_root.py DIR: ROOT files of the binary, as uproot reads them."""

import sys
from pathlib import Path

import numpy as np
import uproot
from tables import exportable, same_table

folder = Path(sys.argv[1])
names = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
typed = {c: exportable(3000)[c] for c in names}

files = sorted(folder.glob("typed.*.root"))
if len(files) != 8:
    raise SystemExit(f"{len(files)} files")
# Caches of several files tell them apart by their identifiers.
caches = {"object_cache": {}, "array_cache": {}}
trees = {path.name: uproot.open(path, **caches)["events"] for path in files + [folder / "empty.root"]}
for name, tree in trees.items():
    rows = 0 if name == "empty.root" else 3000
    if tree.num_entries != rows:
        raise SystemExit(f"{name}: {tree.num_entries} entries")
    same_table(name, tree.arrays(library="np"), {c: a[:rows] for c, a in typed.items()})

with uproot.open(folder / "large.root") as f:
    tree = f["large tree"]
    same_table("large.root", tree.arrays(library="np"), {c: np.tile(a, 100) for c, a in typed.items()})
    baskets = {b.name: b.num_baskets for b in tree.branches}
    if baskets["f8"] != 10 or baskets["i1"] != 2:
        raise SystemExit(f"large.root: baskets {baskets}")
    if f.file.streamers["TTree"] is None or f.classnames() != {"large tree;1": "TTree"}:
        raise SystemExit(f"large.root: {f.classnames()}")
