package kernel

import "math"

// Functions that are rounded to float32, but for those of mathfloat32.go: computed in float64 too, with polynomials of some
// 30 bits. Results are the nearest float32, or nearly so: within 0.58 units of the exact value.

func exp4Of(x float64) float64 {
	if !(math.Abs(x) <= expRange) {
		return expBeyond(x)
	}
	p, s := exp4Parts(x)
	return math.FMA(s, p, s)
}

// exp4Parts returns e^r - 1 and 2^k.
func exp4Parts(x float64) (p, s float64) {
	t := math.FMA(x, log2eHi, roundMagic)
	r := math.FMA(-(t - roundMagic), ln2Hi, x)
	z := float64(r * r)
	a := math.FMA(z, expS6, expS4)
	a = math.FMA(z, a, expS2)
	b := math.FMA(z, expS7, expS5)
	b = math.FMA(z, b, expS3)
	return math.FMA(z, math.FMA(r, b, a), r), math.Float64frombits(math.Float64bits(t)<<52 + 1023<<52)
}

func expm14Of(x float64) float64 {
	if !(math.Abs(x) <= expRange) {
		return expm1Of(x)
	}
	p, s := exp4Parts(x)
	return math.Float64frombits(math.Float64bits(math.FMA(s, p, s-1)) | math.Float64bits(x)&signBit)
}

func tanh4Of(x float64) float64 {
	if x != x {
		return x
	}
	ax := min(math.Abs(x), tanhMax)
	p, s := exp4Parts(ax + ax)
	e := math.FMA(s, p, s-1)
	return math.Float64frombits(math.Float64bits(e/(e+2)) | math.Float64bits(x)&signBit)
}

func sinh4Of(x float64) float64 {
	ax := math.Abs(x)
	if !(ax <= expRange) {
		return sinhOf(x)
	}
	p, s := exp4Parts(ax)
	e := math.FMA(s, p, s-1)
	return math.Float64frombits(math.Float64bits(float64(0.5*(e+e/(e+1)))) | math.Float64bits(x)&signBit)
}

func cosh4Of(x float64) float64 {
	if !(math.Abs(x) <= expRange) {
		return coshBeyond(x)
	}
	p, s := exp4Parts(math.Abs(x))
	e := math.FMA(s, p, s)
	return float64(0.5 * (e + 1/e))
}

// log4Poly is log(1 + f) to a base whose series is given.
func log4Poly(f, c0, c1, c2, c3, c4 float64) float64 {
	s := f / (f + 2)
	z := float64(s * s)
	w := float64(z * z)
	a := math.FMA(w, c4, c2)
	a = math.FMA(w, a, c0)
	return float64(s * math.FMA(z, math.FMA(w, c3, c1), a))
}

func log4Of(x float64) float64 {
	if !(x >= minNormal && x <= math.MaxFloat64) {
		return logOf(x)
	}
	k, f := logParts(x)
	return math.FMA(k, ln2Hi, log4Poly(f, lnS0, lnS1, lnS2, lnS3, lnS4))
}

func log24Of(x float64) float64 {
	if !(x >= minNormal && x <= math.MaxFloat64) {
		return log2Of(x)
	}
	k, f := logParts(x)
	return k + log4Poly(f, log2S0, log2S1, log2S2, log2S3, log2S4)
}

func log104Of(x float64) float64 {
	if !(x >= minNormal && x <= math.MaxFloat64) {
		return log10Of(x)
	}
	k, f := logParts(x)
	return math.FMA(k, log10of2, log4Poly(f, log10S0, log10S1, log10S2, log10S3, log10S4))
}

// reduced4 is [reduced] in one part.
func reduced4(ax float64) (r float64, k uint64) {
	if ax > trigRange {
		a := reducedFar(ax)
		return a.r, a.k
	}
	t := math.FMA(ax, twoOverPiHi, roundMagic)
	n := t - roundMagic
	return math.FMA(-n, halfPiLo, math.FMA(-n, halfPiHi, ax)), math.Float64bits(t)
}

