package kernel

// BitAnd is the bitwise and of each row; an operand of one value repeats it. [BitOr] and [BitXor] likewise.
//
// Shapes: a and b hold len(dst) values or one, but not both one.
func BitAnd[T Integer](dst, a, b []T) {
	if k := bitwiseFast(opBitAnd, dst, a, b); k < len(dst) {
		bitAndGo(dst[k:], from(a, k), from(b, k))
	}
}

func bitAndGo[T Integer](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v & c
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			dst[i] = c & v
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v & b[i]
		}
	}
}

// BitOr is the bitwise or of each row, as [BitAnd].
func BitOr[T Integer](dst, a, b []T) {
	if k := bitwiseFast(opBitOr, dst, a, b); k < len(dst) {
		bitOrGo(dst[k:], from(a, k), from(b, k))
	}
}

func bitOrGo[T Integer](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v | c
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			dst[i] = c | v
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v | b[i]
		}
	}
}

// BitXor is the bitwise exclusive or of each row, as [BitAnd].
func BitXor[T Integer](dst, a, b []T) {
	if k := bitwiseFast(opBitXor, dst, a, b); k < len(dst) {
		bitXorGo(dst[k:], from(a, k), from(b, k))
	}
}

func bitXorGo[T Integer](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v ^ c
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			dst[i] = c ^ v
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v ^ b[i]
		}
	}
}

// BitNot inverts every bit of each row.
func BitNot[T Integer](dst, a []T) {
	ones := T(0)
	ones--
	BitXor(dst, a[:len(dst)], []T{ones})
}
