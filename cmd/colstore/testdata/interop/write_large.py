"""write_large.py DIR: tables of 64 MiB for conversions whose memory is compared."""

import sys
from pathlib import Path

import colstore
import numpy as np

out = Path(sys.argv[1])
rng = np.random.default_rng(6)
rows = 1_048_576
numbers = {"i": np.arange(rows)} | {c: rng.random(rows) for c in "abcdefg"}
colstore.store(numbers, out / "numbers.cstore", show_progress=False)
text = rng.choice(np.array(["", "mu", "electron", "größer", "a longer name of a channel"], "U28"), rows // 2)
colstore.store({"t": text, "i": np.arange(rows // 2)}, out / "text.cstore", show_progress=False)
