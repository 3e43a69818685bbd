//go:build !purego

package kernel

import (
	"math/bits"
	"unsafe"
)

// compressFast compresses words of keep from the front, and returns how many and how many rows they gave.
func compressFast(dst, src []byte, keep []uint64, size int) (words, rows int) {
	if size&(size-1) != 0 || size > 16 || len(keep) == 0 || !has(LevelAVX2) {
		return 0, 0
	}
	d, s, k := unsafe.SliceData(dst), unsafe.SliceData(src), unsafe.SliceData(keep)
	sparse := fewBits(size)
	if has(LevelAVX512) && (size > 2 || hasVBMI2) {
		words = wholeStores(keep[:min(len(keep), len(src)/(64*size))], 64/size)
		rows = compress512(d, s, k, words, sparse, size)
		if words < len(keep) {
			s = (*byte)(unsafe.Add(unsafe.Pointer(s), words*64*size))
			d = (*byte)(unsafe.Add(unsafe.Pointer(d), rows*size))
			rows += compressExact512(d, s, &keep[words], len(keep)-words, sparse, size)
		}
		return len(keep), rows
	}
	words = wholeStores(keep[:min(len(keep), len(src)/(64*size))], 32/size)
	switch size {
	case 1:
		rows = compress1AVX2(d, s, k, words, sparse)
	case 2:
		rows = compress2AVX2(d, s, k, words, sparse)
	case 4:
		rows = compress4AVX2(d, s, k, words, sparse)
	case 8:
		rows = compress8AVX2(d, s, k, words, sparse)
	default:
		return 0, 0
	}
	return words, rows
}

// fewBits returns up to how many set bits of a word its values are moved one by one: the shorter they are, the fewer
// vectors hold a word's.
func fewBits(size int) int { return tuning.Load().Sparse * size / 8 }

// wholeStores returns how many words of keep are followed by as many set bits as fill a vector: what a whole store writes
// behind the rows of those is written again by the rows that follow.
func wholeStores(keep []uint64, fill int) int {
	words := len(keep)
	for left := fill; words > 0 && left > 0; {
		words--
		left -= bits.OnesCount64(keep[words])
	}
	return words
}

func compress512(dst, src *byte, keep *uint64, words, sparse, size int) int {
	switch size {
	case 1:
		return compress1AVX512(dst, src, keep, words, sparse)
	case 2:
		return compress2AVX512(dst, src, keep, words, sparse)
	case 4:
		return compress4AVX512(dst, src, keep, words, sparse)
	case 8:
		return compress8AVX512(dst, src, keep, words, sparse)
	default:
		return compress16AVX512(dst, src, keep, words, sparse)
	}
}

func compressExact512(dst, src *byte, keep *uint64, words, sparse, size int) int {
	switch size {
	case 1:
		return compress1ExactAVX512(dst, src, keep, words, sparse)
	case 2:
		return compress2ExactAVX512(dst, src, keep, words, sparse)
	case 4:
		return compress4ExactAVX512(dst, src, keep, words, sparse)
	case 8:
		return compress8ExactAVX512(dst, src, keep, words, sparse)
	default:
		return compress16ExactAVX512(dst, src, keep, words, sparse)
	}
}

// compressBitsFast does all or nothing.
func compressBitsFast(dst, a, keep []uint64) (rows int, done bool) {
	if len(keep) == 0 || !has(LevelAVX2) {
		return 0, false
	}
	if need := Words(Count(keep)); len(dst) < need || len(a) < len(keep) {
		return 0, false // compressBitsGo panics where that shows
	}
	rows = compressBitsBMI2(unsafe.SliceData(dst), unsafe.SliceData(a), unsafe.SliceData(keep), len(keep))
	clear(dst[Words(rows):])
	return rows, true
}

// compressRowsFast writes the numbers of the rows of words of keep from the front, and returns how many words and rows.
func compressRowsFast(dst []int64, keep []uint64, base int64) (words, rows int) {
	d, k := unsafe.SliceData(dst), unsafe.SliceData(keep)
	switch {
	case has(LevelAVX512):
		words = wholeStores(keep, 8)
		rows = compressRowsAVX512(d, k, words, fewBits(8), base)
	case has(LevelAVX2):
		words = wholeStores(keep, 4)
		rows = compressRowsAVX2(d, k, words, fewBits(8), base)
	}
	return words, rows
}
