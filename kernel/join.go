package kernel

// Join writes value i of a without its NUL padding, then value i of b, then padding.
//
// Shapes: dst holds n values of size bytes, a and b n values or one.
// Units: sizes are bytes; unit is the bytes of a character, 1 or 4; size ≥ sizeA + sizeB.
func Join(dst []byte, size int, a []byte, sizeA int, b []byte, sizeB, n, unit int) {
	stepA, stepB := sizeA*step(len(a)/sizeA, n), sizeB*step(len(b)/sizeB, n)
	for i := range n {
		x := TrimPadding(a[i*stepA:][:sizeA], unit)
		y := b[i*stepB:][:sizeB]
		at := dst[i*size:][:size]
		copied := copy(at, x)
		copied += copy(at[copied:], y)
		clear(at[copied:])
	}
}

// TrimPadding returns the value without the NUL characters at its end.
//
// Units: unit is the bytes of a character, 1 or 4.
func TrimPadding(v []byte, unit int) []byte {
	n := len(v)
	for n > 0 {
		for _, c := range v[n-unit : n] {
			if c != 0 {
				return v[:n]
			}
		}
		n -= unit
	}
	return v[:0]
}
