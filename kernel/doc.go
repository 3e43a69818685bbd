// Package kernel holds the loops over column memory: loads, gathers and compresses; arithmetic, comparisons, casts and
// mathematical functions; sums and extremes.
//
// # Basics
//
// A kernel works on rows of one or more columns of a known Go type: its caller has chosen the types once, for a whole run.
// Where a kernel takes slices of values, dst has a value for each row, and so has every operand, or one value, which is
// repeated: constants need no buffer. At least one operand has a value for each row, unless the kernel says otherwise.
//
// Predicates are bitmaps: bit i%64 of word i/64 is row i, and bits past the last row are zero on return. [Words] tells how
// many words a bitmap of n rows has.
//
// # Values
//
// Integers wrap. The result of arithmetic on a NaN is that NaN, quiet, and on two of them the first. A NaN that no operand was,
// as of an infinity less itself, is the one an x86-64 makes, with a sign and no payload. All results are the same bits on
// every platform.
//
// Strings are values of a fixed width whose trailing NULs do not count: bytes, or text, code points of four bytes each. Their
// sizes are in bytes, and unit is the bytes of a character, 1 or 4.
//
// # Levels
//
// A plain Go loop defines what a kernel does. It is always compiled; on amd64 most kernels have faster twins in assembly, for
// what the processor has: a [Level], found at start and lowered by the environment variable COLSTORE_KERNELS or by
// [SetLevel]. Results are the same bits at every level.
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
