"""Makes the files beside it, which have lists, arrays and structures, and expected.json: what their columns become.

pyarrow 26, polars 2.1, duckdb 2.0. The expectation is computed here from the values, not by a reader of the files.
"""
import datetime as dt
import hashlib
import json
import random

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

rnd = random.Random(7)
ROWS = 61


def lists(value, longest, null_row=0.0, null_value=0.0, empty=0.25):
    out = []
    for _ in range(ROWS):
        if rnd.random() < null_row:
            out.append(None)
        elif rnd.random() < empty:
            out.append([])
        else:
            out.append([None if rnd.random() < null_value else value() for _ in range(rnd.randint(1, longest))])
    return out


num = lambda: rnd.randint(-100, 100)
word = lambda: rnd.choice(["", "a", "é", "𝄞x", "longer than twelve bytes", "mid"])
flt = lambda: round(rnd.uniform(-5, 5), 3)
day = lambda: dt.date(2020, 1, 1) + dt.timedelta(days=rnd.randint(0, 3000))
stamp = lambda: dt.datetime(2020, 1, 1) + dt.timedelta(microseconds=rnd.randint(0, 10**15))

# name, numpy dtype, Arrow type of a value, rows, length of an array
PLAIN = [
    ("li", "<i4", pa.int32(), lists(num, 4), 0),
    ("lf", "<f8", pa.float64(), lists(flt, 3), 0),
    ("ls", "U", pa.utf8(), lists(word, 5), 0),
    ("lb", "S", pa.binary(), lists(lambda: word().encode(), 2), 0),
    ("lt", "<M8[us]", pa.timestamp("us"), lists(stamp, 2), 0),
    ("ld", "<M8[D]", pa.date32(), lists(day, 2), 0),
    ("lo", "|b1", pa.bool_(), lists(lambda: rnd.random() < 0.5, 9), 0),
    ("lu", "<u8", pa.uint64(), lists(lambda: rnd.randint(0, 2**64 - 1), 2), 0),
    ("l8", "|i1", pa.int8(), lists(num, 3), 0),
    ("lh", "<u2", pa.uint16(), lists(lambda: abs(num()), 3), 0),
    ("empty", "<i4", pa.int32(), [[] for _ in range(ROWS)], 0),
    ("arr", "<f4", pa.float32(), [[float(i), float(-i), 0.5] for i in range(ROWS)], 3),
]
NULLS = [
    ("li", "<i4", pa.int32(), lists(num, 4, 0.2, 0.3), 0),
    ("lf", "<f8", pa.float64(), lists(flt, 3, 0.2, 0.0), 0),
    ("ls", "U", pa.utf8(), lists(word, 3, 0.0, 0.4), 0),
    ("lo", "|b1", pa.bool_(), lists(lambda: rnd.random() < 0.5, 9, 0.2, 0.2), 0),
    ("lt", "<M8[us]", pa.timestamp("us"), lists(stamp, 2, 0.3, 0.3), 0),
    ("z", "<f8", pa.null(), lists(lambda: None, 2, 0.3, 1), 0),
    ("arr", "<i2", pa.int16(), [None if i % 5 == 0 else [None if i % 3 == 0 else i, -i] for i in range(ROWS)], 2),
]
STRUCT = [
    {"a": i, "b": {"s": word(), "l": [num() for _ in range(i % 4)]}, "f": flt()} for i in range(ROWS)
]
STRUCT_NULLS = [
    None if i % 7 == 0 else {
        "a": None if i % 5 == 0 else i,
        "b": None if i % 4 == 1 else {"s": None if i % 3 == 0 else word(), "l": None if i % 6 == 5 else [None if i % 8 == 2 else num() for _ in range(i % 4)]},
        "f": flt(),
    } for i in range(ROWS)
]
STRUCT_TYPE = pa.struct([("a", pa.int64()), ("b", pa.struct([("s", pa.utf8()), ("l", pa.list_(pa.int16()))])), ("f", pa.float32())])


def get(row, *path):
    for p in path:
        if row is None:
            return None
        row = row[p]
    return row


