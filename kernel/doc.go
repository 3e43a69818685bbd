// Package kernel holds the loops over column memory: loads, compresses, compares, arithmetic, casts, extremes.
//
// # Basics
//
// A kernel works on one chunk of one or more columns of a known Go type; who calls it has chosen the types once, for a
// whole run. An operand slice of length 1 is that value repeated, so that constants need no buffer. Predicates are
// bitmaps: bit i%64 of word i/64 is row i, and bits past the last row are zero on return.
//
// # Memory
//
// Kernels allocate no more than a table of their operands, and keep nothing. A destination may be the same memory as an
// operand of the same length and type, row for row; it must not overlap it in any other way. Alignment does not matter.
//
// # Caveats
//
// Preconditions on lengths are the caller's; a broken one panics. Reading mapped memory may fault: callers run under
// a fault guard.
package kernel
