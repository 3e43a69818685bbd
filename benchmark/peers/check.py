#!/usr/bin/env python3
"""Prints what a file holds, the same for every format: check.py FILE [fill].

A JSON object: n_rows, and columns, a list of [name, kind, checksum]. The kind is a NumPy type or "text"; the checksum is of
the values' bytes in row order (text: of the lengths and of the UTF-8 bytes). Two files with equal output hold equal
tables. With "fill", nulls count as 0 and as empty text; without it, a null is an error.
"""
import json
import sys

STEP = 128 * 1024  # rows looked at together


class Sum:
    """The checksum of one column; text has its lengths apart, so that the border of pieces does not matter."""

    def __init__(self):
        import xxhash
        self.kind, self.values, self.lengths = None, xxhash.xxh3_128(), xxhash.xxh3_128()

    def add(self, name, kind, values, lengths=b""):
        if self.kind not in (None, kind):
            raise TypeError(f"column {name!r} is {self.kind} and then {kind}")
        self.kind = kind
        self.values.update(values)
        self.lengths.update(lengths)

    def __str__(self):
        return self.values.hexdigest() + (self.lengths.hexdigest() if self.kind == "text" else "")


def add_numbers(total, name, array):
    import numpy as np
    array = np.ascontiguousarray(array)
    kind = array.dtype.newbyteorder("=").str.lstrip("<|")
    total.add(name, kind, array.view("u1").data if len(array) else b"")


def add_text(total, name, array):
    """array is a pyarrow large_string array without nulls."""
    import numpy as np
    offsets = np.frombuffer(array.buffers()[1], "<i8", len(array) + 1, array.offset * 8)
    data = array.buffers()[2]
    total.add(name, "text", memoryview(data)[offsets[0]:offsets[-1]] if data else b"", np.diff(offsets).data)


def add_arrow(total, name, column, fill):
    import pyarrow as pa
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type)
    if column.null_count:
        if not fill:
            raise ValueError(f"column {name!r} has {column.null_count} nulls")
        column = column.fill_null("" if text else 0)
    if text:
        add_text(total, name, column.cast(pa.large_string()))
    else:
        add_numbers(total, name, column.to_numpy(zero_copy_only=False))


def arrow_batches(path):
    """The columns' names and the record batches of a Parquet, an Arrow or a CSV file."""
    import pyarrow as pa
    if path.endswith(".csv"):
        import pyarrow.csv as pc
        table = pc.read_csv(path, convert_options=pc.ConvertOptions(strings_can_be_null=False))
        return table.column_names, iter(table.combine_chunks().to_batches(max_chunksize=STEP))
    if path.endswith(".parquet"):
        import pyarrow.parquet as pq
        f = pq.ParquetFile(path)
        return f.schema_arrow.names, f.iter_batches(batch_size=STEP)
    f = pa.ipc.open_file(pa.memory_map(path))
    return f.schema.names, (f.get_batch(i) for i in range(f.num_record_batches))


def check(path, fill):
    import pyarrow as pa
    rows = 0
    if path.endswith(".cstore"):
        import colstore
        with colstore.open(path) as f:
            rows, names = f.n_rows, list(f.columns)
            sums = {n: Sum() for n in names}
            for at in range(0, rows, STEP):
                for n in names:
                    part = f[at:at + STEP, n].array()
                    if part.dtype.kind == "U":
                        add_text(sums[n], n, pa.array(part).cast(pa.large_string()))
                    else:
                        add_numbers(sums[n], n, part)
    elif path.endswith(".npz"):
        import numpy as np
        with np.load(path) as z:
            sums = {n: Sum() for n in z.files}
            for n in z.files:
                part = z[n]
                rows = len(part)
                if part.dtype.kind == "U":
                    add_text(sums[n], n, pa.array(part).cast(pa.large_string()))
                else:
                    add_numbers(sums[n], n, part)
    elif path.endswith(".root"):
        import uproot
        with uproot.open(path) as f:
            tree = next(v for k, v in f.items() if f.classname_of(k) == "TTree")
            rows, names = tree.num_entries, tree.keys()
            sums = {n: Sum() for n in names}
            for part in tree.iterate(step_size=STEP, library="np"):
                for n in names:
                    add_numbers(sums[n], n, part[n])
    else:
        names, batches = arrow_batches(path)
        sums = {n: Sum() for n in names}
        for batch in batches:
            rows += len(batch)
            for n, column in zip(names, batch.columns):
                add_arrow(sums[n], n, column, fill)
    return {"n_rows": rows, "columns": [[n, s.kind, str(s)] for n, s in sums.items()]}


if __name__ == "__main__":
    print(json.dumps(check(sys.argv[1], sys.argv[2:] == ["fill"])))
