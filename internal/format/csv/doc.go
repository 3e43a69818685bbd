// Package csv reads and writes text tables: comma-separated values as RFC 4180 describes them, and tab-separated ones.
//
// # Basics
//
// [Descriptor] and [TSV] are two formats that differ in the delimiter they assume. A file has no dtypes, so a column's is
// either declared by whoever asks for it or found by reading every one of its cells: whole numbers, floats, true and
// false, else text as wide as its widest cell. Nothing is guessed from a sample.
//
// Reading therefore takes two passes, unless every column asked for is declared. The first pass also remembers where some
// of the rows begin, so that the second can start at any of them and several scans can run side by side.
//
// Both passes go block by block. A block is some whole rows: first the places where its cells end are found, for all
// columns at once (regular.go, and plain.go, which defines what is right), then each column is worked on alone, so that
// its dtype is looked at once and not for every cell.
//
// # Memory
//
// A scan holds one block of text and the places of its cells, a good half MiB, more only if a row is longer than that;
// the batch's columns come from the scan's allocator. A writer holds 256 KiB.
//
// # Caveats
//
// An empty cell is a missing value, quoted or not, and so is each spelling of the option "missing". It becomes NaN among
// numbers and "" among text; among true and false it makes the column text. A whole number beyond 2^53 beside a missing
// cell is refused rather than rounded.
//
// Numbers and true and false may have blanks around them; text keeps its blanks, and a cell that starts with a blank is
// not a quoted one.
//
// A file that is changed while it is read gives an error. One that changes without its size and time telling, and in
// such a way that every cell still fits, cannot be told from one that did not.
package csv
