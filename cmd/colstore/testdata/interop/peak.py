"""peak.py SOURCE DEST: converts with the Python package and prints the most memory that took, in KiB."""

import resource
import sys

import colstore

colstore.convert(sys.argv[1], sys.argv[2], overwrite=True, batch_size="8 MiB")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
