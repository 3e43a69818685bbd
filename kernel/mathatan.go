package kernel

import "math"

const (
	tanEighthPi = 0.41421356237309503 // √2 - 1
	atanFar     = 0x1p400             // sides of a right angle of such sizes have products that neither overflow nor vanish
	atanNear    = 0x1p-400
)

// atanRatio is the angle whose tangent is y/x, neither of them negative; with turn it is π less that. The smaller is divided
// by the larger, or their difference by their sum, and the quotient's rest is kept.
func atanRatio(y, x float64, turn bool) float64 {
	n, d := min(y, x), max(y, x)
	num, den, numLo, denLo, eighths := n, d, 0.0, 0.0, 0.0
	if n > float64(tanEighthPi*d) {
		num, den = n-d, n+d
		numLo, denLo = n-(num+d), n-(den-d)
		eighths = 1
	}
	inv := 1 / den
	t := float64(num * inv)
	rest := math.FMA(-t, den, num) + math.FMA(-t, denLo, numLo)
	lo := float64(rest * inv)
	z := float64(t * t)
	tail := math.FMA(float64(z*t), atanPoly(z), lo)
	negative := false
	if y > x {
		eighths, negative = 2-eighths, true
	}
	if turn {
		eighths, negative = 4-eighths, !negative
	}
	if negative {
		t, tail = -t, -tail
	}
	c := float64(eighths * quarterPiHi)
	cLo := math.FMA(eighths, quarterPiLo, math.FMA(eighths, quarterPiHi, -c))
	sum := c + t
	return sum + (((c - sum) + t) + (tail + cLo))
}

// atanPoly is (arctan(t)/t - 1)/t² for z = t².
func atanPoly(z float64) float64 {
	w := float64(z * z)
	a := math.FMA(w, atanC11, atanC9)
	a = math.FMA(w, a, atanC7)
	a = math.FMA(w, a, atanC5)
	a = math.FMA(w, a, atanC3)
	a = math.FMA(w, a, atanC1)
	b := math.FMA(w, atanC10, atanC8)
	b = math.FMA(w, b, atanC6)
	b = math.FMA(w, b, atanC4)
	b = math.FMA(w, b, atanC2)
	return math.FMA(z, b, a)
}

// arctanOf is the angle of a point at a distance of 1 from the second axis.
func arctanOf(x float64) float64 {
	ax := math.Abs(x)
	if !(ax <= atanFar) {
		if x != x {
			return x
		}
		return math.Copysign(halfPiHi, x)
	}
	return math.Float64frombits(math.Float64bits(atanRatio(ax, 1, false)) | math.Float64bits(x)&signBit)
}

func arctan2Of(y, x float64) float64 {
	ay, ax := math.Abs(y), math.Abs(x)
	if !(ay <= atanFar && ax <= atanFar && ay >= atanNear && ax >= atanNear) {
		return arctan2Beyond(y, x)
	}
	return math.Float64frombits(math.Float64bits(atanRatio(ay, ax, math.Signbit(x))) | math.Float64bits(y)&signBit)
}

// arctan2Beyond is arctan2Of for sizes that are scaled first, and for what is no size.
func arctan2Beyond(y, x float64) float64 {
	ay, ax := math.Abs(y), math.Abs(x)
	switch {
	case x != x || y != y || ax == 0 || ay == 0 || ax > math.MaxFloat64 || ay > math.MaxFloat64:
		return nanFrom2(math.Atan2(y, x), y, x)
	case ay <= atanNear && ax <= atanNear:
		ay, ax = ay*0x1p600, ax*0x1p600
	case ay >= atanFar && ax >= atanFar:
		ay, ax = ay*0x1p-600, ax*0x1p-600
	}
	var r float64
	switch _, ny := math.Frexp(ay); {
	default:
		r = atanRatio(ay, ax, math.Signbit(x))
	case ny-exponent(ax) > 100: // the quotient is as good as infinite
		r = halfPiHi
	case ny-exponent(ax) < -100:
		r = ay / ax
		if math.Signbit(x) {
			r = math.Pi
		}
	}
	return math.Copysign(r, y)
}

func exponent(x float64) int {
	_, n := math.Frexp(x)
	return n
}

// nanFrom2 is z, or the NaN among x and y that z is of.
func nanFrom2(z, x, y float64) float64 {
	switch {
	case z == z:
		return z
	case x != x:
		return x
	case y != y:
		return y
	}
	return NaN()
}
