package kernel

// A relation is what a comparison tests, for the loops of the processor.
type relation uint8

const (
	relLess relation = iota
	relLessEqual
	relEqual
	relNotEqual
	relGreater
	relGreaterEqual
)

// Less sets bit i where a[i] < b[i], and clears it elsewhere; n is the number of rows. With a NaN it is false. For > swap
// the operands. [LessEqual], [Equal] and [NotEqual] likewise.
//
//	for i := range n {
//		dst has i = a[i] < b[i]
//	}
//
// Shapes: len(dst) = Words(n); a and b hold n values or one, but not both one.
func Less[T Number](dst []uint64, a, b []T, n int) {
	if k := compareFast(relLess, relGreater, dst, a, b, n); k < n {
		lessGo(dst[k/64:], from(a, k), from(b, k), n-k)
	}
}

// LessEqual sets bit i where a[i] ≤ b[i], as [Less]; for ≥ swap the operands.
func LessEqual[T Number](dst []uint64, a, b []T, n int) {
	if k := compareFast(relLessEqual, relGreaterEqual, dst, a, b, n); k < n {
		lessEqualGo(dst[k/64:], from(a, k), from(b, k), n-k)
	}
}

// Equal sets bit i where a[i] = b[i], as [Less].
func Equal[T Number](dst []uint64, a, b []T, n int) {
	if k := compareFast(relEqual, relEqual, dst, a, b, n); k < n {
		equalGo(dst[k/64:], from(a, k), from(b, k), n-k)
	}
}

// NotEqual sets bit i where a[i] ≠ b[i], as [Less], which is true where one side is a NaN.
func NotEqual[T Number](dst []uint64, a, b []T, n int) {
	if k := compareFast(relNotEqual, relNotEqual, dst, a, b, n); k < n {
		notEqualGo(dst[k/64:], from(a, k), from(b, k), n-k)
	}
}

// Nonzero sets bit i where a[i] is not 0: truth, in which a NaN is true. Of the bytes of a bool column it makes a bitmap.
func Nonzero[T Number](dst []uint64, a []T, n int) {
	if len(a) == 1 && n != 1 {
		clear(dst)
		if a[0] != 0 {
			Ones(dst, n)
		}
		return
	}
	NotEqual(dst, a[:n], []T{0}, n)
}

func lessGo[T Number](dst []uint64, a, b []T, n int) {
	switch {
	case len(b) == 1 && n != 1:
		lessVC(dst, a[:n], b[0])
	case len(a) == 1 && n != 1:
		lessCV(dst, a[0], b[:n])
	default:
		lessVV(dst, a[:n], b[:n])
	}
}

func lessEqualGo[T Number](dst []uint64, a, b []T, n int) {
	switch {
	case len(b) == 1 && n != 1:
		lessEqualVC(dst, a[:n], b[0])
	case len(a) == 1 && n != 1:
		lessEqualCV(dst, a[0], b[:n])
	default:
		lessEqualVV(dst, a[:n], b[:n])
	}
}

func equalGo[T Number](dst []uint64, a, b []T, n int) {
	switch {
	case len(b) == 1 && n != 1:
		equalVC(dst, a[:n], b[0])
	case len(a) == 1 && n != 1:
		equalVC(dst, b[:n], a[0])
	default:
		equalVV(dst, a[:n], b[:n])
	}
}

func notEqualGo[T Number](dst []uint64, a, b []T, n int) {
	equalGo(dst, a, b, n)
	Not(dst, dst, n)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func lessVV[T Number](dst []uint64, a, b []T) {
	for w := range dst {
		x := a[w*64 : min(len(a), w*64+64)]
		y := b[w*64:][:len(x)]
		word := uint64(0)
		for i, v := range x {
			word |= bit(v < y[i]) << (i & 63)
		}
		dst[w] = word
	}
}

func lessVC[T Number](dst []uint64, a []T, c T) {
	for w := range dst {
		word := uint64(0)
		for i, v := range a[w*64 : min(len(a), w*64+64)] {
			word |= bit(v < c) << (i & 63)
		}
		dst[w] = word
	}
}

func lessCV[T Number](dst []uint64, c T, b []T) {
	for w := range dst {
		word := uint64(0)
		for i, v := range b[w*64 : min(len(b), w*64+64)] {
			word |= bit(c < v) << (i & 63)
		}
		dst[w] = word
	}
}

func lessEqualVV[T Number](dst []uint64, a, b []T) {
	for w := range dst {
		x := a[w*64 : min(len(a), w*64+64)]
		y := b[w*64:][:len(x)]
		word := uint64(0)
		for i, v := range x {
			word |= bit(v <= y[i]) << (i & 63)
		}
		dst[w] = word
	}
}

func lessEqualVC[T Number](dst []uint64, a []T, c T) {
	for w := range dst {
		word := uint64(0)
		for i, v := range a[w*64 : min(len(a), w*64+64)] {
			word |= bit(v <= c) << (i & 63)
		}
		dst[w] = word
	}
}

func lessEqualCV[T Number](dst []uint64, c T, b []T) {
	for w := range dst {
		word := uint64(0)
		for i, v := range b[w*64 : min(len(b), w*64+64)] {
			word |= bit(c <= v) << (i & 63)
		}
		dst[w] = word
	}
}

func equalVV[T Number](dst []uint64, a, b []T) {
	for w := range dst {
		x := a[w*64 : min(len(a), w*64+64)]
		y := b[w*64:][:len(x)]
		word := uint64(0)
		for i, v := range x {
			word |= bit(v == y[i]) << (i & 63)
		}
		dst[w] = word
	}
}

func equalVC[T Number](dst []uint64, a []T, c T) {
	for w := range dst {
		word := uint64(0)
		for i, v := range a[w*64 : min(len(a), w*64+64)] {
			word |= bit(v == c) << (i & 63)
		}
		dst[w] = word
	}
}
