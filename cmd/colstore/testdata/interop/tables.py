"""The tables that the interoperability tests exchange: every dtype, and the values that go wrong first."""

import numpy as np

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
PARQUET_UNITS = ["D", "s", "ms", "us", "ns"]


def integers(code, rows, rng):
    info = np.iinfo(code)
    values = rng.integers(info.min, info.max, rows, dtype=code, endpoint=True)
    values[: min(rows, 3)] = [info.min, info.max, 0][:rows]
    return values


def floats(code, rows, rng):
    values = (rng.standard_normal(rows) * 10.0 ** rng.integers(-4, 4, rows)).astype(code)
    info = np.finfo(code)
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, info.max, info.tiny, info.smallest_subnormal]
    values[: min(rows, len(special))] = special[:rows]
    return values


def ticks(code, rows, rng, bound=2**40):
    values = rng.integers(-bound, bound, rows).astype("i8")
    values[::7] = np.iinfo("i8").min  # NaT
    return values.view(code)


def text(rows, rng, width=6):
    alphabet = np.array(list("abcXYZ09 ,\"'\n\t") + ["é", "ß", "日", "\U0001f600"])
    return np.array(["".join(rng.choice(alphabet, rng.integers(0, width + 1))) for _ in range(rows)], f"U{width}")


def octets(rows, rng, width=5):
    return np.array([rng.bytes(int(rng.integers(0, width + 1))) for _ in range(rows)], f"S{width}")


def numbers(rows, seed):
    rng = np.random.default_rng(seed)
    columns = {"b1": rng.integers(0, 2, rows).astype(bool)}
    columns |= {c: integers(c, rows, rng) for c in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]}
    columns |= {c: floats(c, rows, rng) for c in ["f2", "f4", "f8"]}
    return columns


def everything(rows, seed=1):
    """Every dtype a .cstore file can have."""
    rng = np.random.default_rng(seed + 1000)
    columns = numbers(rows, seed)
    columns |= {"S5": octets(rows, rng), "U6": text(rows, rng)}
    columns |= {f"M_{u}": ticks(f"M8[{u}]", rows, rng) for u in UNITS}
    columns |= {f"m_{u}": ticks(f"m8[{u}]", rows, rng) for u in UNITS}
    return columns


def exportable(rows, seed=2):
    """The dtypes that Parquet has a type for."""
    rng = np.random.default_rng(seed + 1000)
    columns = numbers(rows, seed)
    full = [rng.integers(1, 256, 5).astype("u1").tobytes() for _ in range(rows)]  # no NUL at an end that NumPy would cut
    columns |= {"S5": np.array(full, "S5"), "U6": text(rows, rng)}
    columns |= {f"M_{u}": ticks(f"M8[{u}]", rows, rng, 2**15 if u == "D" else 2**40) for u in PARQUET_UNITS}
    columns |= {f"m_{u}": ticks(f"m8[{u}]", rows, rng) for u in PARQUET_UNITS if u != "D"}
    return columns


def spelled(rows, seed=5):
    """Every dtype, with values that words can carry: text without NUL, times between the years 1678 and 2262."""
    rng = np.random.default_rng(seed + 1000)
    columns = numbers(rows, seed)
    letters = rng.choice(np.array(list("abcdefgh")), (rows, 5))
    columns |= {"S5": np.array(["".join(r[: i % 6]) for i, r in enumerate(letters)], "S5"), "U6": text(rows, rng)}
    for i, u in enumerate(UNITS):
        coarse = {"Y": 250, "M": 3000, "W": 10_000, "D": 90_000, "h": 2_000_000, "m": 100_000_000}
        bound = coarse[u] if u in coarse else min(2**62, 2**33 * 1000 ** (i - UNITS.index("s")))
        columns[f"M_{u}"] = ticks(f"M8[{u}]", rows, rng, bound)
        columns[f"m_{u}"] = ticks(f"m8[{u}]", rows, rng, bound)
    return columns


