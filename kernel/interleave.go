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
func Interleave(dst []byte, cols []colstore.Column) { interleave(dst, cols, false) }

// InterleavePast is [Interleave] past the caches where that can be, as of [Stream].
func InterleavePast(dst []byte, cols []colstore.Column) { interleave(dst, cols, true) }

func interleave(dst []byte, cols []colstore.Column, past bool) {
	width := 0
	for _, c := range cols {
		width += c.Type().Size()
	}
	if width == 0 || len(dst) < width {
		return
	}
	rows := len(dst) / width
	fields := make([]field, 0, len(cols))
	at := 0
	for _, c := range cols {
		data, has, stride := c.Raw()
		if has < rows {
			panic("kernel: a column has fewer rows than the records")
		}
		if size := c.Type().Size(); size > 0 {
			fields = append(fields, field{lane{data, stride}, lane{unsafe.Pointer(&dst[at]), width}, size, wordOf(c.Type())})
			at += size
		}
	}
	for row := packFast(dst, fields, width, rows, past); row < rows; row += interleaveRows {
		n := min(interleaveRows, rows-row)
		for left := fields; len(left) > 0; {
			together := zipped(left)
			done := zipFast(left[:together], row, n, false)
			if done < n {
				for _, f := range left[:together] {
					moveLane(f.record.from(row+done), f.column.from(row+done), n-done, f.size, f.word)
				}
			}
			left = left[together:]
		}
	}
}

// deinterleaveBytes is how much of the records stays in the first-level cache while all of their columns are loaded.
const deinterleaveBytes = 16 << 10

// Deinterleave is [Load] of several columns at once, a part of the rows after the other: columns that are fields of the same
// records are loaded in one pass over them.
//
//	for i, c := range cols {
//		Load(dst[i], c)
//	}
//
// Shapes: dst has a buffer for every column; the columns have the same number of rows.
// Memory: dst must not overlap the columns.
func Deinterleave(dst [][]byte, cols []colstore.Column) {
	if len(cols) == 0 {
		return
	}
	rows, farthest := cols[0].Rows(), 1
	fields := make([]field, 0, len(cols))
	for i, c := range cols {
		data, has, stride := c.Raw()
		if has < rows {
			panic("kernel: columns of different lengths")
		}
		if size := c.Type().Size(); size > 0 {
			to := dst[i][:rows*size]
			fields = append(fields, field{lane{unsafe.Pointer(unsafe.SliceData(to)), size}, lane{data, stride}, size, wordOf(c.Type())})
			farthest = max(farthest, stride, -stride)
		}
	}
	some := max(interleaveRows, deinterleaveBytes/farthest)
	for row := 0; row < rows; row += some {
		n := min(some, rows-row)
		for left := fields; len(left) > 0; {
			together := zipped(left)
			done := zipFast(left[:together], row, n, true)
			if done < n {
				for _, f := range left[:together] {
					moveLane(f.column.from(row+done), f.record.from(row+done), n-done, f.size, f.word)
				}
			}
			left = left[together:]
		}
	}
}

// A field is one column of records: where its values lie by themselves, and where in the records.
type field struct {
	column, record lane
	size, word     int
}

// zipped returns how many fields from the first on are moved at once: neighbours in the records of 4 or 8 bytes, in native
// byte order, whose columns are dense.
func zipped(fields []field) int {
	f := &fields[0]
	most := 1
	switch f.size {
	case 4:
		most = 4
	case 8:
		most = 2
	}
	n := 0
	for n < min(most, len(fields)) && fields[n].follows(f, n) {
		n++
	}
	return max(1, n&^1)
}

// follows reports whether a field may be moved with f, as the one that comes n fields after it.
func (f *field) follows(first *field, n int) bool {
	return f.size == first.size && f.word == 1 && f.column.step == f.size && f.record.step == first.record.step &&
		uintptr(f.record.data) == uintptr(first.record.data)+uintptr(n*f.size)
}
