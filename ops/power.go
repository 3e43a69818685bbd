package ops

import "math"

// powOf is the power: math.Pow but for whole exponents, which that rounds at every step, and for bases below the normal
// numbers, of which it takes the wrong logarithm.
func powOf(x, y float64) float64 {
	if n := math.Abs(y); n >= 2 && n <= maxWhole && math.Trunc(y) == y && x != 0 && x-x == 0 {
		return powWhole(x, int64(n), y < 0)
	}
	if 0 < x && x < tiny && y-y == 0 && math.Abs(y) < 2 {
		return math.Pow(x*(1<<54), y) * math.Exp2(-54*y)
	}
	return nanOf2(math.Pow(x, y), x, y)
}

// maxWhole is the largest exponent whose powers are multiplied out: the error of a product, 2^-103 of it, grows with the
// exponent, and leaves 19 bits of twice the precision here.
const maxWhole = 1 << 31

// powWhole multiplies with twice the precision and rounds once, so that the result is the nearest float64 unless the
// power lies within 2^-19 of a unit of the middle between two. x is finite and not 0.
func powWhole(x float64, n int64, inverse bool) float64 {
	r := powTwice(scaled{hi: x}, n, false)
	if size := math.Abs(r.hi); !(size > 0x1p-900 && size < 0x1p900) {
		// Near the ends of the range the low half has no room.
		m, exp := math.Frexp(x)
		r = powTwice(scaled{hi: m, exp: int64(exp)}, n, true)
	}
	if inverse {
		r = r.inverse()
	}
	return r.value()
}

// A scaled is the number (hi + lo) × 2^exp, lo being what hi lacks.
type scaled struct {
	hi, lo float64
	exp    int64
}

// powTwice multiplies out a power; with rescale it keeps hi between 1/2 and 1.
func powTwice(base scaled, n int64, rescale bool) scaled {
	r := scaled{hi: 1}
	for {
		if n&1 != 0 {
			r = r.times(base)
			if rescale {
				r = r.rescaled()
			}
		}
		if n >>= 1; n == 0 {
			return r
		}
		base = base.times(base)
		if rescale {
			base = base.rescaled()
		}
	}
}

// times multiplies. The conversions keep a compiler from fusing what it rounds twice on other machines.
func (a scaled) times(b scaled) scaled {
	p := a.hi * b.hi
	e := math.FMA(a.hi, b.hi, -p) + (float64(a.hi*b.lo) + float64(a.lo*b.hi))
	hi := p + e
	return scaled{hi, e - (hi - p), a.exp + b.exp}
}

func (a scaled) rescaled() scaled {
	hi, exp := math.Frexp(a.hi)
	// The exponent of a power with an exponent of 2^31 is below 2^42.
	return scaled{hi, math.Ldexp(a.lo, -exp), a.exp + int64(exp)}
}

func (a scaled) inverse() scaled {
	q := 1 / a.hi
	e := float64(q * (math.FMA(-q, a.hi, 1) - float64(q*a.lo)))
	hi := q + e
	return scaled{hi, e - (hi - q), -a.exp}
}

// value rounds to the nearest float64, ties to even, once: also to a subnormal.
func (a scaled) value() float64 {
	if a.exp == 0 {
		return a.hi
	}
	exp := int(max(-1<<20, min(1<<20, a.exp)))
	if v := math.Ldexp(a.hi, exp); math.Abs(v) >= 2*tiny {
		return v
	}
	// In units of the least subnormal hi may have a fraction, and lo decides about one half.
	units, rest := math.Ldexp(a.hi, exp+1074), math.Ldexp(a.lo, exp+1074)
	whole := math.RoundToEven(units)
	switch d := units - whole; {
	case d == 0.5 && rest > 0:
		whole++
	case d == -0.5 && rest < 0:
		whole--
	}
	return math.Ldexp(whole, -1074)
}
