"""queries.py FILE: a JSON object of predicates and the rows that the Python package finds, and the cutflow of some cuts."""

import json
import sys

import colstore

QUERIES = [
    "x > 0",
    "not x > 0",
    "-0.5 < x <= 0.5 and b",
    "i % 7 == 3 or i // 10 == -2",
    "i in [1, 2, 3, 40] and not b",
    "i not in [0] and k < u",
    "k > 300",
    "u - 1 > i",
    "k * 2 != i + k",
    "x == x",
    "x != x",
    "y == 0.1",
    "y ** 2 > 2.5 and x / y < 1",
    "s == 'SR' or s == 'CR1'",
    "s in ['CR2', '']",
    "t == 'größe'",
    "t > 'signal'",
    "b & (i > 0) | (x < -1)",
    "(i & 3) == 1",
    "(b ^ (i > 0)) and ~b",
    "i > 0 > k",
    "when == when",
    "x > y and y > 0 and i and not k",
]
CUTS = [  # label, predicate, weight from here on
    ("trigger", "b", None),
    ("", "x > -1.5", "w"),
    ("loose", "i > -25", None),
    ("tight", "i > 10 and x < 1", "w * 2"),
    ("none", "i > 1000", None),
]
WEIGHTS = {None: {}, "w": {"weight": "w"}, "w * 2": {"weight": colstore.col("w") * 2}}

ds = colstore.open(sys.argv[1])
rows = {q: ds.query(q)["row"].array().tolist() for q in QUERIES}
frame = ds.edit()
for label, expression, weight in CUTS:
    frame = frame.where(expression, label, **WEIGHTS[weight])
flags = []
for label, expression, weight in CUTS:
    flags += ([f"--weight={weight}"] if weight else []) + [f"--cut={label}={expression}"]
json.dump({"rows": rows, "flags": flags, "cutflow": frame.report().records()}, sys.stdout, default=float)
