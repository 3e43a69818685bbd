// Package golden holds the fixtures: files written by the Python package colstore 0.5.1, damaged files, and what reading,
// querying and refusing them gives. testdata/README.md says how they are made. Only tests import it.
package golden
