// Package json reads and writes tables as JSON: lists of objects and the other layouts that pandas calls orients, and files
// with an object a line.
//
// # Basics
//
// [Descriptor] and [Lines] are two formats; the second has one layout. Opening a file reads all of it once: which columns
// there are, what their values are, how long their text is, and where some of the rows begin. Nothing is guessed from a
// sample, and nothing is kept of the values. A scan reads the rows again, from any of those places, so that several can run
// side by side.
//
// A dtype is that of all values of a column: whole numbers, numbers, true and false, or text. A value that is no such thing
// (a list, an object, a number among texts) makes the column one that cannot be read, which is an error only when the
// column is asked for.
//
// Scans go block by block: first the places where values lie are found, for all columns at once, then each column is
// decoded alone. A file that lies by columns is read at as many places at once as there are columns.
//
// # Memory
//
// A scan holds a window of 256 KiB of text, more only if a row is longer than that, and the places of 32 Ki values; where
// the file lies by columns, a smaller window for each. A writer holds 512 KiB; one that writes by columns collects the
// rows in a hidden file beside the target first.
//
// # Caveats
//
// A key that is missing is a null. Of a key that is there twice in a row the later one counts. Where a file lies by
// columns, the labels of their rows must be the same in the same order; that they are not there twice is not checked.
//
// A file that is changed while it is read gives an error if its size or time tells.
package json
