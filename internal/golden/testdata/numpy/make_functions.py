"""Writes what NumPy 2.4 answers for functions of text and dates, `where` and casts: functions.gz.

    python make_functions.py

The first line is a table: `columns` gives for each column its dtype and values as base64, `cases` are [function, column
names or a dtype, dtype of the result or "refused"]; the values of the results follow, those of one case after those of
another. Columns are drawn from a seed, so the file is the same every time.
"""

import base64
import gzip
import json
import pathlib
import random
import warnings

import numpy as np

warnings.simplefilter("ignore")
HERE = pathlib.Path(__file__).parent
RNG = random.Random(7)
ROWS = 48
COLUMNS, CASES, BLOB = {}, [], []


def add(name, array):
    COLUMNS[name] = np.asarray(array)
    return name


def case(fn, args, compute):
    try:
        r = compute()
    except (TypeError, ValueError):
        CASES.append([fn, args, "refused"])
        return
    if r.dtype.kind == "f":
        r = r.copy()
        r[np.isnan(r)] = np.nan
    CASES.append([fn, args, r.dtype.str.lstrip("|<=")])
    BLOB.append(np.ascontiguousarray(r).tobytes())


def word(chars, width):
    return "".join(RNG.choice(chars) for _ in range(RNG.randint(0, width)))


def text_columns():
    few, many = "ab", " \t\nabAZz09\0_"
    wide = many + "éÀßŸжЖ日本ǅ𝒳\u00a0\u2003\u0085\x1f"
    wide = wide.replace("ß", "").replace("ǅ", "")  # letters that change their number of characters, or have three forms
    for width in (1, 3, 8, 17):
        for name, chars in (("few", few), ("many", many)):
            add(f"S{width} {name}", np.array([word(chars, width).encode() for _ in range(ROWS)], f"S{width}"))
        for name, chars in (("few", few), ("wide", wide)):
            add(f"U{width} {name}", np.array([word(chars, width) for _ in range(ROWS)], f"U{width}"))
    raw = [bytes(RNG.randrange(256) for _ in range(RNG.randint(0, 6))) for _ in range(ROWS)]
    add("S6 raw", np.array(raw, "S6"))


def text_cases():
    names = list(COLUMNS)
    for a in names:
        x = COLUMNS[a]
        for fn in ("lower", "upper", "strip", "lstrip", "rstrip"):
            # The result keeps the width here; NumPy's may be narrower.
            case(fn, [a], lambda fn=fn: getattr(np.strings, fn)(x).astype(x.dtype))
        case("length", [a], lambda: np.strings.str_len(x).astype("i8"))
        for b in names:
            y = COLUMNS[b]
            if x.dtype.kind != y.dtype.kind:
                continue
            for fn in ("startswith", "endswith"):
                case(fn, [a, b], lambda fn=fn: getattr(np.strings, fn)(x, y))
            case("find", [a, b], lambda: np.strings.find(x, y).astype("i8"))
            case("contains", [a, b], lambda: np.strings.find(x, y) >= 0)
            for fn in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
                case(fn, [a, b], lambda fn=fn: getattr(np, fn)(x, y))
            case("add", [a, b], lambda: np.strings.add(x, y))


