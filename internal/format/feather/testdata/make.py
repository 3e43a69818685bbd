"""Makes the files beside it, with pyarrow 26: what fixtures of one writer's defaults leave out."""
import pyarrow as pa
import pyarrow.ipc as ipc


def write(path, batches, stream=False, **options):
    opt = ipc.IpcWriteOptions(**options)
    new = ipc.new_stream if stream else ipc.new_file
    with new(path, batches[0].schema, options=opt) as w:
        for b in batches:
            w.write_batch(b)


def batch(**columns):
    return pa.record_batch(columns)


d = lambda values, indices, **k: pa.DictionaryArray.from_arrays(pa.array(indices, **k), values)

# A stream may replace a dictionary; later batches refer to the new one.
write("replaced.arrows", [
    batch(d=d(pa.array(["a", "bb"]), [0, 1, 0])),
    batch(d=d(pa.array(["ccc", "d"]), [1, 0, None])),
], stream=True)

# Dictionaries that grow, of every layout.
grown = []
for n in (2, 3):
    at = [n - 1, 0, None, n - 1]
    grown.append(batch(
        i=d(pa.array([7, 8, 9][:n], pa.int16()), at, type=pa.int8()),
        f=d(pa.array([1.5, None, 2.5][:n]), at, type=pa.uint16()),
        s=d(pa.array(["x", "", "yz"][:n], pa.large_utf8()), at, type=pa.int64()),
        b=d(pa.array([False, True, None][:n]), at, type=pa.uint8()),
        v=d(pa.array(["short", "longer than twelve bytes", None][:n], pa.string_view()), at, type=pa.int32()),
    ))
write("grown.arrow", grown, emit_dictionary_deltas=True)

# Messages as they were before Arrow 0.15.
write("legacy.arrow", [batch(a=pa.array([1, 2, None], pa.int32()), s=pa.array(["x", None, "é"]))],
      metadata_version=ipc.MetadataVersion.V4, use_legacy_format=True)

# Buffers that do not get smaller are stored in a compressed body.
write("mixed.arrow", [batch(a=pa.array(range(300), pa.int64()), r=pa.array([(i * 7919) % 251 for i in range(300)], pa.uint8()))],
      compression="zstd", min_space_savings=0.5) if hasattr(ipc.IpcWriteOptions, "min_space_savings") else write(
      "mixed.arrow", [batch(a=pa.array(range(300), pa.int64()), r=pa.array([(i * 7919) % 251 for i in range(300)], pa.uint8()))], compression="zstd")

# Columns after nested ones: their buffers are found behind all parts.
nested = batch(
    l=pa.array([[1], None, [2, 3]]),
    st=pa.array([{"a": 1, "b": ["x"]}, None, {"a": 2, "b": []}]),
    m=pa.array([[("k", 1)], [], None], pa.map_(pa.utf8(), pa.int32())),
    fl=pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)),
    u=pa.UnionArray.from_dense(pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, 2]), pa.array(["x"])]),
    us=pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["x", "y", "z"])]),
    re=pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array([1])),
    lv=pa.array([[1], None, [2, 3]], pa.list_view(pa.int64())),
    n=pa.nulls(3),
    lsv=pa.array([["one that is longer than twelve"], [], None], pa.list_(pa.string_view())),
    v=pa.array(["a view that is longer than twelve", None, "short"], pa.string_view()),
    x=pa.array([1.5, 2.5, 3.5]),
)
write("nested.arrow", [nested])
write("nested_lz4.arrow", [nested], compression="lz4")

# A slice whose bitmap and offsets do not begin at 0.
long = batch(a=pa.array([None if i % 7 == 3 else i for i in range(100)], pa.int32()), s=pa.array([None if i % 5 == 2 else "v" * (i % 11) for i in range(100)]))
write("sliced.arrow", [long.slice(3, 40), long.slice(41, 1), long.slice(50, 50)])

# List views whose values lie in another order than their rows.
write("disordered.arrow", [batch(v=pa.ListViewArray.from_arrays(pa.array([2, 0], pa.int32()), pa.array([1, 2], pa.int32()), pa.array([1, 2, 3], pa.int64())))])
