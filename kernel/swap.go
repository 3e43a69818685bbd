package kernel

import (
	"math/bits"
	"unsafe"
)

// Swap reverses the bytes of each word of data in place.
//
// Units: word is 1, 2, 4 or 8 bytes, and divides len(data).
func Swap(data []byte, word int) { swapGo(data[swapFast(data, word):], word) }

// swapGo is the loop that defines Swap.
func swapGo(data []byte, word int) {
	p := unsafe.Pointer(unsafe.SliceData(data))
	switch word {
	case 2:
		for i, v := range unsafe.Slice((*uint16)(p), len(data)/2) {
			*(*uint16)(unsafe.Add(p, 2*i)) = bits.ReverseBytes16(v)
		}
	case 4:
		for i, v := range unsafe.Slice((*uint32)(p), len(data)/4) {
			*(*uint32)(unsafe.Add(p, 4*i)) = bits.ReverseBytes32(v)
		}
	case 8:
		for i, v := range unsafe.Slice((*uint64)(p), len(data)/8) {
			*(*uint64)(unsafe.Add(p, 8*i)) = bits.ReverseBytes64(v)
		}
	}
}
