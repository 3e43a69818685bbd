#!/usr/bin/env python3
"""Writes points.gz: values of the mathematical functions in many digits, for TestMathAccuracy.

    pip install mpmath==1.3.0 && python make.py

A line "exp 1" begins a function of one argument. Each line behind it is the bits of the arguments and of the float64 nearest
to the value, in hexadecimal, and how much the value is above that one, in thousandths of a unit in its last place.
"""

import gzip
import math
import random
import struct

from mpmath import mp, mpf

mp.prec = 300
POINTS = 2100
random.seed(20)


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


def nearest(v):
    """The float64 nearest to v, and what is left in thousandths of its unit."""
    if v == 0:
        return 0.0, 0
    m, e = mp.frexp(v)
    unit = max(int(e) - 53, -1074)
    n = int(mp.nint(mp.ldexp(v, -unit)))
    try:
        y = math.ldexp(n, unit)
    except OverflowError:
        return math.copysign(math.inf, v), 0
    return y, int(mp.nint((mp.ldexp(v, -unit) - n) * 1000))


def any_bits():
    while True:
        x = from_bits(random.getrandbits(64))
        if math.isfinite(x):
            return x


def around(points):
    def draw():
        x = random.choice(points)
        for _ in range(random.randrange(4)):
            x = math.nextafter(x, random.choice((-math.inf, math.inf)))
        return x
    return draw


def uniform(lo, hi):
    return lambda: random.uniform(lo, hi)


def small(lo=-60, hi=1):
    return lambda: math.copysign(2.0 ** random.uniform(lo, hi), random.random() - 0.5)


def positive(f):
    return lambda: abs(f()) or 1.0


def within(f, lo, hi):
    def draw():
        while True:
            x = f()
            if lo <= x <= hi:
                return x
    return draw


def quadrants():
    """Next to a multiple of π/2."""
    return float(mp.pi / 2 * random.choice((random.randrange(1, 100), random.getrandbits(29), random.getrandbits(40), random.getrandbits(900)))) * random.choice((-1, 1))


# Nearest of all to a multiple of π/2, of a wide range of sizes (from continued fractions of 2^n·2/π).
HARD = [6381956970095103.0 * 2.0 ** 797, 5319372648326541.0 * 2.0 ** 55, 6411027962775774.0 * 2.0 ** -48, 5706674932067741.0 * 2.0 ** 5]
LOGS = [x * k for x in (1.0, 0.5, 2.0, math.sqrt(0.5), math.sqrt(2), math.sqrt(2) / 4) for k in (1.0,)]

trig = [uniform(-4, 4), uniform(-1000, 1000), uniform(-2.0 ** 30, 2.0 ** 30), small(), any_bits, quadrants, around(HARD + [2.0 ** 30])]
exps = [uniform(-1, 1), uniform(-20, 20), uniform(-745, 710), small(-70, 9), around([k * math.log(2) / 2 for k in range(-30, 30)] + [708.0, -708.0, 709.782712893384, -745.1, -708.4])]
logs = [uniform(0.5, 2), uniform(0, 100), positive(any_bits), around(LOGS), lambda: 1 + small(-52, -4)(), lambda: random.getrandbits(52) * 5e-324 or 1.0]
flat = [uniform(-1, 1), uniform(-5, 5), small(-70, 8), any_bits, around([0.41421356, 1.0, 2.41421356, 0.5, 22.0])]
ones = [uniform(-1, 1), small(-60, 0), around([0.5, -0.5]), lambda: math.copysign(1 - abs(small(-52, -1)()), random.random() - 0.5)]


def power_pair():
    kind = random.randrange(6)
    if kind == 0:
        return random.uniform(0, 100), random.uniform(-10, 10)
    if kind == 1:
        return random.uniform(-20, 20) or 1.0, float(random.randrange(-200, 200))
    if kind == 2:  # a result of any size
        x = abs(any_bits()) or 2.0
        while x == 1:
            x = any_bits()
        return x, float(random.uniform(-745, 709.7) / mp.log(x))
    if kind == 3:
        x = 1 + small(-40, -2)()
        return x, float(random.uniform(-745, 709.7) / mp.log(mpf(x)))
    if kind == 4:
        return random.uniform(0.5, 2), random.uniform(-700, 700)
    return abs(any_bits()) or 1.0, random.choice((0.5, 1.5, -0.5, 1 / 3, 3.0, 4.0, -2.0, 0.25))


