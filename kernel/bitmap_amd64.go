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

// ranksFast makes the ranks of whole groups, and returns how many those are and their bits.
func ranksFast(dst []int64, a []uint64) (groups int, n int64) {
	if groups = len(a) / RankWords; groups == 0 || !has(LevelAVX2) {
		return 0, 0
	}
	return groups, ranksPOPCNT(unsafe.SliceData(dst), unsafe.SliceData(a), groups)
}
