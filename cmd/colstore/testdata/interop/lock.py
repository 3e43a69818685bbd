"""lock.py hold FILE: locks a file as the package's writers do, prints "held", and keeps it until standard input ends.
lock.py try FILE: prints "free" if a writer could have it now, else "locked"."""

import sys

import colstore

try:
    with colstore.update(sys.argv[2]):
        print({"hold": "held", "try": "free"}[sys.argv[1]], flush=True)
        if sys.argv[1] == "hold":
            sys.stdin.read()
except OSError as e:
    print("locked" if "lock" in str(e).lower() else f"error: {e}", flush=True)