def date_cases():
    spans = {"Y": 3000, "M": 40000, "W": 10**6, "D": 10**6, "h": 10**7, "m": 10**9, "s": 10**11, "ms": 10**14}
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"):
        limit = spans.get(unit, 2**63 - 1)
        ticks = [RNG.randint(-limit, limit) for _ in range(ROWS - 3)] + [0, -1, -(2**63)]
        d = np.array(ticks, "i8").view(f"M8[{unit}]")
        a = add(f"M8 {unit}", d)
        missing = np.isnat(d)

        def part(values):
            out = values.astype("f8")
            out[missing] = np.nan
            return out

        tiny = {"ps": 10**12, "fs": 10**15, "as": 10**18}.get(unit)  # NumPy has no conversion of these to days
        if tiny:
            whole = [t // tiny for t in ticks]
            day = np.where(missing, np.datetime64("NaT"), np.array([t // 86400 for t in whole], "i8").view("M8[D]"))
        else:
            day = d.astype("M8[D]")
        month, year = day.astype("M8[M]"), day.astype("M8[Y]")
        days = day.astype("i8")
        if unit in ("Y", "M", "W", "D"):
            second = np.zeros(ROWS, "i8")
        elif tiny:
            second = np.array([t % 86400 for t in whole])
        else:
            second = (d.astype("M8[s]").astype("i8") if unit != "h" and unit != "m" else d.astype("i8") * (3600 if unit == "h" else 60)) - days * 86400
        case("year", [a], lambda: part(year.astype("i8") + 1970))
        case("month", [a], lambda: part(month.astype("i8") % 12 + 1))
        case("day", [a], lambda: part(days - month.astype("M8[D]").astype("i8") + 1))
        case("dayofyear", [a], lambda: part(days - year.astype("M8[D]").astype("i8") + 1))
        case("weekday", [a], lambda: part((days + 3) % 7))
        case("hour", [a], lambda: part(second // 3600))
        case("minute", [a], lambda: part(second // 60 % 60))
        case("second", [a], lambda: part(second % 60))
        case("date", [a], lambda: day)


def numbers():
    """Columns of every dtype, with values that every cast among them takes without leaving the target's range."""
    small = np.array([0, 1, 2, 3, 100, 127, 5, 64])
    names = [add("b1", small % 2 == 1)]
    for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
        names.append(add(code, small.astype(code)))
    for unit in ("Y", "M", "W", "D", "h", "s", "ns"):
        ticks = np.array([0, 1, -1, 100, -7, 45, -(2**63), 13])
        names.append(add(f"date {unit}", ticks.view(f"M8[{unit}]")))
        names.append(add(f"span {unit}", ticks.view(f"m8[{unit}]")))
    add("cond", np.array([True, False, True, True, False, False, True, False]))
    for a in names:
        for b in names:
            x, y = COLUMNS[a], COLUMNS[b]
            case("where", ["cond", a, b], lambda: np.where(COLUMNS["cond"], x, y))
            if (x.dtype.kind == "f") + (y.dtype.kind == "f") + (x.dtype.kind in "mM") + (y.dtype.kind in "mM") < 2:
                case("astype", [a, y.dtype.str.lstrip("|<")], lambda: x.astype(y.dtype))
        for width in ("S", "U", "S2", "U3"):
            if COLUMNS[a].dtype.kind not in "mM" or width == "U":
                case("astype", [a, width], lambda: COLUMNS[a].astype(width))
    edge = add("wide i8", np.array([0, -1, 127, -128, 300, 2**31, -(2**63), 2**63 - 1], "i8"))
    floats = add("wide f8", np.array([0.5, -0.5, 1e300, -1e300, np.nan, np.inf, 1e-320, 65519.99], "f8"))
    for code in ("b1", "i1", "i2", "i4", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "S", "U"):
        case("astype", [edge, code], lambda: COLUMNS[edge].astype(code))
    for code in ("b1", "f2", "f4", "S", "U"):
        case("astype", [floats, code], lambda: COLUMNS[floats].astype(code))


def main():
    text_columns()
    text_cases()
    date_cases()
    numbers()
    doc = {
        "numpy": np.__version__,
        "columns": {k: [v.dtype.str.lstrip("|<"), base64.b64encode(v.tobytes()).decode()] for k, v in COLUMNS.items()},
        "cases": CASES,
    }
    with gzip.GzipFile(HERE / "functions.gz", "wb", 9, mtime=0) as f:
        f.write(json.dumps(doc, separators=(",", ":")).encode() + b"\n" + b"".join(BLOB))
    print(len(CASES), "cases,", (HERE / "functions.gz").stat().st_size, "bytes compressed")


main()