def fields(columns, struct, arrays):
    """The columns as (name, dtype, rows, kind), kind being None, "list" or the length of an array."""
    out = [("id", "<i8", list(range(ROWS)), None)]
    for name, dtype, _, rows, length in columns:
        out.append((name, dtype, rows, length if arrays and length else "list"))
    out.append(("st.a", "<i8", [get(r, "a") for r in struct], None))
    out.append(("st.b.s", "U", [get(r, "b", "s") for r in struct], None))
    out.append(("st.b.l", "<i2", [get(r, "b", "l") for r in struct], "list"))
    out.append(("st.f", "<f4", [get(r, "f") for r in struct], None))
    out.append(("last", "<i4", [7 * i for i in range(ROWS)], None))
    return out


def array(dtype, values):
    kind = np.dtype(dtype).kind
    if kind in "US":
        width = max([1] + [len(v) for v in values if v is not None])
        return np.array([("" if kind == "U" else b"") if v is None else v for v in values], f"{'<' if kind == 'U' else '|'}{kind}{width}")
    if kind in "Mm":
        return np.array(values, dtype)
    missing = np.nan if kind == "f" else 0
    return np.array([missing if v is None else v for v in values], dtype)


def unfold(table, mode, nulls):
    """The columns of a table as (name, array)."""
    out = []

    def add(name, values, like, is_null, masked):
        out.append((name, values))
        if nulls == "mask" and masked:
            out.append((name + "_valid", np.array([not n for n in is_null])))

    for name, dtype, rows, kind in table:
        if kind is None:
            null = [r is None for r in rows]
            add(name, array(dtype, rows), None, null, any(null))
            continue
        longest = max(len(r or []) for r in rows)
        n = kind if kind != "list" else longest if mode == "explode" else int(mode[4:])
        any_null = any(r is None or any(v is None for v in r) for r in rows)
        if dtype == "<f8" and all(v is None for r in rows for v in r or []):
            any_null = True
        cell = lambda r, i: r[i] if r is not None and i < len(r) else None
        width = array(dtype, [v for r in rows for v in (r or [])[:n]]).dtype
        for i in range(n):
            values = array(dtype, [cell(r, i) for r in rows])
            if width.kind in "US":
                values = values.astype(width)
            add(f"{name}_{i}", values, None, [r is None or i < len(r) and r[i] is None for r in rows], any_null)
        if kind == "list":
            null = [r is None for r in rows]
            add(name + "_n", np.array([len(r or []) for r in rows], "<i8"), None, null, any(null))
    return out


def describe(columns):
    return [{"name": n, "dtype": v.dtype.str, "sha256": hashlib.sha256(v.tobytes()).hexdigest(), "head": [str(x) for x in v[:3]]} for n, v in columns]


def arrow(columns, struct, lists_as=pa.list_, arrays=True):
    data, names = [pa.array(range(ROWS))], ["id"]
    for name, _, typ, rows, length in columns:
        data.append(pa.array(rows, pa.list_(typ, length) if length and arrays else lists_as(typ)))
        names.append(name)
    data.append(pa.array(struct, STRUCT_TYPE))
    data.append(pa.array([7 * i for i in range(ROWS)], pa.int32()))
    return pa.table(data, names + ["st", "last"])


FILES, TABLES = [], {}


def table(name, columns, struct, nulls, arrays):
    f = fields(columns, struct, arrays)
    TABLES[name] = {f"{mode} {n}": describe(unfold(f, mode, n)) for mode in ("explode", "pad=2", "pad=7") for n in nulls}


for arrays in (True, False):
    suffix = "" if arrays else "_lists"
    table("plain" + suffix, PLAIN, STRUCT, ["error", "mask"], arrays)
    table("nulls" + suffix, NULLS, STRUCT_NULLS, ["fill", "mask"], arrays)


