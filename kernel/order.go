package kernel

import (
	"cmp"
	"unicode/utf8"
	"unsafe"
)

// An Accept is the set of orders that satisfy a comparison: below, equal, above. It stands in for a test a row.
type Accept uint8

// The orders, and the six comparisons made of them.
const (
	Below Accept = 1 << iota
	Same
	Above

	AcceptLess         = Below
	AcceptLessEqual    = Below | Same
	AcceptEqual        = Same
	AcceptNotEqual     = Below | Above
	AcceptGreaterEqual = Above | Same
	AcceptGreater      = Above
)

// Swapped returns the comparison with its operands exchanged.
func (a Accept) Swapped() Accept { return a&Same | a&Below<<2 | a&Above>>2 }

// has returns 1 if the order (negative, 0, positive) is among those accepted.
func (a Accept) has(order int) uint64 { return uint64(a>>(order+1)) & 1 }

// OrderMixed sets bit i where the order of a[i] against b[i] is accepted, signed against unsigned, by value.
//
// Shapes: as in [Less].
func OrderMixed(dst []uint64, a []int64, b []uint64, n int, accept Accept) {
	clear(dst)
	stepA, stepB := step(len(a), n), step(len(b), n)
	for i := range n {
		x, y := a[i*stepA], b[i*stepB]
		order := -1
		if x >= 0 {
			order = cmp.Compare(uint64(x), y)
		}
		dst[i/64] |= accept.has(order) << (i % 64)
	}
}

// OrderBytes sets bit i where the order of value i of a against value i of b is accepted. Values have a fixed width;
// trailing NULs do not count, and widths may differ.
//
// Shapes: a and b hold n values or one; len(dst) = Words(n).
// Units: sizes are bytes.
func OrderBytes(dst []uint64, a []byte, sizeA int, b []byte, sizeB, n int, accept Accept) {
	orderKeys(dst, a, sizeA, b, sizeB, n, accept)
}

// OrderText is [OrderBytes] for code points of four bytes each.
func OrderText(dst []uint64, a []byte, sizeA int, b []byte, sizeB, n int, accept Accept) {
	orderKeys(dst, points(a), sizeA/4, points(b), sizeB/4, n, accept)
}

func points(b []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// orderPadded compares as if the shorter one went on with zeros.
func orderPadded[T uint8 | uint32](x, y []T) int {
	k := min(len(x), len(y))
	y0 := y[:k]
	for i, v := range x[:k] {
		if u := y0[i]; v != u {
			if v < u {
				return -1
			}
			return 1
		}
	}
	for _, v := range x[k:] {
		if v != 0 {
			return 1
		}
	}
	for _, v := range y[k:] {
		if v != 0 {
			return -1
		}
	}
	return 0
}

// NonzeroBytes sets bit i where value i has a byte other than 0: truth of a bytes or text value.
func NonzeroBytes(dst []uint64, a []byte, size, n int) {
	clear(dst)
	s := size * step(len(a)/size, n)
	for i := range n {
		for _, c := range a[i*s:][:size] {
			if c != 0 {
				dst[i/64] |= 1 << (i % 64)
				break
			}
		}
	}
}

// OrderBytesText is [OrderBytes] for bytes against text: the order of the bytes against the text's UTF-8, which orders
// by code point.
func OrderBytesText(dst []uint64, a []byte, sizeA int, b []byte, sizeB, n int, accept Accept) {
	clear(dst)
	stepA, stepB := sizeA*step(len(a)/sizeA, n), sizeB*step(len(b)/sizeB, n)
	text := points(b)
	for i := range n {
		x := a[i*stepA:][:sizeA]
		y := text[i*stepB/4:][:sizeB/4]
		dst[i/64] |= accept.has(orderUTF8(x, y)) << (i % 64)
	}
}

func orderUTF8(x []byte, y []uint32) int {
	var buf [utf8.UTFMax]byte
	for _, r := range y {
		if r > utf8.MaxRune {
			r = utf8.RuneError
		}
		k := utf8.EncodeRune(buf[:], rune(r))
		for _, v := range buf[:k] {
			u := byte(0)
			if len(x) > 0 {
				u, x = x[0], x[1:]
			}
			if u != v {
				if u < v {
					return -1
				}
				return 1
			}
		}
	}
	return orderPadded(x, nil)
}
