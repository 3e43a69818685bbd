package kernel

import (
	"math/bits"
	"unsafe"
)

// Swap reverses the bytes of each word of data in place.
//
// Units: word is 1, 2, 4 or 8 bytes, and divides len(data).
func Swap(data []byte, word int) { swapTo(data, data, word) }

// swapTo is [Swap] on the way from src to dst, which may be the same.
func swapTo(dst, src []byte, word int) {
	n := swapFast(dst, src, word)
	swapGo(dst[n:], src[n:], word)
}

// swapGo is the loop that defines swapTo.
func swapGo(dst, src []byte, word int) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch word {
	case 1:
		copy(dst, src)
	case 2:
		for i, v := range unsafe.Slice((*uint16)(s), len(src)/2) {
			*(*uint16)(unsafe.Add(d, 2*i)) = bits.ReverseBytes16(v)
		}
	case 4:
		for i, v := range unsafe.Slice((*uint32)(s), len(src)/4) {
			*(*uint32)(unsafe.Add(d, 4*i)) = bits.ReverseBytes32(v)
		}
	case 8:
		for i, v := range unsafe.Slice((*uint64)(s), len(src)/8) {
			*(*uint64)(unsafe.Add(d, 8*i)) = bits.ReverseBytes64(v)
		}
	}
}
