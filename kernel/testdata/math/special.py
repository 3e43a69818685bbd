#!/usr/bin/env python3
"""Writes special.txt: what NumPy 2.4 has for special arguments, for TestMathSpecialValues.

    pip install numpy==2.4.* && python special.py

A line is a function, the bits of its arguments and of the result, in hexadecimal.
"""

import numpy as np

ARGUMENTS = [0.0, 1.0, 0.5, 2.0, 3.0, 1.5, 1e308, 5e-324, 2.3e-308, 745.5, 1024.0, 2.0**53, 2.0**53 + 2, 1e300, np.inf, np.nan]
ARGUMENTS += [-x for x in ARGUMENTS[:-1]]
ONE = "exp exp2 expm1 log log2 log10 log1p sin cos tan tanh sinh cosh arctan arcsin arccos cbrt arcsinh arccosh arctanh".split()
TWO = "power arctan2 hypot logaddexp logaddexp2".split()


def bits(x):
    return f"{np.float64(x).view(np.uint64):x}"


def main():
    with np.errstate(all="ignore"), open("special.txt", "w") as out:
        for name in ONE:
            for x in ARGUMENTS:
                print(name, bits(x), bits(getattr(np, name)(np.array([x]))[0]), file=out)
        for name in TWO:
            for x in ARGUMENTS:
                for y in ARGUMENTS:
                    print(name, bits(x), bits(y), bits(getattr(np, name)(np.array([x]), np.array([y]))[0]), file=out)


main()
