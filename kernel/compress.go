package kernel

import (
	"math/bits"
	"unsafe"
)

// Compress copies the values of src whose bit in keep is set to the front of dst, in order, and returns their number.
//
//	for i := range rows {
//		if keep has i {
//			copy(dst[n*size:], src[i*size:(i+1)*size])
//			n++
//		}
//	}
//
// Shapes: src holds the rows that keep covers; dst has room for the set bits.
// Units: size is bytes.
// Memory: dst must not overlap src. Nothing is written behind the last value, so that others may fill what lies there.
// Source: docs/decisions/0022-kernels.md; words without a set bit are skipped whole.
func Compress(dst, src []byte, keep []uint64, size int) (rows int) {
	if last := len(keep) - 1; last >= 0 {
		_ = src[:(64*last+bits.Len64(keep[last]))*size]
	}
	words, rows := compressFast(dst, src, keep, size)
	if words == len(keep) {
		return rows
	}
	return rows + compressGo(dst[rows*size:], src[words*64*size:], keep[words:], size)
}

// compressGo is the loop that defines Compress.
func compressGo(dst, src []byte, keep []uint64, size int) (rows int) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch size {
	case 1:
		return compress[uint8](d, s, keep)
	case 2:
		return compress[uint16](d, s, keep)
	case 4:
		return compress[uint32](d, s, keep)
	case 8:
		return compress[uint64](d, s, keep)
	case 16:
		return compress[[2]uint64](d, s, keep)
	case 0:
		return Count(keep)
	}
	switch {
	case size > 32:
		return compressWide(d, s, keep, size)
	case size > 16:
		return compressPairs[[2]uint64](d, s, keep, size)
	case size > 8:
		return compressPairs[uint64](d, s, keep, size)
	case size > 4:
		return compressPairs[uint32](d, s, keep, size)
	default:
		return compressPairs[uint16](d, s, keep, size)
	}
}

func compress[T uint8 | uint16 | uint32 | uint64 | [2]uint64](dst, src unsafe.Pointer, keep []uint64) int {
	size := unsafe.Sizeof(*new(T))
	n := 0
	for w, word := range keep {
		if word == 0 {
			continue
		}
		base := unsafe.Add(src, uintptr(64*w)*size)
		if word == ^uint64(0) {
			copy(unsafe.Slice((*T)(unsafe.Add(dst, uintptr(n)*size)), 64), unsafe.Slice((*T)(base), 64))
			n += 64
			continue
		}
		for ; word != 0; word &= word - 1 {
			i := uintptr(bits.TrailingZeros64(word))
			*(*T)(unsafe.Add(dst, uintptr(n)*size)) = *(*T)(unsafe.Add(base, i*size))
			n++
		}
	}
	return n
}

// compressPairs is for values that two pieces make, which may overlap.
func compressPairs[T uint16 | uint32 | uint64 | [2]uint64](dst, src unsafe.Pointer, keep []uint64, size int) int {
	last := size - int(unsafe.Sizeof(*new(T)))
	n := 0
	for w, word := range keep {
		if word == ^uint64(0) {
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, n*size)), 64*size), unsafe.Slice((*byte)(unsafe.Add(src, 64*w*size)), 64*size))
			n += 64
			continue
		}
		for ; word != 0; word &= word - 1 {
			d, s := unsafe.Add(dst, n*size), unsafe.Add(src, (64*w+bits.TrailingZeros64(word))*size)
			first, second := *(*T)(s), *(*T)(unsafe.Add(s, last))
			*(*T)(d), *(*T)(unsafe.Add(d, last)) = first, second
			n++
		}
	}
	return n
}

// compressWide copies what lies together at once.
func compressWide(dst, src unsafe.Pointer, keep []uint64, size int) int {
	n := 0
	for w, word := range keep {
		for word != 0 {
			i := bits.TrailingZeros64(word)
			run := bits.TrailingZeros64(^(word >> i))
			d, s := unsafe.Add(dst, n*size), unsafe.Add(src, (64*w+i)*size)
			if run == 1 {
				moveBytes(d, s, size)
			} else {
				copy(unsafe.Slice((*byte)(d), run*size), unsafe.Slice((*byte)(s), run*size))
			}
			n += run
			word = word >> i >> run << run << i
		}
	}
	return n
}

// CompressBits is [Compress] for a bitmap of n rows: the bits of a whose bit in keep is set, packed at the front of dst.
//
// Shapes: len(a) ≥ len(keep); len(dst) ≥ Words(set bits of keep), and what lies behind those is set to zero.
func CompressBits(dst, a, keep []uint64) (rows int) {
	rows, done := compressBitsFast(dst, a, keep)
	if !done {
		rows = compressBitsGo(dst, a, keep)
	}
	return rows
}

// compressBitsGo is the loop that defines CompressBits.
func compressBitsGo(dst, a, keep []uint64) (rows int) {
	clear(dst)
	n := 0
	for w, word := range keep {
		for ; word != 0; word &= word - 1 {
			if a[w]>>bits.TrailingZeros64(word)&1 != 0 {
				dst[n/64] |= 1 << (n % 64)
			}
			n++
		}
	}
	return n
}

// CompressRows writes the numbers of the rows whose bit in keep is set to the front of dst, the first row being base, and
// returns how many those are: [Compress] of base, base+1, ….
//
// Shapes: dst has room for the set bits.
// Memory: nothing is written behind the last number.
func CompressRows(dst []int64, keep []uint64, base int64) (rows int) {
	words, rows := compressRowsFast(dst, keep, base)
	for w, word := range keep[words:] {
		first := base + int64(64*(words+w))
		for ; word != 0; word &= word - 1 {
			dst[rows] = first + int64(bits.TrailingZeros64(word))
			rows++
		}
	}
	return rows
}
