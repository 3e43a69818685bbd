"""write_spelled.py DIR: every dtype, as a .cstore file to be spelled out, and spelled out by Python to be read."""

import csv
import json
import sys
from pathlib import Path

import colstore
from tables import spelled, words

out = Path(sys.argv[1])
columns = spelled(2000)
colstore.store(columns, out / "spelled.cstore", show_progress=False)
rows = list(zip(*(words(a) for a in columns.values())))
for name, delimiter in [("python.csv", ","), ("python.tsv", "\t")]:
    with open(out / name, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
        w.writerow(columns)
        w.writerows(rows)
with open(out / "python.jsonl", "w", encoding="utf-8") as f:
    for row in rows:
        f.write(json.dumps({c: v if v != "" or columns[c].dtype.kind in "SU" else None for c, v in zip(columns, row)}) + "\n")
json.dump({c: a.dtype.str for c, a in columns.items()}, open(out / "dtypes.json", "w"))
