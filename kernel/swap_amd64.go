//go:build !purego

package kernel

import "unsafe"

// swapFast swaps what it can of data from its beginning on, and returns how many bytes that were.
func swapFast(data []byte, word int) int {
	n := len(data) / 32
	if n == 0 || !has(LevelAVX2) {
		return 0
	}
	p := unsafe.SliceData(data)
	switch word {
	case 2:
		swap2AVX2(p, n)
	case 4:
		swap4AVX2(p, n)
	case 8:
		swap8AVX2(p, n)
	}
	return 32 * n
}
