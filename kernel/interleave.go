package kernel

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// interleaveRows is how many records are filled a column at a time: more, and the strided stores of a power-of-two record
// width fall into the same cache sets.
const interleaveRows = 64

// Interleave writes the rows of columns as packed records: the values of row i back to back, without padding, in native
// byte order.
//
//	for i := range rows {
//		for _, c := range cols {
//			dst = append(dst, native(c.At(i))...)
//		}
//	}
//
// Shapes: the columns have the same number of rows; len(dst) = rows × the sum of their sizes.
// Memory: dst must not overlap the columns.
// Source: docs/decisions/0022-kernels.md.
func Interleave(dst []byte, cols []colstore.Column) {
	type field struct {
		from, to   lane
		size, word int
	}
	width := 0
	for _, c := range cols {
		width += c.Type().Size()
	}
	if width == 0 || len(dst) < width {
		return
	}
	fields := make([]field, 0, len(cols))
	at := 0
	for _, c := range cols {
		data, _, stride := c.Raw()
		if size := c.Type().Size(); size > 0 {
			fields = append(fields, field{lane{data, stride}, lane{unsafe.Pointer(&dst[at]), width}, size, wordOf(c.Type())})
			at += size
		}
	}
	rows := len(dst) / width
	for row := 0; row < rows; row += interleaveRows {
		n := min(interleaveRows, rows-row)
		for i := range fields {
			f := &fields[i]
			moveLane(f.to.from(row), f.from.from(row), n, f.size, f.word)
		}
	}
}

// deinterleaveBytes is how much of the records stays in the first-level cache while all of their columns are loaded.
const deinterleaveBytes = 16 << 10

// Deinterleave is [Load] of several columns at once, a part of the rows after the other: columns that are fields of the same
// records are loaded in one pass over them.
//
// Shapes: dst has a buffer for every column; the columns have the same number of rows.
// Memory: dst must not overlap the columns.
func Deinterleave(dst [][]byte, cols []colstore.Column) {
	if len(cols) == 0 {
		return
	}
	farthest := 1
	for _, c := range cols {
		farthest = max(farthest, c.Stride(), -c.Stride())
	}
	rows, some := cols[0].Rows(), max(interleaveRows, deinterleaveBytes/farthest)
	for row := 0; row < rows; row += some {
		n := min(some, rows-row)
		for i, c := range cols {
			size := c.Type().Size()
			data, _, stride := c.Raw()
			Load(dst[i][row*size:(row+n)*size], colstore.RawColumn(c.Type(), n, stride, unsafe.Add(data, row*stride)))
		}
	}
}
