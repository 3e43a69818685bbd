package kernel

import (
	"math/bits"
	"unsafe"
)

// EqualStrings sets bit i where value i of a equals value i of b: the twin of [OrderBytes] and [OrderText] that accepts
// the same, which compares words instead of characters.
//
// Shapes: a and b hold n values or one; len(dst) = Words(n). Widths may differ.
func EqualStrings(dst []uint64, a []byte, sizeA int, b []byte, sizeB, n int) {
	switch {
	case len(a) == sizeA && n != 1:
		equalConstant(dst, b, sizeB, a, n)
	case len(b) == sizeB && n != 1:
		equalConstant(dst, a, sizeA, b, n)
	case sizeA == sizeB:
		equalWidths(dst, a, b, sizeA, n)
	default:
		clear(dst)
		if sizeA > sizeB {
			a, sizeA, b, sizeB = b, sizeB, a, sizeA
		}
		for i := range n {
			x, y := a[i*sizeA:][:sizeA], b[i*sizeB:][:sizeB]
			dst[i/64] |= bit(string(x) == string(y[:sizeA]) && allZero(y[sizeA:])) << (i % 64)
		}
	}
}

// equalConstant compares values with one, brought to their width.
func equalConstant(dst []uint64, a []byte, size int, c []byte, n int) {
	if len(c) > size && !allZero(c[size:]) {
		clear(dst)
		return
	}
	var buf [64]byte
	value := append(buf[:0], c[:min(len(c), size)]...)
	for len(value) < size {
		value = append(value, 0)
	}
	switch size {
	case 1:
		Equal(dst, a[:n], value, n)
	case 2:
		Equal(dst, words[uint16](a, n), words[uint16](value, 1), n)
	case 4:
		Equal(dst, words[uint32](a, n), words[uint32](value, 1), n)
	case 8:
		Equal(dst, words[uint64](a, n), words[uint64](value, 1), n)
	default:
		equalLong(dst, a, size, value, 0, n)
	}
}

// equalWidths compares values of one width in both operands.
func equalWidths(dst []uint64, a, b []byte, size, n int) {
	switch size {
	case 1:
		Equal(dst, a[:n], b[:n], n)
	case 2:
		Equal(dst, words[uint16](a, n), words[uint16](b, n), n)
	case 4:
		Equal(dst, words[uint32](a, n), words[uint32](b, n), n)
	case 8:
		Equal(dst, words[uint64](a, n), words[uint64](b, n), n)
	default:
		equalLong(dst, a, size, b, size, n)
	}
}

// words views values of the size of T as numbers. Only their equality means anything, so byte order does not matter.
//
// Memory: columns are aligned or the machine loads what is not; docs/architecture.md, "Vocabulary".
func words[T uint16 | uint32 | uint64](v []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(v))), n)
}

// equalLong compares values that are no single word by their first and last words, which overlap in short values, and
// what lies between in the rows where those agree. stepB is size, or 0 for one value of b.
func equalLong(dst []uint64, a []byte, size int, b []byte, stepB, n int) {
	switch {
	case size < 4: // 3
		equalEnds[uint16](dst, a, size, b, stepB, n)
	case size < 8:
		equalEnds[uint32](dst, a, size, b, stepB, n)
	default:
		equalEnds[uint64](dst, a, size, b, stepB, n)
	}
	if size <= 16 {
		return
	}
	for w, word := range dst {
		for left := word; left != 0; left &= left - 1 {
			i := w*64 + bits.TrailingZeros64(left)
			if string(a[i*size+8:][:size-16]) != string(b[i*stepB+8:][:size-16]) {
				word &^= left & -left
			}
		}
		dst[w] = word
	}
}

// equalEnds compares the first and last sizeof(T) bytes of values of at least that size.
func equalEnds[T uint16 | uint32 | uint64](dst []uint64, a []byte, size int, b []byte, stepB, n int) {
	if n == 0 {
		return
	}
	a, b = a[:n*size], b[:(n-1)*stepB+size] // the loads below stay inside
	last := size - int(unsafe.Sizeof(T(0)))
	x, y := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	for w := range dst {
		word := uint64(0)
		for i := w * 64; i < min(n, w*64+64); i++ {
			p, q := unsafe.Add(x, i*size), unsafe.Add(y, i*stepB)
			differ := (*(*T)(p) ^ *(*T)(q)) | (*(*T)(unsafe.Add(p, last)) ^ *(*T)(unsafe.Add(q, last)))
			word |= bit(differ == 0) << (i & 63)
		}
		dst[w] = word
	}
}

func allZero(v []byte) bool {
	for _, c := range v {
		if c != 0 {
			return false
		}
	}
	return true
}
