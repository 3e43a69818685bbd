//go:build !purego

package kernel

import "unsafe"

// swapFast swaps what it can of src from its beginning on, and returns how many bytes that were.
func swapFast(dst, src []byte, word int) int {
	n := len(src) / 32
	if n == 0 || !has(LevelAVX2) {
		return 0
	}
	d, s := unsafe.SliceData(dst), unsafe.SliceData(src)
	switch word {
	case 2:
		swap2AVX2(d, s, n)
	case 4:
		swap4AVX2(d, s, n)
	case 8:
		swap8AVX2(d, s, n)
	default:
		return 0
	}
	return 32 * n
}
