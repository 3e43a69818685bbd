// Package diff compares two tables value by value.
//
// # Basics
//
// [Tables] reads two sources side by side, whatever their formats and however their rows lie in batches, and returns a
// [Report]: which columns only one has, how many rows differ in each of the others, by how much, and the first of them.
//
//	r, err := diff.Tables(ctx, before, after, &diff.Options{Tolerance: 1e-9})
//	if err == nil && !r.Equal() { … }
//
// Values are compared, not bytes. Numbers of any two dtypes are equal if they are the same number: an int64 is never
// rounded to be compared with a float64, true is 1, and -0.0 is 0.0. A NaN equals any NaN, a NaT any NaT. Strings are
// equal without their padding, whatever their widths; bytes and text are compared as UTF-8. Datetimes of two units are equal
// if they are the same instant, timedeltas if they last as long.
//
// Columns are compared by name: their order does not matter, and neither do dtypes that hold the same values, but both are
// told. Rows are compared by their place.
//
// # Memory
//
// A batch of each table, and buffers of 4,096 values a column.
package diff
