"""Tables of random numbers and words, as pieces of GROUP rows.

A kind gives the same rows whatever the file they are written to. Words are a dictionary column: a format with text of a
fixed width (arrays) has them as column s of bytes and as column u of code points, the others as column s alone.
"""

GROUP = 128 * 1024  # rows a piece, a row group or a record batch

# Twenty words, alike enough that the first byte does not tell them apart. One in twenty rows is any of them.
WORDS = ["abc", "ab", "abcd", "abd", "abcdefgh", "a", "acb", "bac", "abcabc", "abca",
         "aabc", "abcc", "ABC", "abc1", "ab c", "bc", "cba", "abcdefg", "zyx", "abb"]


def table(rng, n):
    """Four columns: about half of a is above 0, c is never 0."""
    return {"a": rng.standard_normal(n), "b": rng.standard_normal(n) * 4, "c": rng.random(n) + 0.5,
            "d": rng.standard_normal(n)}


def wide(rng, n):
    """Seven columns of noise around different means, and a weight h between 0.5 and 1.5.

    The weights are multiples of 2**-26: a sum of fewer than 2**26 of them is exact in any order.
    """
    columns = {name: rng.standard_normal(n) * (1 + i / 4) + i + 1 for i, name in enumerate("abcdefg")}
    columns["h"] = rng.integers(1 << 25, 3 << 25, n) * 2.0**-26
    return columns


def text(rng, n):
    """Words, and two columns of numbers."""
    import pyarrow as pa
    words = pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, len(WORDS), n, "i1")), WORDS)
    return {"s": words, "x": rng.standard_normal(n), "y": rng.random(n)}


def mixed(rng, n):
    """What files of text mostly hold: whole numbers, noise, prices, true and false, words."""
    import numpy as np
    import pyarrow as pa
    return {"id": rng.integers(10**9, 2 * 10**9, n), "big": rng.integers(-10**15, 10**15, n),
            "kind": rng.integers(0, 32, n), "walk": rng.integers(-9, 9, n).cumsum(),
            "code": rng.integers(-3000, 3000, n), "tiny": rng.integers(-128, 128, n), "seen": rng.integers(0, 2**32, n),
            "x": rng.standard_normal(n), "y": rng.standard_normal(n) * 1000,
            "price": np.round(rng.random(n) * 100, 2), "step": rng.integers(1, 1000, n) / 8,
            "flag": rng.random(n) < 0.5,
            "word": pa.array(np.array(WORDS)[rng.integers(0, len(WORDS), n)]),
            "city": pa.array(np.array(["Lisboa", "Zürich", "Ōsaka", "Lahore"])[rng.integers(0, 4, n)])}


TEXT = {"word": "U8", "city": "U6"}  # the widths of text that is no dictionary
KINDS = {"table": table, "wide": wide, "text": text, "mixed": mixed}


def noise(kind, rows):
    """The schema and the pieces of a table."""
    import numpy as np
    import pyarrow as pa
    rng = np.random.default_rng(1)

    def pieces():
        left = rows
        while left:
            n = min(left, GROUP)
            left -= n
            yield pa.table(KINDS[kind](rng, n))
    return pa.table(KINDS[kind](np.random.default_rng(1), 0)).schema, pieces()


def index(rows):
    """A hundredth of the row numbers, each at most once, in no order."""
    import numpy as np
    return np.random.default_rng(2).choice(rows, max(1, rows // 100), replace=False).astype("<i8")


def arrays(piece):
    """The columns of a piece as NumPy arrays of fixed width."""
    import numpy as np
    import pyarrow as pa
    columns = {}
    for name, column in zip(piece.column_names, piece.columns):
        if pa.types.is_string(column.type):
            columns[name] = np.array(column.to_pylist(), TEXT.get(name, "U8"))
            continue
        if not pa.types.is_dictionary(column.type):
            columns[name] = column.to_numpy()
            continue
        words = column.combine_chunks()
        known = np.array(words.dictionary.to_pylist(), "U8")
        columns["s"] = known.astype("S8")[words.indices.to_numpy()]
        columns["u"] = known[words.indices.to_numpy()]
    return columns


def views(piece):
    """The piece with words as Arrow's string views, the layout that Polars computes with."""
    import pyarrow as pa
    for i, field in enumerate(piece.schema):
        if pa.types.is_dictionary(field.type):
            piece = piece.set_column(i, field.name, piece.column(i).cast(pa.string()).cast(pa.string_view()))
    return piece
