"""Arrow IPC streams for the Go side: `exchange.py show` prints what a stream on standard input holds, `exchange.py make`
writes one to standard output."""

import json
import sys

import numpy as np
import pyarrow as pa


def show():
    table = pa.ipc.open_stream(sys.stdin.buffer).read_all()
    table.validate(full=True)
    columns = {}
    for name, column in zip(table.column_names, table.columns):
        text = pa.types.is_string(column.type) or pa.types.is_fixed_size_binary(column.type)
        if pa.types.is_temporal(column.type):
            # Python's own times have no nanoseconds and end in the year 9999.
            ints = column.combine_chunks().view(pa.int32() if pa.types.is_date32(column.type) else pa.int64())
            values = [None if v is None else str(v) for v in ints.to_pylist()]
        else:
            values = [None if v is None else repr(v) if text else str(v) for v in column.to_pylist()]
        columns[name] = [str(column.type), *values]
    json.dump({"rows": table.num_rows, "columns": columns}, sys.stdout)


def make():
    fields = {
        "i": pa.array([1, 2, 3, 4], pa.int16()),
        "f": pa.array(np.array([0.5, np.nan, -0.0, 1], "f2")),
        "b": pa.array([True, None, False, True]),
        "s": pa.array(["", "né日", None, "x"]),
        "l": pa.array(["", "ab", "c", "d"], pa.large_string()),
        "v": pa.array(["short", "longer than twelve bytes", None, ""], pa.string_view()),
        "y": pa.array([b"\x01", b"\x00\x02", b"", b"\xff"]),
        "w": pa.array([b"ab", b"cd", None, b"ef"], pa.binary(2)),
        "d": pa.array([0, 19000, None, -1], pa.date32()),
        "m": pa.array([0, 86400000, None, 1], pa.date64()),
        "t": pa.array(np.array(["2024-02-29T12:00", "NaT", "1969-12-31", "1970-01-01"], "M8[ns]")),
        "n": pa.array([1, None, -1, 0], pa.duration("us")),
        "c": pa.array(["red", "blue", None, "red"]).dictionary_encode(),
        "k": pa.array([5, 6, 5, 6], pa.int64()).dictionary_encode(),
        "z": pa.nulls(4),
        "o": pa.nulls(4, pa.int32()),
    }
    table = pa.table(fields)
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
        for begin, end in ((0, 4), (1, 3)):  # the second has arrays that begin inside their buffers
            out.write_batch(table.slice(begin, end - begin).to_batches()[0])


{"show": show, "make": make}[sys.argv[1]]()
