"""write_exportable.py DIR: files of the Python package for the binary to write as Parquet and CSV."""

import sys
from pathlib import Path

import colstore
from tables import cells, exportable

out = Path(sys.argv[1])
colstore.store(exportable(3000), out / "typed.cstore", show_progress=False)
colstore.store(cells(3000), out / "cells.cstore", show_progress=False)
colstore.store(exportable(0), out / "empty.cstore", show_progress=False)
