package kernel

import "math"

// Functions of float32 that are computed in float32, in vectors of twice as many values as float64. There is no product and
// sum that are rounded once: Go has none for float32. Results are within 1.1 units of the exact value.

const (
	roundMagicF   = 0x1.8p23 // [roundMagic] for float32
	expRangeF     = 87       // beyond ± this, e^x is not normal, or nearly so
	minNormalF    = 0x1p-126
	halfSqrtBitsF = 0x3f3504f3 // of √½
	fractionF     = 1<<23 - 1
)

// expF is [expOf] in float32.
func expF(v float64) float64 {
	x := float32(v)
	if !(x >= -expRangeF && x <= expRangeF) {
		return exp4Of(v)
	}
	t := float32(x*log2eF) + roundMagicF
	n := t - roundMagicF
	r := x - float32(n*ln2HeadF) // exact
	r -= float32(n * ln2RestF)
	z := float32(r * r)
	a := float32(z*(float32(z*expF6)+expF4)) + expF2
	b := float32(z*expF5) + expF3
	p := float32(z*(float32(r*b)+a)) + r + 1
	return float64(math.Float32frombits(math.Float32bits(p) + math.Float32bits(t)<<23))
}

// logF is [logOf] in float32, without a quotient.
func logF(v float64) float64 {
	x := float32(v)
	if !(x >= minNormalF && x <= math.MaxFloat32) {
		return log4Of(v)
	}
	i := math.Float32bits(x) - halfSqrtBitsF
	k := float32(int32(i) >> 23)
	f := math.Float32frombits(i&fractionF+halfSqrtBitsF) - 1
	z := float32(f * f)
	a := float32(z*lnF9) + lnF7
	a = float32(z*a) + lnF5
	a = float32(z*a) + lnF3
	b := float32(z*lnF10) + lnF8
	b = float32(z*b) + lnF6
	b = float32(z*b) + lnF4
	p := float32(f*b) + a
	y := float32(float32(f*z)*p) + float32(k*ln2RestF)
	y -= float32(z * 0.5)
	return float64(float32(k*ln2HeadF) + (f + y))
}
