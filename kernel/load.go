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
// Source: docs/format.md, "Records".
func Load(dst []byte, src colstore.Column) {
	t := src.Type()
	_, rows, stride := src.Raw()
	size := t.Size()
	if src.IsDense() {
		data, _ := src.Bytes()
		copy(dst, data)
	} else {
		switch size {
		case 1:
			loadStrided[uint8](dst, src, rows, stride)
		case 2:
			loadStrided[uint16](dst, src, rows, stride)
		case 4:
			loadStrided[uint32](dst, src, rows, stride)
		case 8:
			loadStrided[uint64](dst, src, rows, stride)
		default:
			for i := range rows {
				copy(dst[i*size:(i+1)*size], src.At(i))
			}
		}
	}
	if t.BigEndian() {
		word := size
		if t.Kind() == colstore.KindText {
			word = 4
		}
		Swap(dst[:rows*size], word)
	}
}

func loadStrided[T uint8 | uint16 | uint32 | uint64](dst []byte, src colstore.Column, rows, stride int) {
	data, _, _ := src.Raw()
	out := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(dst))), rows)
	for i := range out {
		out[i] = *(*T)(unsafe.Add(data, i*stride))
	}
}
