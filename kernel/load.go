package kernel

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Load copies a column of any stride and byte order into dst, dense and in native byte order.
//
//	for i := range src.Rows() {
//		copy(dst[i*size:], native(src.At(i)))
//	}
//
// Shapes: len(dst) = rows × the dtype's size.
// Memory: dst may be the column's own memory if that is dense; it must not overlap it in any other way.
// Source: docs/format.md, "Records".
func Load(dst []byte, src colstore.Column) { load(dst, src, false) }

func load(dst []byte, src colstore.Column, past bool) {
	size := src.Type().Size()
	data, rows, stride := src.Raw()
	if src.IsDense() {
		stride = size
	}
	if size > 0 {
		dst = dst[:rows*size]
		to, from, done, word := unsafe.Pointer(unsafe.SliceData(dst)), lane{data, stride}, 0, wordOf(src.Type())
		if word == 1 {
			done = stepFast(to, from, rows, size, past)
		}
		moveLane(lane{to, size}.from(done), from.from(done), rows-done, size, word)
	}
}

// wordOf returns the bytes of the words of a dtype that are not in native byte order, or 1 if they are.
func wordOf(t colstore.DType) int {
	switch {
	case !t.BigEndian():
		return 1
	case t.Kind() == colstore.KindText:
		return 4
	default:
		return t.Size()
	}
}
