#!/usr/bin/env python3
"""Writes the input files of the benchmark: make.py KIND ROWS OUT [SOURCE...].

Every file appears under its name only when it is complete, so that a file that is there can be used again.

  flights          the SOURCE Parquet files, repeated until there are ROWS rows; nulls are kept
  flights-full     the same, nulls replaced by 0 and by empty text
  flights-numbers  the same without text columns
  table            four float64 columns a, b, c, d of noise: about half of a is above 0, c is never 0

OUT ends in .parquet (snappy for flights, uncompressed for table), .arrow (record batches) or .cstore. Row groups and
record batches hold 128 Ki rows.
"""
import os
import sys

GROUP = 128 * 1024  # rows a row group or record batch


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
    if kind == "flights-numbers":
        once = once.select([f.name for f in once.schema if not pa.types.is_large_string(f.type)])
    many = pa.concat_tables([once] * max(1, -(-8 * GROUP // len(once)))).combine_chunks()

    def pieces():
        left, at = rows, 0
        while left:
            n = min(left, GROUP, len(many) - at)
            piece = many.slice(at, n)
            left, at = left - n, (at + n) % len(many)
            yield piece
    return once.schema, pieces()


def noise(rows):
    """The schema and the pieces of a table of numbers."""
    import numpy as np
    import pyarrow as pa
    names = ["a", "b", "c", "d"]
    rng = np.random.default_rng(1)

    def pieces():
        left = rows
        while left:
            n = min(left, GROUP)
            left -= n
            yield pa.table([rng.standard_normal(n), rng.standard_normal(n) * 4, rng.random(n) + 0.5,
                            rng.standard_normal(n)], names=names)
    return pa.schema([(n, pa.float64()) for n in names]), pieces()


def grouped(pieces):
    """The same rows in tables of GROUP rows."""
    import pyarrow as pa
    held, count = [], 0
    for piece in pieces:
        while count + len(piece) >= GROUP:
            n = GROUP - count
            yield pa.concat_tables(held + [piece.slice(0, n)]).combine_chunks()
            held, count, piece = [], 0, piece.slice(n)
        if len(piece):
            held.append(piece)
            count += len(piece)
    if count:
        yield pa.concat_tables(held).combine_chunks()


def write(kind, schema, pieces, path):
    import pyarrow as pa
    if path.endswith(".arrow"):
        with pa.OSFile(path, "wb") as f, pa.ipc.new_file(f, schema) as w:
            for piece in pieces:
                w.write_table(piece)
    elif path.endswith(".cstore"):
        import colstore
        with colstore.recreate(path) as w:
            for piece in pieces:
                w.write({n: c.to_numpy() for n, c in zip(piece.column_names, piece.columns)})
        colstore.compact(path, show_progress=False)
    else:
        import pyarrow.parquet as pq
        with pq.ParquetWriter(path, schema, compression="none" if kind == "table" else "snappy",
                              use_dictionary=kind != "table") as w:
            for piece in pieces:
                w.write_table(piece, row_group_size=GROUP)


def main():
    kind, rows, out, *sources = sys.argv[1:]
    rows = int(rows)
    schema, pieces = noise(rows) if kind == "table" else flights(kind, rows, sources)
    stem, extension = os.path.splitext(out)
    partial = stem + ".partial" + extension
    write(kind, schema, grouped(pieces), partial)
    os.replace(partial, out)


if __name__ == "__main__":
    main()
