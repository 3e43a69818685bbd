//go:build !purego

package kernel

import "unsafe"

// bytesFromBitsFast makes what it can of dst from its beginning on, and returns how many bytes that were.
func bytesFromBitsFast(dst []uint8, a []uint64) int {
	n := len(dst)
	a = a[:Words(n)]
	switch l := Active(); {
	case l >= LevelAVX512 && n > 0:
		bytesFromBitsAVX512(first(dst), unsafe.SliceData(a), n)
		return n
	case l == LevelAVX2 && n >= 32:
		n &^= 31
		bytesFromBitsAVX2(first(dst), unsafe.SliceData(a), n)
		return n
	}
	return 0
}
