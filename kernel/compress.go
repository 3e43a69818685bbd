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
// Memory: dst must not overlap src.
// Source: design of docs/decisions/0003-evaluator.md; words without a set bit are skipped whole.
func Compress(dst, src []byte, keep []uint64, size int) (rows int) {
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
	}
	n := 0
	for w, word := range keep {
		for ; word != 0; word &= word - 1 {
			i := 64*w + bits.TrailingZeros64(word)
			copy(dst[n*size:(n+1)*size], src[i*size:(i+1)*size])
			n++
		}
	}
	return n
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

// CompressBits is [Compress] for a bitmap of n rows: the bits of a whose bit in keep is set, packed at the front of dst.
func CompressBits(dst, a, keep []uint64) (rows int) {
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

// Select copies a value of a where the bit is set, else the value of b. An operand of one value repeats it.
//
// Shapes: dst holds n values; a and b hold n or one.
// Units: size is bytes.
func Select(dst []byte, cond []uint64, a, b []byte, n, size int) {
	d := unsafe.Pointer(unsafe.SliceData(dst))
	pa, pb := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	stepA, stepB := size, size
	if len(a) == size {
		stepA = 0
	}
	if len(b) == size {
		stepB = 0
	}
	switch size {
	case 1:
		selectRows[uint8](d, cond, pa, pb, n, stepA, stepB)
	case 2:
		selectRows[uint16](d, cond, pa, pb, n, stepA, stepB)
	case 4:
		selectRows[uint32](d, cond, pa, pb, n, stepA, stepB)
	case 8:
		selectRows[uint64](d, cond, pa, pb, n, stepA, stepB)
	default:
		for i := range n {
			src := b[i*stepB:]
			if cond[i/64]>>(i%64)&1 != 0 {
				src = a[i*stepA:]
			}
			copy(dst[i*size:(i+1)*size], src)
		}
	}
}

func selectRows[T uint8 | uint16 | uint32 | uint64](dst unsafe.Pointer, cond []uint64, a, b unsafe.Pointer, n, stepA, stepB int) {
	out := unsafe.Slice((*T)(dst), n)
	for i := range out {
		v := *(*T)(unsafe.Add(b, i*stepB))
		if u := *(*T)(unsafe.Add(a, i*stepA)); cond[i/64]>>(i%64)&1 != 0 {
			v = u
		}
		out[i] = v
	}
}