def words(a):
    """What Python spells the values of a column as; a NaT is empty."""
    if a.dtype.kind == "M":
        return ["" if np.isnat(v) else str(v) for v in a]
    if a.dtype.kind == "m":
        return ["" if np.isnat(v) else int(v.astype("i8")) for v in a]
    if a.dtype.kind == "S":
        return [v.decode() for v in a.tolist()]
    if a.dtype.kind == "f":
        return [float(v) for v in a]
    return a.tolist()


def values(words, dtype):
    """The column that a list of words, or of the values of JSON, spells; what is empty or None is NaT or NaN."""
    if dtype.kind == "b":
        return np.array([w in (True, "true") for w in words])
    if dtype.kind in "iu":
        return np.array([int(w) for w in words], dtype)
    if dtype.kind == "f":
        return np.array([np.nan if w is None else float(w) for w in words]).astype(dtype)
    if dtype.kind == "M":
        return np.array(["NaT" if w in ("", None) else w for w in words], dtype)
    if dtype.kind == "m":
        return np.array([np.iinfo("i8").min if w in ("", None) else int(w) for w in words], "i8").view(dtype)
    return np.array([w.encode() if dtype.kind == "S" else w for w in words], dtype)


def cells(rows, seed=3):
    """What CSV can carry without a word on dtypes."""
    rng = np.random.default_rng(seed)
    return {
        "i": rng.integers(-(2**62), 2**62, rows),
        "u": rng.integers(2**63, 2**64, rows, dtype="u8"),
        "x": rng.standard_normal(rows) * 10.0 ** rng.integers(-300, 300, rows),
        "b": rng.integers(0, 2, rows).astype(bool),
        "t": np.char.add("x", np.char.replace(text(rows, rng), "\n", "\r\n")),
    }


def events(rows, seed=4):
    """Few distinct values, so that predicates find something and comparisons find ties."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(rows).round(1)
    x[::11] = np.nan
    when = np.datetime64("2024-01-01T00:00:00") + rng.integers(0, 86400, rows).astype("m8[s]")
    when[::13] = "NaT"
    return {
        "row": np.arange(rows, dtype="i8"),
        "i": rng.integers(-50, 50, rows).astype("i4"),
        "k": rng.integers(-100, 100, rows).astype("i1"),
        "u": rng.integers(0, 200, rows).astype("u1"),
        "x": x,
        "y": rng.integers(-20, 20, rows).astype("f4") / 10,
        "b": rng.integers(0, 2, rows).astype(bool),
        "s": rng.choice(np.array([b"SR", b"CR1", b"CR2", b""], "S3"), rows),
        "t": rng.choice(np.array(["signal", "ttbar", "größe", ""], "U6"), rows),
        "when": when,
        "w": rng.integers(1, 9, rows).astype("f8") / 4,  # sums of these are exact
    }


def same(name, got, want):
    """Fails unless two columns are equal in dtype and in bits, of which those of a NaN do not matter."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype:
        raise SystemExit(f"{name}: dtype {got.dtype}, want {want.dtype}")
    if got.shape != want.shape:
        raise SystemExit(f"{name}: {got.shape} rows, want {want.shape}")
    equal = got == want
    if want.dtype.kind == "f":
        equal = (equal & (np.signbit(got) == np.signbit(want))) | (np.isnan(got) & np.isnan(want))
    elif want.dtype.kind in "Mm":
        equal = got.view("i8") == want.view("i8")
    if not equal.all():
        row = int(np.flatnonzero(~equal)[0])
        raise SystemExit(f"{name}: row {row} is {got[row]!r}, want {want[row]!r}")


def same_table(name, got, want):
    """same for all columns, which must have the same names in the same order."""
    if list(got) != list(want):
        raise SystemExit(f"{name}: columns {list(got)}, want {list(want)}")
    for c in want:
        same(f"{name}: {c}", got[c], want[c])
