package root

import (
	"encoding/binary"

	"github.com/colstore/colstore-go"
)

// swap copies big-endian values of dtype t to dst in native byte order. A byte of a bool that is not 0 becomes 1.
//
//	for i := range len(dst) / size {
//		dst[i*size:(i+1)*size] = native(src[i*size:(i+1)*size])
//	}
//
// Shapes: len(src) == len(dst), a multiple of the dtype's size.
// Memory: dst must not overlap src.
func swap(dst, src []byte, t colstore.DType) {
	if t == colstore.Bool {
		for i, v := range src[:len(dst)] {
			dst[i] = truth(v)
		}
		return
	}
	switch t.Size() {
	case 1:
		copy(dst, src)
	case 2:
		for ; len(dst) >= 8 && len(src) >= 8; dst, src = dst[8:], src[8:] {
			swap2(dst, src)
			swap2(dst[2:8], src[2:8])
			swap2(dst[4:8], src[4:8])
			swap2(dst[6:8], src[6:8])
		}
		for ; len(dst) >= 2 && len(src) >= 2; dst, src = dst[2:], src[2:] {
			swap2(dst, src)
		}
	case 4:
		for ; len(dst) >= 16 && len(src) >= 16; dst, src = dst[16:], src[16:] {
			swap4(dst, src)
			swap4(dst[4:16], src[4:16])
			swap4(dst[8:16], src[8:16])
			swap4(dst[12:16], src[12:16])
		}
		for ; len(dst) >= 4 && len(src) >= 4; dst, src = dst[4:], src[4:] {
			swap4(dst, src)
		}
	case 8:
		for ; len(dst) >= 32 && len(src) >= 32; dst, src = dst[32:], src[32:] {
			swap8(dst, src)
			swap8(dst[8:32], src[8:32])
			swap8(dst[16:32], src[16:32])
			swap8(dst[24:32], src[24:32])
		}
		for ; len(dst) >= 8 && len(src) >= 8; dst, src = dst[8:], src[8:] {
			swap8(dst, src)
		}
	}
}

// swapStrided is swap for values that are stride bytes apart in src, the first at its beginning.
//
// Shapes: src holds len(dst) / size values, that is, all but the gap behind the last.
func swapStrided(dst, src []byte, t colstore.DType, stride int) {
	switch size := t.Size(); {
	case size == stride:
		swap(dst, src[:len(dst)], t)
	case t == colstore.Bool:
		for i := range dst {
			dst[i] = truth(src[i*stride])
		}
	case size == 1:
		for i := range dst {
			dst[i] = src[i*stride]
		}
	case size == 2:
		for at := 0; len(dst) >= 2; dst, at = dst[2:], at+stride {
			swap2(dst, src[at:])
		}
	case size == 4:
		for at := 0; len(dst) >= 4; dst, at = dst[4:], at+stride {
			swap4(dst, src[at:])
		}
	default:
		for at := 0; len(dst) >= 8; dst, at = dst[8:], at+stride {
			swap8(dst, src[at:])
		}
	}
}

func truth(b byte) byte {
	if b != 0 {
		return 1
	}
	return 0
}

func swap2(dst, src []byte) { binary.NativeEndian.PutUint16(dst, binary.BigEndian.Uint16(src)) }
func swap4(dst, src []byte) { binary.NativeEndian.PutUint32(dst, binary.BigEndian.Uint32(src)) }
func swap8(dst, src []byte) { binary.NativeEndian.PutUint64(dst, binary.BigEndian.Uint64(src)) }
