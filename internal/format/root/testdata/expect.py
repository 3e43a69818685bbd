"""Writes expect.json: the columns of fixtures as uproot 5.7 reads them. Needs uproot and numpy."""

import hashlib
import json
import os

import awkward as ak
import numpy as np
import uproot

HERE = os.path.dirname(os.path.abspath(__file__))
FOREIGN = os.path.join(HERE, "../../../golden/testdata/foreign/root")
PLAIN = {"TLeaf" + c for c in "BSILGFDO"}


def columns(tree, mode, width):
    """Names and values of what the tree's branches become."""
    for branch in tree.branches:
        leaves = branch.member("fLeaves")
        if branch.branches or type(branch).__name__.startswith("Model_TBranchElement") or any(x.classname not in PLAIN for x in leaves):
            continue
        if len(leaves) > 1:
            a = branch.array(library="np")
            for x in leaves:
                yield branch.name + "." + x.member("fName"), a[x.member("fName")]
            continue
        leaf = leaves[0]
        if leaf.member("fLeafCount") is None and leaf.member("fLen") == 1:
            yield branch.name, branch.array(library="np")
        elif mode == "skip":
            continue
        elif leaf.member("fLeafCount") is None:
            a = branch.array(library="np").reshape(tree.num_entries, -1)
            for i in range(a.shape[1]):
                yield "%s_%d" % (branch.name, i), a[:, i]
        elif leaf.member("fLen") == 1:
            a = branch.array()
            n = ak.to_numpy(ak.num(a)).astype("<i8")
            t = branch.interpretation.content.to_dtype
            most = width or (int(n.max()) if len(n) else 0)
            for i in range(most):
                missing = np.nan if t.kind == "f" else 0
                values = [row[i] if len(row) > i else missing for row in a.to_list()]
                yield "%s_%d" % (branch.name, i), np.array(values, dtype=t)
            yield branch.name + "_n", n


def main():
    out = []
    cases = [("leaves.root", "tree"), ("padding.root", "tree"), ("tntuple.root", "ntup"), ("issue21.root", "nllscan"), ("g4-like.root", "mytree"),
             ("jagged.root", "events"), ("cycles.root", "events"), ("cycles.root", "events;1"), ("foreign/root/jagged.root", "t")]
    for name, tree in cases:
        path = os.path.join(HERE, name) if "/" not in name else os.path.join(FOREIGN, os.path.basename(name))
        with uproot.open(path) as f:
            t = f[tree if tree in f else f.keys()[0]]
            for jagged, mode, width in (("skip", "skip", 0), ("explode", "explode", 0), ("pad=2", "pad", 2)):
                table = []
                for column, values in columns(t, mode, width):
                    values = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<")))
                    table.append({"name": column, "dtype": values.dtype.str, "sha256": hashlib.sha256(values.tobytes()).hexdigest()})
                out.append({"file": name, "tree": tree if ";" in tree else "", "jagged": jagged, "rows": int(t.num_entries), "columns": table})
    with open(os.path.join(HERE, "expect.json"), "w") as f:
        json.dump(out, f, indent=0)
        f.write("\n")


main()
