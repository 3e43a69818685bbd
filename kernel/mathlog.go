package kernel

import "math"

const (
	minNormal    = 0x1p-1022
	halfSqrtBits = 0x3fe6a09e667f3bcd // of √½
	fraction     = 1<<52 - 1
)

// logParts returns k and f, so that x = 2^k·(1 + f) and √½ ≤ 1 + f < √2. x is normal and above 0.
func logParts(x float64) (k, f float64) {
	i := math.Float64bits(x) - halfSqrtBits + 1024<<52
	k = math.Float64frombits(i>>52|math.Float64bits(0x1p52)) - (0x1p52 + 1024)
	return k, math.Float64frombits(i&fraction+halfSqrtBits) - 1
}

// logSeries returns s = f/(2+f), z = s² and a series, so that log(1+f) = f - s·(f - z·series).
// Source: fdlibm, e_log.c.
func logSeries(f float64) (s, z, series float64) {
	s = f / (f + 2)
	z = float64(s * s)
	w := float64(z * z)
	a := math.FMA(w, lnC6, lnC4)
	a = math.FMA(w, a, lnC2)
	b := math.FMA(w, lnC7, lnC5)
	b = math.FMA(w, b, lnC3)
	b = math.FMA(w, b, lnC1)
	return s, z, math.FMA(z, a, b)
}

// logPoly returns s = f/(2+f), f²/2, and its sum with the series in s², so that log(1+f) = f - half + s·sum.
func logPoly(f float64) (s, half, sum float64) {
	s, z, series := logSeries(f)
	half = float64(float64(0.5*f) * f)
	return s, half, math.FMA(z, series, half)
}

// logBeyond calls f, a logarithm of which 2^-54 is down, for what is below the normal numbers, and has the other values.
func logBeyond(x float64, f func(float64) float64, down float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return NaN()
	case x == 0:
		return math.Inf(-1)
	}
	return f(x*0x1p54) + down
}

func logOf(x float64) float64 {
	if !(x >= minNormal && x <= math.MaxFloat64) {
		return logBeyond(x, logOf, -54*ln2Hi)
	}
	k, f := logParts(x)
	s, z, series := logSeries(f)
	w := math.FMA(-s, math.FMA(-z, series, f), float64(k*ln2Rest))
	return math.FMA(k, ln2Head, f+w)
}

// logTwo is log(1 + f) in two parts.
func logTwo(f float64) (hi, lo float64) {
	s, half, sum := logPoly(f)
	hi = f - half
	return hi, math.FMA(s, sum, (f-hi)-half)
}

func log2Of(x float64) float64 {
	if !(x >= minNormal && x <= math.MaxFloat64) {
		return logBeyond(x, log2Of, -54)
	}
	k, f := logParts(x)
	hi, lo := logTwo(f)
	v := float64(hi * log2eHi)
	rest := math.FMA(lo, log2eHi, math.FMA(hi, log2eLo, math.FMA(hi, log2eHi, -v)))
	sum := k + v
	return sum + (rest + ((k - sum) + v))
}

func log10Of(x float64) float64 {
	if !(x >= minNormal && x <= math.MaxFloat64) {
		return logBeyond(x, log10Of, -54*log10of2)
	}
	k, f := logParts(x)
	hi, lo := logTwo(f)
	v := float64(hi * log10eHi)
	rest := math.FMA(lo, log10eHi, math.FMA(hi, log10eLo, math.FMA(hi, log10eHi, -v)))
	rest = math.FMA(k, log10of2Rest, rest)
	n := float64(k * log10of2Head) // exact
	sum := n + v
	return sum + (rest + ((n - sum) + v))
}

// log10of2 is the logarithm of 2 to base 10.
const log10of2 = log10of2Head + log10of2Rest

// log1pOf is the logarithm of u = 1 + x, and what u lacks of it divided by u.
func log1pOf(x float64) float64 {
	if !(x > -1 && x <= math.MaxFloat64) {
		if x == -1 {
			return math.Inf(-1)
		}
		return logBeyond(x, nil, 0)
	}
	u, rest := twoSum(1, x)
	k, f := logParts(u)
	s, half, sum := logPoly(f)
	w := math.FMA(s, sum, math.FMA(k, ln2Rest, rest/u))
	y := math.FMA(k, ln2Head, f-(half-w))
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&signBit) // -0 is -0
}
