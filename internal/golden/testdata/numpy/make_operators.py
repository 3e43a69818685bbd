"""Writes what NumPy 2.4 answers for every operator and function over every pair of dtypes: operators.gz.

    python make_operators.py

The result depends on nothing but NumPy's version. `values` gives for each dtype its test values as bytes, little-endian.
A case is [function, operands, result]: operands are dtypes or {"int": ...}, {"float": ...}, {"bool": ...} literals; the
function is computed over the product of their values, the first operand slowest. The result is "refused", "negative
power", or a dtype. The first line of the file is this table; the values of the results follow, those of one case after
those of another. NaNs are made the quiet one, and where the sign of a zero is the CPU's choice (maximum and the like)
zeros are positive.
"""

import base64
import gzip
import itertools
import json
import pathlib
import warnings

import numpy as np

warnings.simplefilter("ignore")
HERE = pathlib.Path(__file__).parent

SIGNED, UNSIGNED, FLOATS = ["i1", "i2", "i4", "i8"], ["u1", "u2", "u4", "u8"], ["f2", "f4", "f8"]
NUMBERS = ["b1", *SIGNED, *UNSIGNED, *FLOATS]
DATES = ["M8[Y]", "M8[M]", "M8[W]", "M8[D]", "M8[s]", "M8[ns]"]
SPANS = ["m8[Y]", "m8[M]", "m8[D]", "m8[s]", "m8[ns]"]
TYPES = NUMBERS + DATES + SPANS

NAT = np.iinfo("i8").min
BLOB = []


def values_of(code):
    kind = code[0]
    if kind == "b":
        return np.array([False, True])
    if kind in "Mm":
        ticks = [NAT, 0, 1, -1, 7, -7, 230] if kind == "m" else [NAT, 0, 1, -1, 53, -200]
        return np.array(ticks, "i8").view(code)
    if kind == "f":
        info = np.finfo(code)
        v = [0.0, -0.0, 1, -1, 0.1, -2.5, 3, np.nan, np.inf, -np.inf, info.max, -info.max, info.smallest_subnormal]
        return np.array(v, code)
    info = np.iinfo(code)
    v = [0, 1, 2, 3, 7, info.max, info.max - 1, info.max // 2 + 1]
    if kind == "i":
        v += [-1, -2, -7, info.min, info.min + 1]
    return np.array(v, code)


VALUES = {t: values_of(t) for t in TYPES}

# Exponents that a signed integer takes without an error.
NATURAL = {t: VALUES[t][VALUES[t] >= 0] for t in SIGNED}

EXACT = """add subtract multiply divide floor_divide remainder power less less_equal greater greater_equal equal not_equal
bitwise_and bitwise_or bitwise_xor maximum minimum fmax fmin logical_and logical_or logical_xor""".split()
MORE = """left_shift right_shift gcd lcm fmod float_power copysign nextafter hypot arctan2 heaviside logaddexp logaddexp2
ldexp""".split()
UNARY = """absolute negative positive invert sign square reciprocal sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan
arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg floor ceil trunc rint spacing fabs conjugate
isnan isinf isfinite isnat signbit logical_not bitwise_count""".split()
FREE_ZERO = {"maximum", "minimum", "fmax", "fmin"}

LITERALS = [0, 1, -1, 2, 300, -129, 2**31, 2**63, -(2**63), 0.1, -2.5, 1e39, True]


def literal(v):
    name = type(v).__name__
    return {name: str(v) if name == "int" else v}


def canonical(fn, a):
    a = np.ascontiguousarray(a)
    if a.dtype.kind == "f":
        a = a.copy()
        a[np.isnan(a)] = np.nan
        if fn in FREE_ZERO:
            a[a == 0] = 0
    return a


def result(fn, *args):
    try:
        r = getattr(np, fn)(*args)
    except ValueError as e:
        assert "negative" in str(e), (fn, e)
        return "negative power"
    except (TypeError, OverflowError):
        return "refused"
    r = canonical(fn, r)
    if r.dtype.kind in "OcSU":
        return "refused"
    BLOB.append(r.tobytes())
    return r.dtype.str.lstrip("<|=")


def pair(fn, a, b):
    x, y = VALUES[a], VALUES[b]
    if fn == "power" and b in NATURAL and a not in FLOATS:
        y = NATURAL[b]
    left, right = np.repeat(x, len(y)), np.tile(y, len(x))
    return [fn, [a, b], result(fn, left, right)]


def cases():
    for fn in EXACT:
        for a, b in itertools.product(TYPES, TYPES):
            if (a in DATES or b in DATES) and fn.startswith("logical"):
                continue  # a date has no truth here
            yield pair(fn, a, b)
    for fn in MORE:
        for a, b in itertools.product(NUMBERS, NUMBERS):
            yield pair(fn, a, b)
    for fn in EXACT[:-3]:
        for a in NUMBERS + SPANS:
            for v in LITERALS:
                yield [fn, [a, literal(v)], result(fn, VALUES[a], v)]
                yield [fn, [literal(v), a], result(fn, v, VALUES[a])]
    for fn in UNARY:
        for a in TYPES:
            if a in DATES and fn == "logical_not":
                continue
            yield [fn, [a], result(fn, VALUES[a])]


def main():
    doc = {
        "numpy": np.__version__,
        "values": {t: base64.b64encode(v.tobytes()).decode() for t, v in VALUES.items()},
        "cases": list(cases()),
    }
    text = json.dumps(doc, separators=(",", ":"))
    with gzip.GzipFile(HERE / "operators.gz", "wb", 9, mtime=0) as f:
        f.write(text.encode() + b"\n" + b"".join(BLOB))
    print(len(doc["cases"]), "cases,", len(text), "bytes,", (HERE / "operators.gz").stat().st_size, "compressed")


main()
