#!/usr/bin/env python3
"""Writes the input files of the benchmark: make.py KIND ROWS OUT [SOURCE...].

Every file appears under its name only when it is complete, so that a file that is there can be used again.

  flights          the SOURCE Parquet files, repeated until there are ROWS rows; nulls are kept
  flights-full     the same, nulls replaced by 0 and by empty text
  flights-numbers  the same without text columns
  flights-root     the same, times as numbers
  table            four float64 columns of noise (noise.py)
  wide             eight of them; wide-64 and wide-1024 have that many records, as .cstore
  text             words and two columns of numbers
  mixed            numbers, bools and words, as they are in files of text
  index            the numbers of a hundredth of ROWS rows, as int64

OUT ends in .csv or .json (a list of objects), .parquet (snappy for flights, uncompressed for the others), .arrow (record batches), .cstore (one record unless
the kind says otherwise), .root (zlib, a basket a branch) or .columns (a folder with a .npy file a column). Row groups and record batches hold 128 Ki rows.
"""
import os
import sys

from noise import GROUP, arrays, index, noise, views


def fill(table):
    """The table with its nulls replaced by what `--nulls fill` puts there."""
    import pyarrow as pa
    columns = []
    for name, column in zip(table.column_names, table.columns):
        if column.null_count:
            text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
            column = column.fill_null("" if text else 0)
        columns.append(column)
    return pa.table(columns, names=table.column_names)


def flights(kind, rows, sources):
    """The schema and the pieces of a table of flights."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    once = pa.concat_tables([pq.read_table(s) for s in sources])
    if kind != "flights":
        once = fill(once)
    if kind in ("flights-numbers", "flights-root"):
        once = once.select([f.name for f in once.schema if not pa.types.is_large_string(f.type)])
    if kind == "flights-root":
        once = once.cast(pa.schema([f.with_type(pa.int64()) if pa.types.is_timestamp(f.type) else f for f in once.schema]))
    many = pa.concat_tables([once] * max(1, -(-8 * GROUP // len(once)))).combine_chunks()

    def pieces():
        left, at = rows, 0
        while left:
            n = min(left, GROUP, len(many) - at)
            piece = many.slice(at, n)
            left, at = left - n, (at + n) % len(many)
            yield piece
    return once.schema, pieces()


def grouped(pieces, rows):
    """The same rows in tables of so many rows."""
    import pyarrow as pa
    held, count = [], 0
    for piece in pieces:
        while count + len(piece) >= rows:
            n = rows - count
            yield pa.concat_tables(held + [piece.slice(0, n)]).combine_chunks()
            held, count, piece = [], 0, piece.slice(n)
        if len(piece):
            held.append(piece)
            count += len(piece)
    if count:
        yield pa.concat_tables(held).combine_chunks()


def write_arrow(schema, pieces, path):
    import pyarrow as pa
    with pa.OSFile(path, "wb") as f, pa.ipc.new_file(f, views(schema.empty_table()).schema) as w:
        for piece in pieces:
            w.write_table(views(piece))


def write_cstore(pieces, path, compacted):
    import colstore
    with colstore.recreate(path) as w:
        for piece in pieces:
            w.write(arrays(piece))
    if compacted:
        colstore.compact(path, show_progress=False)


def write_parquet(schema, pieces, path, compression):
    import pyarrow as pa
    import pyarrow.parquet as pq
    text = [f.name for f in schema if not pa.types.is_floating(f.type)]
    with pq.ParquetWriter(path, schema, compression=compression,
                          use_dictionary=text if compression == "none" else True) as w:
        for piece in pieces:
            w.write_table(piece, row_group_size=GROUP)


def write_root(schema, pieces, path):
    import uproot
    with uproot.recreate(path, compression=uproot.ZLIB(1)) as f:
        tree = f.mktree("t", {name: column.dtype for name, column in arrays(schema.empty_table()).items()})
        for piece in pieces:
            tree.extend(arrays(piece))


def write_columns(rows, schema, pieces, path):
    import numpy as np
    os.makedirs(path, exist_ok=True)
    files = {name: np.lib.format.open_memmap(os.path.join(path, name + ".npy"), "w+", column.dtype, (rows,))
             for name, column in arrays(schema.empty_table()).items()}
    at = 0
    for piece in pieces:
        for name, column in arrays(piece).items():
            files[name][at:at + len(piece)] = column
        at += len(piece)


def write_csv(schema, pieces, path):
    import pyarrow.csv as pc
    with pc.CSVWriter(path, schema, write_options=pc.WriteOptions(quoting_style="needed")) as w:
        for piece in pieces:
            w.write_table(piece)


def write_json(pieces, path):
    import io

    import polars as pl
    with open(path, "wb") as f:
        before = b"["
        for piece in pieces:
            lines = io.BytesIO()
            pl.from_arrow(piece).write_ndjson(lines)
            f.write(before + lines.getvalue().rstrip().replace(b"}\n{", b"},\n{"))
            before = b",\n"
        f.write(b"]\n")


def main():
    kind, rows, out, *sources = sys.argv[1:]
    rows = int(rows)
    stem, extension = os.path.splitext(out)
    partial = stem + ".partial" + extension
    if kind == "index":
        index(rows).tofile(partial)
        os.replace(partial, out)
        return
    random, _, records = kind.partition("-")
    if random == "flights":
        schema, pieces = flights(kind, rows, sources)
    else:
        schema, pieces = noise(random, rows)
    each = GROUP if random == "flights" or not records else -(-rows // int(records))
    pieces = grouped(pieces, each)
    if extension == ".arrow":
        write_arrow(schema, pieces, partial)
    elif extension == ".cstore":
        write_cstore(pieces, partial, compacted=each == GROUP)
    elif extension == ".csv":
        write_csv(schema, pieces, partial)
    elif extension == ".json":
        write_json(pieces, partial)
    elif extension == ".root":
        write_root(schema, pieces, partial)
    elif extension == ".columns":
        write_columns(rows, schema, pieces, partial)
    else:
        write_parquet(schema, pieces, partial, "snappy" if random == "flights" else "none")
    os.replace(partial, out)


if __name__ == "__main__":
    main()
