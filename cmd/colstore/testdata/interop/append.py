"""Adds to folders of shards with the package, one order a line on standard input, one JSON answer a line.

append DIR FIRST ROWS      adds the rows FIRST, FIRST+1, … as one shard: its name
copy DIR FILE              adds a file: its name
appender DIR SIZE FIRST N… opens an appender, writes N rows, N rows, …, and keeps it open: "open"
close                      closes it: the number of its shards
read DIR                   opens the folder: its numbers and texts
An order that is refused is answered by {"error": text}.
"""

import json
import sys

import colstore
import numpy as np


def rows(first: int, n: int) -> dict:
    x = np.arange(first, first + n, dtype="<i8")
    return {"x": x, "s": np.array([b"%d" % i for i in x], dtype="S6")}


def main() -> None:
    out = None
    for line in sys.stdin:
        word, *args = line.split()
        try:
            if word == "append":
                answer = colstore.append(args[0], rows(int(args[1]), int(args[2]))).name
            elif word == "copy":
                answer = colstore.append(args[0], args[1]).name
            elif word == "appender":
                out = colstore.appender(args[0], shard_size=int(args[1]))
                first = int(args[2])
                for n in map(int, args[3:]):
                    out.write(rows(first, n))
                    first += n
                answer = "open"
            elif word == "close":
                out.close()
                answer = out.n_shards
            else:
                data = colstore.open(args[0])[:].dict()
                answer = {"x": data["x"].tolist(), "s": [s.decode() for s in data["s"].tolist()]}
        except (OSError, ValueError) as e:
            answer = {"error": str(e)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
