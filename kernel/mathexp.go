package kernel

import "math"

const (
	// roundMagic rounds to a whole number when it is added, and leaves that number in the low bits.
	roundMagic = 0x1.8p52

	expRange  = 708  // beyond ± this, powers of e need care with exponents
	exp2Range = 1021 // and those of 2
	signBit   = 1 << 63
)

// expOf is e to the power. x = k·ln2 + r, and e^r is a polynomial.
func expOf(x float64) float64 {
	if !(math.Abs(x) <= expRange) {
		return expBeyond(x)
	}
	p, k := expParts(x)
	return math.Float64frombits(math.Float64bits(p) + k<<52)
}

// expParts returns e^r and k, whose low bits count.
func expParts(x float64) (p float64, k uint64) {
	t := math.FMA(x, log2eHi, roundMagic)
	n := t - roundMagic
	r := math.FMA(-n, ln2Hi, x) // exact
	r = math.FMA(-n, ln2Lo, r)
	z := float64(r * r)
	return math.FMA(z, expPoly(r, z), r) + 1, math.Float64bits(t)
}

// expPoly is (e^r - 1 - r) / r².
func expPoly(r, z float64) float64 {
	a := math.FMA(z, expC10, expC8)
	a = math.FMA(z, a, expC6)
	a = math.FMA(z, a, expC4)
	a = math.FMA(z, a, expC2)
	b := math.FMA(z, expC11, expC9)
	b = math.FMA(z, b, expC7)
	b = math.FMA(z, b, expC5)
	b = math.FMA(z, b, expC3)
	return math.FMA(r, b, a)
}

// expBeyond is expOf where the result is not normal, or nearly so.
func expBeyond(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	p, k := expParts(x)
	return math.Ldexp(p, int(int32(k)))
}

// exp2Of is 2 to the power, as [expOf].
func exp2Of(x float64) float64 {
	if !(math.Abs(x) <= exp2Range) {
		return exp2Beyond(x)
	}
	p, k := exp2Parts(x)
	return math.Float64frombits(math.Float64bits(p) + k<<52)
}

func exp2Parts(x float64) (p float64, k uint64) {
	t := x + roundMagic
	r := x - (t - roundMagic) // exact
	z := float64(r * r)
	a := math.FMA(z, twoC10, twoC8)
	a = math.FMA(z, a, twoC6)
	a = math.FMA(z, a, twoC4)
	a = math.FMA(z, a, twoC2)
	b := math.FMA(z, twoC11, twoC9)
	b = math.FMA(z, b, twoC7)
	b = math.FMA(z, b, twoC5)
	b = math.FMA(z, b, twoC3)
	q := float64(z * math.FMA(r, b, a))
	return math.FMA(r, ln2Hi, q) + 1, math.Float64bits(t)
}

func exp2Beyond(x float64) float64 {
	switch {
	case x != x:
		return x
	case x >= 1024:
		return math.Inf(1)
	case x < -1076:
		return 0
	}
	p, k := exp2Parts(x)
	return math.Ldexp(p, int(int32(k)))
}

// expm1Of is e^x - 1: 2^k·(e^r - 1) + (2^k - 1), whose first term is kept as r and what it lacks.
func expm1Of(x float64) float64 {
	if !(math.Abs(x) <= expRange) {
		switch {
		case x != x:
			return x
		case x < 0:
			return -1
		}
		return expBeyond(x)
	}
	r, tail, s := expm1Parts(x)
	y := math.FMA(s, tail, math.FMA(s, r, s-1))
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&signBit) // -0 is -0
}

// expm1Parts returns r, what e^r - 1 is more, and s = 2^k.
func expm1Parts(x float64) (r, tail, s float64) {
	t := math.FMA(x, log2eHi, roundMagic)
	n := t - roundMagic
	r0 := math.FMA(-n, ln2Hi, x)
	r = math.FMA(-n, ln2Lo, r0)
	lo := math.FMA(-n, ln2Lo, r0-r)
	z := float64(r * r)
	tail = math.FMA(z, expPoly(r, z), lo)
	s = math.Float64frombits(math.Float64bits(t)<<52 + 1023<<52)
	return r, tail, s
}

// expm1Two is e^x - 1 in two parts, as [expm1Of] but with what its sums lack.
func expm1Two(x float64) (e, lo float64) {
	r, tail, s := expm1Parts(x)
	n := s - 1
	h := math.FMA(s, r, n)
	e = math.FMA(s, tail, h)
	return e, math.FMA(s, tail, h-e) + math.FMA(s, r, n-h)
}

// tanhMax is where tanh is 1 in all its bits.
const tanhMax = 22

// tanhOf is e / (e + 2) for e = e^2|x| - 1, with the quotient's rest.
func tanhOf(x float64) float64 {
	if x != x {
		return x
	}
	e, lo := expm1Two(2 * min(math.Abs(x), tanhMax))
	d, dLo := twoSum(e, 2)
	inv := 1 / d
	q := float64(e * inv)
	rest := math.FMA(-q, d, e) + math.FMA(-q, dLo+lo, lo)
	y := math.FMA(rest, inv, q)
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&signBit)
}

// sinhOf is (e + e/(e+1)) / 2 for e = e^|x| - 1, with the quotient's rest.
func sinhOf(x float64) float64 {
	ax := math.Abs(x)
	if !(ax <= expRange) {
		return math.Copysign(coshBeyond(x), x)
	}
	e, lo := expm1Two(ax)
	d, dLo := twoSum(e, 1)
	inv := 1 / d
	q := float64(e * inv)
	rest := math.FMA(-q, d, e) + math.FMA(-q, dLo+lo, lo)
	sum := e + q
	y := float64(0.5 * (sum + (((e - sum) + q) + math.FMA(rest, inv, lo))))
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&signBit)
}

// coshOf is (e + 1/e) / 2 for e = e^|x|.
func coshOf(x float64) float64 {
	if !(math.Abs(x) <= expRange) {
		return coshBeyond(x)
	}
	p, k := expParts(math.Abs(x))
	e := math.Float64frombits(math.Float64bits(p) + k<<52)
	return float64(0.5 * (e + 1/e))
}

// coshBeyond is e^|x| / 2, of which e^|x| may overflow.
func coshBeyond(x float64) float64 {
	if x != x {
		return x
	}
	if math.Abs(x) > 711 {
		return math.Inf(1)
	}
	p, k := expParts(math.Abs(x))
	return math.Ldexp(p, int(int32(k))-1)
}

// twoSum returns a + b and what it lacks.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	c := sum - a
	return sum, (a - (sum - c)) + (b - c)
}