def feather(path, t, name, rows=ROWS, stream=False, slices=False, **options):
    """Slices keep the offsets of their lists: the first row's values are not the first ones."""
    batches = t.combine_chunks().to_batches(max_chunksize=rows)
    if slices:
        padded = pa.concat_tables([t, t.slice(3, 9)]).combine_chunks().to_batches()[0]
        batches = [padded.slice(a, min(rows, ROWS - a)) for a in range(0, ROWS, rows)]
    with (ipc.new_stream if stream else ipc.new_file)(path, t.schema, options=ipc.IpcWriteOptions(**options)) as w:
        for b in batches:
            w.write_batch(b)
    FILES.append({"file": path, "format": "feather", "table": name})


for name, columns, struct in (("plain", PLAIN, STRUCT), ("nulls", NULLS, STRUCT_NULLS)):
    t = arrow(columns, struct)
    feather(f"{name}.arrow", t, name, compression="lz4")
    feather(f"{name}_batches.arrow", t, name, rows=7)
    feather(f"{name}_slices.arrows", t, name, rows=11, stream=True, slices=True, compression="zstd")
    feather(f"{name}_view.arrow", arrow(columns, struct, pa.list_view), name, rows=9)
    feather(f"{name}_large_view.arrow", arrow(columns, struct, pa.large_list_view), name, compression="lz4")
    feather(f"{name}_large.arrow", arrow(columns, struct, pa.large_list), name, rows=20)

    flat = name + "_lists"
    for variant, options in {
        "default": {},
        "v2": {"data_page_version": "2.0", "compression": "zstd", "use_dictionary": False},
        "pages": {"data_page_size": 8, "write_batch_size": 3, "row_group_size": 17, "use_dictionary": ["ls.list.element"], "compression": "none"},
        "pages_v2": {"data_page_size": 8, "write_batch_size": 2, "row_group_size": 40, "data_page_version": "2.0", "compression": "gzip"},
        "old": {"use_compliant_nested_type": False, "version": "1.0", "row_group_size": 23, "use_deprecated_int96_timestamps": False},
        "delta": {"use_dictionary": False, "column_encoding": {"li.list.element": "DELTA_BINARY_PACKED", "ls.list.element": "DELTA_BYTE_ARRAY", "lf.list.element": "BYTE_STREAM_SPLIT"}},
    }.items():
        path = f"{name}_{variant}.parquet"
        pq.write_table(t, path, **options)
        FILES.append({"file": path, "format": "parquet", "table": flat})

    # polars and duckdb have no list of nulls of their own, and no arrays in Parquet.
    less = t.drop_columns(["z"]) if "z" in t.column_names else t
    less = less.set_column(less.column_names.index("arr"), "arr", less["arr"].cast(pa.list_(less["arr"].type.value_type)))
    columns = [c for c in columns if c[0] != "z"]
    table(name + "_less", columns, struct, ["error", "mask"] if name == "plain" else ["fill", "mask"], False)
    pl.from_arrow(less).write_parquet(f"{name}_polars.parquet", compression="snappy", row_group_size=30)
    FILES.append({"file": f"{name}_polars.parquet", "format": "parquet", "table": name + "_less"})
    pl.from_arrow(less).write_ipc(f"{name}_polars.arrow", compression="zstd", compat_level=pl.CompatLevel.oldest())
    FILES.append({"file": f"{name}_polars.arrow", "format": "feather", "table": name + "_less"})
    pl.from_arrow(less).write_ipc(f"{name}_polars_views.arrow")
    FILES.append({"file": f"{name}_polars_views.arrow", "format": "feather", "table": name + "_less"})
    duckdb.sql(f"COPY less TO '{name}_duckdb.parquet' (ROW_GROUP_SIZE 2048)")
    FILES.append({"file": f"{name}_duckdb.parquet", "format": "parquet", "table": name + "_less"})

dump = lambda v: json.dumps(v, ensure_ascii=False, separators=(",", ":"))
with open("expected.json", "w") as f:
    f.write('{"files":[\n' + ",\n".join(map(dump, FILES)) + '\n],"tables":{\n')
    f.write(",\n".join(f"{dump(n)}:{{\n" + ",\n".join(f"{dump(k)}:[\n" + ",\n".join(map(dump, c)) + "]" for k, c in t.items()) + "}" for n, t in TABLES.items()))
    f.write("}}\n")