def plane():
    kind = random.randrange(4)
    if kind == 0:
        return random.uniform(-5, 5), random.uniform(-5, 5)
    if kind == 1:
        x = any_bits() or 1.0
        return x * 2.0 ** random.uniform(-3, 0), x
    if kind == 2:
        return small(-70, 70)(), small(-70, 70)()
    return any_bits() or 1.0, any_bits() or 1.0


def above_zero():
    """Two numbers whose exponentials add up without a difference that cancels."""
    x = random.choice((random.uniform(0, 1), random.uniform(0, 50), random.uniform(0, 700)))
    return random.choice((x, 0.0)), x + random.choice((0.0, small(-50, 0)(), random.uniform(0, 40))) * (x > 1)


def of(f):
    return lambda x: f(mpf(x))


FUNCTIONS = {
    "exp": (of(mp.exp), exps),
    "exp2": (lambda x: mpf(2) ** mpf(x), [uniform(-1, 1), uniform(-1075, 1024), small(-70, 9), around([0.5, -0.5, 1021.0, -1021.0, 1024.0, -1022.0, -1074.0])]),
    "expm1": (of(mp.expm1), exps),
    "log": (of(mp.log), logs),
    "log2": (lambda x: mp.log(mpf(x)) / mp.log(2), logs),
    "log10": (lambda x: mp.log(mpf(x)) / mp.log(10), logs),
    "log1p": (lambda x: mp.log(1 + mpf(x)), [within(f, -1 + 2.0 ** -53, 2.0 ** 1023) for f in flat + [small(-53, -1), uniform(0, 1e6)]]),
    "sin": (of(mp.sin), trig),
    "cos": (of(mp.cos), trig),
    "tan": (of(mp.tan), trig),
    "tanh": (of(mp.tanh), flat),
    "sinh": (of(mp.sinh), exps),
    "cosh": (of(mp.cosh), exps),
    "arctan": (of(mp.atan), flat),
    "arcsin": (of(mp.asin), ones),
    "arccos": (of(mp.acos), ones),
    "cbrt": (lambda x: mp.sign(mpf(x)) * mp.cbrt(abs(mpf(x))), [any_bits, uniform(-10, 10), around([1.0, 8.0, 27.0]), small(-1070, -1000)]),
    "arctan2": (lambda y, x: mp.atan2(mpf(y), mpf(x)), [plane]),
    "hypot": (lambda y, x: mp.sqrt(mpf(y) ** 2 + mpf(x) ** 2), [plane]),
    "power": (lambda x, y: (-1 if x < 0 and y % 2 else 1) * abs(mpf(x)) ** mpf(y), [power_pair]),
    "arcsinh": (of(mp.asinh), flat),
    "arccosh": (of(mp.acosh), [within(f, 1, 2.0 ** 1023) for f in (uniform(1, 2), uniform(1, 100), positive(any_bits), lambda: 1 + abs(small(-52, 0)()), around([2.0, 2.0 ** 28]))]),
    "arctanh": (of(mp.atanh), [within(f, -1 + 2.0 ** -53, 1 - 2.0 ** -53) for f in ones]),
    "logaddexp": (lambda x, y: mp.log(mp.exp(mpf(x)) + mp.exp(mpf(y))), [above_zero]),
    "logaddexp2": (lambda x, y: mp.log(mpf(2) ** mpf(x) + mpf(2) ** mpf(y)) / mp.log(2), [above_zero]),
}


def main():
    lines = []
    for name, (f, draws) in FUNCTIONS.items():
        arity = 2 if name in ("arctan2", "hypot", "power", "logaddexp", "logaddexp2") else 1
        lines.append(f"{name} {arity}")
        for i in range(POINTS):
            x = draws[i % len(draws)]()
            x = x if arity == 2 else (x,)
            # Some functions of huge or tiny numbers are as near to a simple value as no precision shows.
            mp.prec = 1300 if name in ("sin", "cos", "tan", "expm1", "log1p", "arctan2", "arctan", "tanh", "sinh", "arcsin", "arcsinh", "arctanh") and max(abs(mp.frexp(mpf(v))[1]) for v in x) > 150 else 300
            y, rest = nearest(f(*x))
            lines.append(" ".join([f"{bits(v):x}" for v in x] + [f"{bits(y):x}", str(rest)]))
    with open("points.gz", "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as z:
        z.write("\n".join(lines).encode() + b"\n")


main()
