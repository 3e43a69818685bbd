package kernel

// Signed is a signed integer element type; Unsigned an unsigned one.
type Signed interface{ int8 | int16 | int32 | int64 }

// Unsigned is an unsigned integer element type.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

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

// PowInt raises to a power in wrapping integers. It returns the first row whose exponent is negative, or -1; rows from
// there on are not computed.
func PowInt[T Integer](dst, a, b []T) (bad int) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, n := a[i*stepA], b[i*stepB]
		if n < 0 {
			return i
		}
		p := T(1)
		for ; n > 0; n >>= 1 {
			if n&1 != 0 {
				p *= x
			}
			x *= x
		}
		dst[i] = p
	}
	return -1
}

// ShiftLeft shifts to the left; a count of the width or more, or a negative one, gives 0.
func ShiftLeft[T Integer](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if n := b[i*stepB]; n >= 0 {
			dst[i] = a[i*stepA] << uint64(n)
		} else {
			dst[i] = 0
		}
	}
}

// ShiftRight shifts to the right, filling with the sign; a count of the width or more, or a negative one, leaves only
// the sign.
func ShiftRight[T Integer](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		n := uint64(63)
		if s := b[i*stepB]; s >= 0 {
			n = uint64(s)
		}
		dst[i] = a[i*stepA] >> n
	}
}

// GCD is the greatest common divisor, never negative but for the least integer, which has no positive twin.
func GCD[T Integer](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		dst[i] = gcd(a[i*stepA], b[i*stepB])
	}
}

func gcd[T Integer](x, y T) T {
	for y != 0 {
		x, y = y, x%y
	}
	if x < 0 {
		x = -x
	}
	return x
}

// LCM is the least common multiple, 0 if one is 0; what does not fit wraps.
func LCM[T Integer](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		g := gcd(x, y)
		if x < 0 {
			x = -x
		}
		if y < 0 {
			y = -y
		}
		if g != 0 {
			g = x / g * y
		}
		dst[i] = g
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
