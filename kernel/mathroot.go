package kernel

import "math"

const (
	cbrtFar    = 0x1p1000        // beyond it and its inverse, inverses may be subnormal
	cbrtThird  = 715094163 << 32 // added to a third of the bits of a number it makes those of about its cube root
	cbrtMask   = ^uint64(1<<30 - 1)
	oneThird   = 1.0 / 3
	twoNinths  = 2.0 / 9
	hypotFar   = 0x1p510
	hypotNear  = 0x1p-450
	hypotScale = 0x1p600
)

// cbrtOf is the cube root: a guess from the bits to 4 bits, a polynomial to 23, and what the cube of these differs by.
// Source: FreeBSD, s_cbrt.c, for the guess.
func cbrtOf(x float64) float64 {
	ax := math.Abs(x)
	if !(ax >= 1/cbrtFar && ax <= cbrtFar) {
		switch {
		case x != x || x == 0 || ax > math.MaxFloat64:
			return x
		case ax < 1:
			return cbrtOf(x*0x1p300) * 0x1p-100
		}
		return cbrtOf(x*0x1p-300) * 0x1p100
	}
	inv := 1 / ax
	d := math.Float64frombits(math.Float64bits(ax)>>32|math.Float64bits(0x1p52)) - 0x1p52
	third := math.Float64bits(math.FMA(d, oneThird, roundMagic))
	t := math.Float64frombits(third<<32 + cbrtThird)
	r := float64(float64(t*t) * float64(t*inv))
	p := math.FMA(r, cbrtC4, cbrtC3)
	p = math.FMA(r, p, cbrtC2)
	p = math.FMA(r, p, cbrtC1)
	p = math.FMA(r, p, cbrtC0)
	t = math.Float64frombits(math.Float64bits(float64(t*p)) & cbrtMask) // t² is exact
	e := float64(math.FMA(float64(t*t), t, -ax) * inv)
	y := math.FMA(float64(t*e), math.FMA(e, twoNinths, -oneThird), t)
	return math.Float64frombits(math.Float64bits(y) | math.Float64bits(x)&signBit)
}

// hypotOf is the length of (x, y).
func hypotOf(x, y float64) float64 {
	ax, ay := math.Abs(x), math.Abs(y)
	if x != x || y != y {
		if ax > math.MaxFloat64 || ay > math.MaxFloat64 {
			return math.Inf(1)
		}
		return nanFrom2(x+y, x, y)
	}
	large, small := max(ax, ay), min(ax, ay)
	scale := 1.0
	if !(large >= hypotNear && large <= hypotFar) {
		switch {
		case large == 0 || large > math.MaxFloat64:
			return large
		case large < 1:
			scale = 1 / hypotScale
		default:
			scale = hypotScale
		}
		large, small = large/scale, small/scale
	}
	return float64(math.Sqrt(math.FMA(large, large, float64(small*small))) * scale)
}
