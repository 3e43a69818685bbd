package kernel

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
