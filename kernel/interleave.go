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
func Interleave(dst []byte, cols []colstore.Column) {
	width, widest := 0, 0
	for _, c := range cols {
		width += c.Type().Size()
		widest = max(widest, c.Type().Size())
	}
	if width == 0 {
		return
	}
	rows := len(dst) / width
	loaded := make([]byte, interleaveRows*widest)
	for row := 0; row < rows; row += interleaveRows {
		n := min(interleaveRows, rows-row)
		at := row * width
		for _, c := range cols {
			size := c.Type().Size()
			data, _, stride := c.Raw()
			part := colstore.RawColumn(c.Type(), n, stride, unsafe.Add(data, row*stride))
			if part.Type().BigEndian() {
				Load(loaded[:n*size], part)
				data, stride = unsafe.Pointer(unsafe.SliceData(loaded)), size
			} else {
				data, _, stride = part.Raw()
			}
			scatter(unsafe.Pointer(unsafe.SliceData(dst[at:])), data, n, size, stride, width)
			at += size
		}
	}
}

// scatter copies n values of size bytes that lie stride apart to places that lie width apart.
func scatter(dst, src unsafe.Pointer, n, size, stride, width int) {
	switch size {
	case 1:
		scatterAs[uint8](dst, src, n, stride, width)
	case 2:
		scatterAs[uint16](dst, src, n, stride, width)
	case 4:
		scatterAs[uint32](dst, src, n, stride, width)
	case 8:
		scatterAs[uint64](dst, src, n, stride, width)
	default:
		for i := range n {
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, i*width)), size), unsafe.Slice((*byte)(unsafe.Add(src, i*stride)), size))
		}
	}
}

func scatterAs[T uint8 | uint16 | uint32 | uint64](dst, src unsafe.Pointer, n, stride, width int) {
	for i := range n {
		*(*T)(unsafe.Add(dst, i*width)) = *(*T)(unsafe.Add(src, i*stride))
	}
}
