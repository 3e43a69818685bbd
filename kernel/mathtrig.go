package kernel

import "math"

// trigRange is up to where angles are reduced by three parts of π/2. 30 bits of k are exact in all of them.
const trigRange = 1 << 30

// An angle is ax less k·π/2: r + lo, |r| ≤ π/4, of which r has 53 bits also next to multiples of π/2.
type angle struct {
	r, lo float64
	k     uint64 // its two low bits count
}

// reduced reduces ax, which is not negative.
func reduced(ax float64) angle {
	if ax > trigRange {
		return reducedFar(ax)
	}
	t := math.FMA(ax, twoOverPiHi, roundMagic)
	n := t - roundMagic
	a := math.FMA(-n, halfPiHi, ax) // exact: a multiple of 2^-52, or k is 0
	p := float64(n * halfPiLo)
	r := a - p
	c := r - a
	rest := (a - (r - c)) - (p + c)
	rest -= math.FMA(n, halfPiLo, -p)
	return angle{r, math.FMA(-n, halfPiLo2, rest), math.Float64bits(t)}
}

// sinCos returns the sine and the cosine of r + lo.
func (a angle) sinCos() (sin, cos float64) {
	sinLo, h, cosLo := a.sinCosTwo()
	return a.r + sinLo, h + cosLo
}

// sinCosTwo returns what the sine is more than r, and the cosine in two parts.
func (a angle) sinCosTwo() (sinLo, cos, cosLo float64) {
	r, lo := a.r, a.lo
	z := float64(r * r)
	h := math.FMA(-0.5, z, 1)
	w := float64(z * z)

	p := math.FMA(w, sinC5, sinC3)
	p = math.FMA(w, p, sinC1)
	q := math.FMA(w, sinC6, sinC4)
	q = math.FMA(w, q, sinC2)
	p = math.FMA(z, q, p)
	sinLo = math.FMA(float64(z*r), p, float64(lo*h))

	p = math.FMA(w, cosC6, cosC4)
	p = math.FMA(w, p, cosC2)
	q = math.FMA(w, cosC7, cosC5)
	q = math.FMA(w, q, cosC3)
	p = math.FMA(z, q, p)
	return sinLo, h, math.FMA(w, p, math.FMA(-r, lo, math.FMA(-0.5, z, 1-h)))
}

// notAnAngle reports whether x is infinite or NaN, and what functions are of it.
func notAnAngle(x float64) (float64, bool) {
	if x != x {
		return x, true
	}
	return NaN(), math.Abs(x) > math.MaxFloat64
}

func sinOf(x float64) float64 {
	if y, not := notAnAngle(x); not {
		return y
	}
	a := reduced(math.Abs(x))
	sin, cos := a.sinCos()
	if a.k&1 != 0 {
		sin = cos
	}
	return math.Float64frombits(math.Float64bits(sin) ^ a.k>>1<<63 ^ math.Float64bits(x)&signBit)
}

func cosOf(x float64) float64 {
	if y, not := notAnAngle(x); not {
		return y
	}
	a := reduced(math.Abs(x))
	sin, cos := a.sinCos()
	if a.k&1 != 0 {
		cos = sin
	}
	return math.Float64frombits(math.Float64bits(cos) ^ (a.k+1)>>1<<63)
}

// tanOf is the sine by the cosine, or the reverse. What the cosine lacks is taken from the sine: c + d by s is c by s - s·d/c,
// and r is near enough to s/c.
func tanOf(x float64) float64 {
	if y, not := notAnAngle(x); not {
		return y
	}
	a := reduced(math.Abs(x))
	sinLo, h, cosLo := a.sinCosTwo()
	cos := h + cosLo
	sin := a.r + math.FMA(-a.r, (h-cos)+cosLo, sinLo)
	if a.k&1 != 0 {
		sin, cos = cos, sin
	}
	return math.Float64frombits(math.Float64bits(sin/cos) ^ a.k<<63 ^ math.Float64bits(x)&signBit)
}
