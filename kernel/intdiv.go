package kernel

// FloorDivSigned divides rounding toward minus infinity; by zero it gives 0, and the least integer by -1 wraps.
func FloorDivSigned[T Signed](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		dst[i] = floorDiv(a[i*stepA], b[i*stepB])
	}
}

func floorDiv[T Signed](x, y T) T {
	if y == 0 {
		return 0
	}
	q := x / y
	if q*y != x && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// FloorModSigned is the remainder of [FloorDivSigned]: it has the divisor's sign, and is 0 for a divisor of 0.
func FloorModSigned[T Signed](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if y == 0 {
			dst[i] = 0
			continue
		}
		r := x % y
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		dst[i] = r
	}
}

// DivUnsigned divides; by zero it gives 0.
func DivUnsigned[T Unsigned](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if y := b[i*stepB]; y != 0 {
			dst[i] = a[i*stepA] / y
		} else {
			dst[i] = 0
		}
	}
}

// ModUnsigned is the remainder of [DivUnsigned]; by zero it gives 0.
func ModUnsigned[T Unsigned](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if y := b[i*stepB]; y != 0 {
			dst[i] = a[i*stepA] % y
		} else {
			dst[i] = 0
		}
	}
}

// Rem is the remainder of a division that rounds toward zero: it has the sign of a, and is 0 for a divisor of 0.
func Rem[T Signed](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if y := b[i*stepB]; y != 0 {
			dst[i] = a[i*stepA] % y
		} else {
			dst[i] = 0
		}
	}
}
