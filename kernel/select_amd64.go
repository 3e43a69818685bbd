//go:build !purego

package kernel

import "unsafe"

// vectorBytes is the most that a kernel takes of an operand at once.
const vectorBytes = 64

// selectFast selects rows from the front, and returns how many.
func selectFast(dst []byte, cond []uint64, a, b []byte, n, size, stepA, stepB int) (rows int) {
	words := n / 64
	if words == 0 || size&(size-1) != 0 || size > 8 || !has(LevelAVX2) {
		return 0
	}
	vector := 32
	if has(LevelAVX512) {
		vector = 64
	}
	var bufA, bufB [vectorBytes]byte
	pa, stepA := spread(&bufA, a, size, stepA, vector)
	pb, stepB := spread(&bufB, b, size, stepB, vector)
	d, c := unsafe.SliceData(dst), unsafe.SliceData(cond)
	switch {
	case size == 1 && vector == 64:
		blend1AVX512(d, pa, pb, c, words, stepA, stepB)
	case size == 2 && vector == 64:
		blend2AVX512(d, pa, pb, c, words, stepA, stepB)
	case size == 4 && vector == 64:
		blend4AVX512(d, pa, pb, c, words, stepA, stepB)
	case vector == 64:
		blend8AVX512(d, pa, pb, c, words, stepA, stepB)
	case size == 1:
		blend1AVX2(d, pa, pb, c, words, stepA, stepB)
	case size == 2:
		blend2AVX2(d, pa, pb, c, words, stepA, stepB)
	case size == 4:
		blend4AVX2(d, pa, pb, c, words, stepA, stepB)
	default:
		blend8AVX2(d, pa, pb, c, words, stepA, stepB)
	}
	return 64 * words
}

// spread returns where the vectors of an operand are and how far apart: buf and 0 for an operand of one value, which
// fills buf.
func spread(buf *[vectorBytes]byte, v []byte, size, step, vector int) (data *byte, apart int) {
	if step != 0 {
		return unsafe.SliceData(v), vector
	}
	for n := copy(buf[:], v[:size]); n < vectorBytes; n *= 2 {
		copy(buf[n:], buf[:n])
	}
	return &buf[0], 0
}