func sinCos4(r float64) (sin, cos float64) {
	z := float64(r * r)
	w := float64(z * z)
	sin = math.FMA(float64(r*z), math.FMA(w, sinS3, math.FMA(z, sinS2, sinS1)), r)
	a := math.FMA(w, cosS4, cosS2)
	b := math.FMA(w, cosS3, cosS1)
	return sin, math.FMA(w, a, math.FMA(z, b, 1))
}

func sin4Of(x float64) float64 {
	if y, not := notAnAngle(x); not {
		return y
	}
	r, k := reduced4(math.Abs(x))
	sin, cos := sinCos4(r)
	if k&1 != 0 {
		sin = cos
	}
	return math.Float64frombits(math.Float64bits(sin) ^ k>>1<<63 ^ math.Float64bits(x)&signBit)
}

func cos4Of(x float64) float64 {
	if y, not := notAnAngle(x); not {
		return y
	}
	r, k := reduced4(math.Abs(x))
	sin, cos := sinCos4(r)
	if k&1 != 0 {
		cos = sin
	}
	return math.Float64frombits(math.Float64bits(cos) ^ (k+1)>>1<<63)
}

func tan4Of(x float64) float64 {
	if y, not := notAnAngle(x); not {
		return y
	}
	r, k := reduced4(math.Abs(x))
	sin, cos := sinCos4(r)
	if k&1 != 0 {
		sin, cos = cos, sin
	}
	return math.Float64frombits(math.Float64bits(sin/cos) ^ k<<63 ^ math.Float64bits(x)&signBit)
}

// atanRatio4 is [atanRatio] without the quotient's rest.
func atanRatio4(y, x float64, turn bool) float64 {
	n, d := min(y, x), max(y, x)
	num, den, eighths := n, d, 0.0
	if n > float64(tanEighthPi*d) {
		num, den, eighths = n-d, n+d, 1
	}
	t := num / den
	z := float64(t * t)
	w := float64(z * z)
	a := math.FMA(w, atanS5, atanS3)
	a = math.FMA(w, a, atanS1)
	b := math.FMA(w, atanS6, atanS4)
	b = math.FMA(w, b, atanS2)
	t = math.FMA(float64(z*t), math.FMA(z, b, a), t)
	negative := false
	if y > x {
		eighths, negative = 2-eighths, true
	}
	if turn {
		eighths, negative = 4-eighths, !negative
	}
	if negative {
		t = -t
	}
	return math.FMA(eighths, quarterPiHi, t)
}

func arctan4Of(x float64) float64 {
	ax := math.Abs(x)
	if !(ax <= atanFar) {
		return arctanOf(x)
	}
	return math.Float64frombits(math.Float64bits(atanRatio4(ax, 1, false)) | math.Float64bits(x)&signBit)
}

func arctan24Of(y, x float64) float64 {
	ay, ax := math.Abs(y), math.Abs(x)
	if !(ay <= atanFar && ax <= atanFar && ay >= atanNear && ax >= atanNear) {
		return arctan2Beyond(y, x)
	}
	return math.Float64frombits(math.Float64bits(atanRatio4(ay, ax, math.Signbit(x))) | math.Float64bits(y)&signBit)
}

// pow4Of has a logarithm and an exponential of all bits of a float64, in which the exponent multiplies errors.
func pow4Of(x, y float64) float64 {
	ax := math.Abs(x)
	if !(ax >= minNormal && ax <= math.MaxFloat64) {
		return powBeyond(x, y)
	}
	sign, ok := powSign(x, y)
	if !ok {
		return powBeyond(x, y)
	}
	k, f := logParts(ax)
	s := f / (f + 2)
	z := float64(s * s)
	w := float64(z * z)
	a := math.FMA(w, lnC6, lnC4)
	a = math.FMA(w, a, lnC2)
	b := math.FMA(w, lnC7, lnC5)
	b = math.FMA(w, b, lnC3)
	b = math.FMA(w, b, lnC1)
	v := float64(y * math.FMA(k, ln2Hi, float64(s*math.FMA(z, math.FMA(z, a, b), 2))))
	if !(math.Abs(v) <= expRange) {
		return powBeyond(x, y)
	}
	p, scale := exp4Parts(v)
	return math.Float64frombits(math.Float64bits(math.FMA(scale, p, scale)) ^ sign)
}
