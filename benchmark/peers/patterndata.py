"""The files of the access patterns: noise of a fixed seed, the same rows in every format.

  wide       f4, f8, u1, i2, s16 (S16); of 100 million rows and more f4 and f8 alone
  records64, records1024   f4 and f8 of wide in so many records; dataset: in 1,000 files of a folder
  bigendian  f8 of wide as >f8
  text       a word of at most eight code points, U8
  mixed      eight columns of different types, 32 bytes a row
  expr       a, b, c: float64, c between 0.5 and 1.5

Row numbers are files of int64 (sorted10.rows: sorted and unique, random10.rows: with repeats), masks files of a byte a
row (mask10.mask). A file appears under its name only when it is complete.
"""
import os
import shutil

MIXED = {"id": "i8", "x": "f8", "y": "f4", "z": "f4", "k": "i4", "h": "i2", "u": "u1", "flag": "?"}
WORDS = ["abc", "ab", "abcd", "abd", "abcdefgh", "a", "Zürich", "Ōsaka", "abcabc", "", "ABC", "ab c", "zyx", "abb", "bc", "cba"]
LARGE = 100_000_000
SEED = 1


class Data:
    def __init__(self, root, rows):
        self.root, self.rows, self.held = root, rows, {}

    def forget(self, stem):
        """Drops what is held of files that are not called stem."""
        for key in [k for k in self.held if k[1] != stem]:
            del self.held[key]

    def hold(self, what, stem, make):
        if (what, stem) not in self.held:
            self.held[what, stem] = make()
        return self.held[what, stem]

    def columns(self, stem):
        import numpy as np
        n = self.rows
        if stem == "mixed":
            rng, out = np.random.default_rng([SEED, 2]), {}
            for name, dtype in MIXED.items():
                if dtype[0] == "f":
                    out[name] = rng.standard_normal(n, dtype=dtype)
                elif dtype == "?":
                    out[name] = rng.random(n, dtype="f4") < 0.3
                else:
                    out[name] = rng.integers(0, min(n, np.iinfo(dtype).max), n, dtype=dtype)
            return out
        if stem == "expr":
            rng = np.random.default_rng([SEED, 3])
            return {"a": rng.standard_normal(n), "b": rng.standard_normal(n) * 4, "c": rng.random(n) + 0.5}
        if stem == "text":
            rng = np.random.default_rng([SEED, 4])
            return {"word": np.array(WORDS, "U8")[rng.integers(0, len(WORDS), n, "i1")]}
        f8 = np.random.default_rng([SEED, 1]).standard_normal(n)
        if stem == "bigendian":
            return {"f8": f8.astype(">f8")}
        out = {"f4": f8.astype("f4"), "f8": f8}
        if stem == "wide" and n < LARGE:
            bits = f8.view("u8")
            text = np.empty((n, 2), "u8")
            text[:, 0] = bits | np.uint64(0x0101010101010101)  # no byte is zero
            text[:, 1] = (bits >> np.uint64(7)) | np.uint64(0x0101010101010101)
            out |= {"u1": (bits >> np.uint64(9)).astype("u1"), "i2": (bits >> np.uint64(20)).astype("i2"),
                    "s16": text.view("S16").ravel()}
        return out

    def file(self, stem, extension=".cstore"):
        """The path of a file, which is written if it is not there."""
        path = os.path.join(self.root, stem + extension)
        if os.path.exists(path):
            return path
        os.makedirs(self.root, exist_ok=True)
        partial = os.path.join(self.root, "partial" + extension)
        if os.path.isdir(partial):
            shutil.rmtree(partial)
        elif os.path.exists(partial):
            os.remove(partial)
        {".cstore": self.write_cstore, ".arrow": self.write_arrow, ".parquet": self.write_parquet, ".files": self.write_files,
         ".rows": self.write_rows, ".mask": self.write_rows}[extension](stem, partial)
        os.rename(partial, path)
        return path

    def pieces(self, stem, count):
        import numpy as np
        columns, edges = self.columns(stem), np.linspace(0, self.rows, count + 1).astype(int)
        for begin, end in zip(edges, edges[1:]):
            yield {name: c[begin:end] for name, c in columns.items()}

    def write_cstore(self, stem, path):
        import colstore
        if stem.startswith("records"):
            with colstore.recreate(path) as f:
                for piece in self.pieces(stem, min(self.rows, int(stem[len("records"):]))):
                    f.write(piece)
        else:
            colstore.store(self.columns(stem), path, mode="recreate")

    def write_files(self, stem, path):
        import colstore
        os.makedirs(path)
        for i, piece in enumerate(self.pieces(stem, min(self.rows, 1000))):
            colstore.store(piece, os.path.join(path, f"{i:04}.cstore"), mode="recreate")

    def table(self, stem):
        import pyarrow as pa
        ds = self.dataset(stem)
        out = {}
        for name in ds.columns:
            c = ds.array(name, copy=False)
            out[name] = pa.FixedSizeBinaryArray.from_buffers(
                pa.binary(16), len(c), [None, pa.py_buffer(c)]) if c.dtype.kind == "S" else pa.array(c)
        return pa.table(out)

    def write_arrow(self, stem, path):
        import pyarrow as pa
        table = self.table(stem)
        with pa.OSFile(path, "wb") as f, pa.ipc.new_file(f, table.schema) as w:
            w.write_table(table)

    def write_parquet(self, stem, path):
        import pyarrow.parquet as pq
        pq.write_table(self.table(stem), path, compression="NONE", use_dictionary=False)

    def write_rows(self, stem, path):
        import numpy as np
        kind, percent = stem.rstrip("0123456789"), int(stem[len(stem.rstrip("0123456789")):])
        if kind == "random":
            count = max(1, self.rows * percent // 100)
            np.random.default_rng([SEED, 77, percent]).integers(0, self.rows, count, dtype="i8").tofile(path)
            return
        mask = np.random.default_rng([SEED, 78, percent]).random(self.rows, dtype="f4") < percent / 100
        (mask if kind == "mask" else np.flatnonzero(mask).astype("i8")).tofile(path)

    def selection(self, kind, percent):
        """Row numbers ("sorted", "random") or a mask ("mask")."""
        import numpy as np
        path = self.file(f"{kind}{percent}", ".mask" if kind == "mask" else ".rows")
        return self.hold(path, None, lambda: np.fromfile(path, "?" if kind == "mask" else "i8"))

    def dataset(self, stem):
        """The open table of the Python package."""
        import colstore
        import glob

        def open_it():
            if stem == "dataset":
                return colstore.open(sorted(glob.glob(os.path.join(self.file(stem, ".files"), "*.cstore"))))
            return colstore.open(self.file(stem))
        return self.hold("dataset", stem, open_it)

    def mapped(self, stem, column):
        """A column of a file of one record as a read-only array; of the others, that of wide with the same values."""
        if stem.startswith("records") or stem == "dataset":
            stem = "wide"
        return self.hold("mapped " + column, stem, lambda: self.dataset(stem).array(column, copy=False))

    def arrow(self, stem):
        import pyarrow as pa
        path = self.file(stem, ".arrow")
        return self.hold("arrow", stem, lambda: pa.ipc.open_file(pa.memory_map(path)).read_all().combine_chunks())

    def polars(self, stem):
        import polars as pl
        return self.hold("polars", stem, lambda: pl.from_arrow(self.arrow(stem)))

    def duckdb(self, sql):
        """A call that runs a query and returns it as arrays; preserves the order of rows."""
        import duckdb
        con = self.hold("duckdb", None, duckdb.connect)
        con.execute("set preserve_insertion_order=true")
        return lambda: con.execute(sql)
