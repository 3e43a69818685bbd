package kernel

import "math/bits"

// And sets dst to a AND b, word by word. [Or], [Xor] and [AndNot] likewise.
//
// Shapes: a and b have at least len(dst) words.
func And(dst, a, b []uint64) {
	for i := bitmapFast(opBitAnd, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] & b[i]
	}
}

// Or sets dst to a OR b, as [And].
func Or(dst, a, b []uint64) {
	for i := bitmapFast(opBitOr, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] | b[i]
	}
}

// Xor sets dst to a XOR b, as [And].
func Xor(dst, a, b []uint64) {
	for i := bitmapFast(opBitXor, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] ^ b[i]
	}
}

// AndNot sets dst to a AND NOT b, as [And].
func AndNot(dst, a, b []uint64) {
	for i := bitmapFast(opBitAndNot, dst, a, b); i < len(dst); i++ {
		dst[i] = a[i] &^ b[i]
	}
}

// bitmapFast is [bitwiseFast] for bitmaps that are long enough to gain by it: those of a chunk are not.
func bitmapFast(op operation, dst, a, b []uint64) int {
	if len(dst) < 16 {
		return 0
	}
	return bitwiseFast(op, dst, a, b)
}

// Not sets dst to NOT a for the first n rows; bits past them are zero.
func Not(dst, a []uint64, n int) {
	if len(dst) < 16 {
		for i := range dst {
			dst[i] = ^a[i]
		}
	} else {
		BitNot(dst, a)
	}
	trimBits(dst, n)
}

// Ones sets the first n bits of dst and clears the others.
func Ones(dst []uint64, n int) {
	for i := range dst {
		dst[i] = ^uint64(0)
	}
	trimBits(dst, n)
}

// trimBits clears the bits from n on.
func trimBits(dst []uint64, n int) {
	w := n / 64
	if w < len(dst) {
		dst[w] &= 1<<(n%64) - 1
		clear(dst[w+1:])
	}
}

// Count returns the number of set bits.
func Count(a []uint64) int {
	n := 0
	for _, w := range a {
		n += bits.OnesCount64(w)
	}
	return n
}

// NthSet returns the row of the n-th set bit, counting from 0, or -1 if there are not so many.
func NthSet(a []uint64, n int) int {
	for i, w := range a {
		c := bits.OnesCount64(w)
		if n >= c {
			n -= c
			continue
		}
		for ; n > 0; n-- {
			w &= w - 1
		}
		return 64*i + bits.TrailingZeros64(w)
	}
	return -1
}

// BytesFromBits sets dst to 1 where the bit is set, else to 0: a predicate as a bool column.
//
// Shapes: one byte a row; len(bits) ≥ Words(len(dst)).
func BytesFromBits(dst []uint8, a []uint64) {
	for i := bytesFromBitsFast(dst, a); i < len(dst); i++ {
		dst[i] = uint8(a[i/64] >> (i % 64) & 1)
	}
}
