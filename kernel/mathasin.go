package kernel

import "math"

// asinParts returns t and what the arc sine of t is more than it. For |x| ≤ 1/2 t is |x|, and else the sine of half the
// angle to 1.
func asinParts(ax float64) (t, tail float64, far bool) {
	t, z := ax, float64(ax*ax)
	if ax > 0.5 {
		far = true
		z = float64((1 - ax) * 0.5) // exact
		t = math.Sqrt(z)
	}
	w := float64(z * z)
	a := math.FMA(w, asinC13, asinC11)
	a = math.FMA(w, a, asinC9)
	a = math.FMA(w, a, asinC7)
	a = math.FMA(w, a, asinC5)
	a = math.FMA(w, a, asinC3)
	a = math.FMA(w, a, asinC1)
	b := math.FMA(w, asinC12, asinC10)
	b = math.FMA(w, b, asinC8)
	b = math.FMA(w, b, asinC6)
	b = math.FMA(w, b, asinC4)
	b = math.FMA(w, b, asinC2)
	return t, float64(float64(t*z) * math.FMA(z, b, a)), far
}

// arcFrom is base + factor·(t + tail), base being a multiple of π/2.
func arcFrom(quarters, factor, t, tail float64) float64 {
	base := float64(quarters * halfPiHi)
	sum := math.FMA(factor, t, base)
	rest := math.FMA(factor, t, base-sum) + float64(quarters*halfPiLo)
	return sum + math.FMA(factor, tail, rest)
}

func arcsinOf(x float64) float64 {
	ax := math.Abs(x)
	if !(ax <= 1) {
		return nanFrom2(NaN(), x, x)
	}
	t, tail, far := asinParts(ax)
	quarters, factor := 0.0, 1.0
	if far {
		quarters, factor = 1, -2
	}
	return math.Float64frombits(math.Float64bits(arcFrom(quarters, factor, t, tail)) | math.Float64bits(x)&signBit)
}

func arccosOf(x float64) float64 {
	ax := math.Abs(x)
	if !(ax <= 1) {
		return nanFrom2(NaN(), x, x)
	}
	t, tail, far := asinParts(ax)
	quarters, factor := 1.0, -1.0
	if far {
		quarters, factor = 0, 2
		if x < 0 {
			quarters = 2
		}
	}
	return arcFrom(quarters, math.Float64frombits(math.Float64bits(factor)^math.Float64bits(x)&signBit), t, tail)
}
