package kernel

import "math"

// powOf is the power. Its logarithm has twice the precision of a float64, as a power as large as 2^1024 needs.
func powOf(x, y float64) float64 {
	ax := math.Abs(x)
	if !(ax >= minNormal && ax <= math.MaxFloat64) {
		return powBeyond(x, y)
	}
	sign, ok := powSign(x, y)
	if !ok {
		return powBeyond(x, y)
	}
	hi, lo := powLog(ax, 0)
	v := float64(y * hi)
	if !(math.Abs(v) <= expRange) {
		return powBeyond(x, y)
	}
	p, k := powExp(v, math.FMA(y, lo, math.FMA(y, hi, -v)))
	return math.Float64frombits(math.Float64bits(p) + k<<52 ^ sign)
}

// powSign is the sign of the power of a base, unless that is negative and the exponent not whole.
func powSign(x, y float64) (sign uint64, ok bool) {
	if x < 0 {
		if math.RoundToEven(y) != y {
			return 0, false
		}
		if half := float64(0.5 * y); math.RoundToEven(half) != half {
			return signBit, true
		}
	}
	return 0, true
}

// powLog is the logarithm of x·2^down in two parts, right to some 2^-65 of it. x is normal and above 0.
func powLog(x, down float64) (hi, lo float64) {
	k, f := logParts(x)
	k += down
	// s = f/(2+f) in two parts.
	g := f + 2
	gLo := f - (g - 2)
	inv := 1 / g
	s := float64(f * inv)
	sLo := float64(math.FMA(-s, gLo, math.FMA(-s, g, f)) * inv)
	// z = s², and the series in z without its first term, 2/3.
	z := float64(s * s)
	zLo := math.FMA(s+s, sLo, math.FMA(s, s, -z))
	w := float64(z * z)
	a := math.FMA(w, powC10, powC8)
	a = math.FMA(w, a, powC6)
	a = math.FMA(w, a, powC4)
	a = math.FMA(w, a, powC2)
	b := math.FMA(w, powC9, powC7)
	b = math.FMA(w, b, powC5)
	b = math.FMA(w, b, powC3)
	q := float64(z * math.FMA(z, b, a))
	c := third2Hi + q
	cLo := ((third2Hi - c) + q) + third2Lo
	// s³ times the series, to which 2s is added.
	u := float64(s * z)
	uLo := math.FMA(s, zLo, math.FMA(sLo, z, math.FMA(s, z, -u)))
	t := float64(u * c)
	tLo := math.FMA(u, cLo, math.FMA(uLo, c, math.FMA(u, c, -t)))
	s2 := s + s
	sum := s2 + t
	rest := ((s2 - sum) + t) + math.FMA(2, sLo, tLo)
	// k·ln2.
	n := float64(k * ln2Head)
	hi = n + sum
	return hi, ((n - hi) + sum) + math.FMA(k, ln2Rest, rest)
}

// powExp is e^(v+lo) as p and k, as [expParts].
func powExp(v, lo float64) (p float64, k uint64) {
	h, rest, k := expTwo(v, lo)
	return h + rest, k
}

// expTwo is [powExp] with p in two parts.
func expTwo(v, lo float64) (h, rest float64, k uint64) {
	t := math.FMA(v, log2eHi, roundMagic)
	n := t - roundMagic
	r0 := math.FMA(-n, ln2Hi, v) // exact
	lo = math.FMA(-n, ln2Lo, lo)
	r := r0 + lo
	lo = (r0 - r) + lo
	z := float64(r * r)
	tail := math.FMA(z, expPoly(r, z), math.FMA(lo, r, lo))
	h = r + 1
	return h, ((1 - h) + r) + tail, math.Float64bits(t)
}

// powBeyond is powOf where an operand or the result is not normal.
func powBeyond(x, y float64) float64 {
	ax := math.Abs(x)
	if x != x || y != y || ax > math.MaxFloat64 || math.Abs(y) > math.MaxFloat64 || x == 0 || y == 0 {
		return nanFrom2(math.Pow(x, y), x, y)
	}
	whole := math.Trunc(y) == y
	if x < 0 && !whole {
		return NaN()
	}
	sign := 1.0
	if x < 0 && math.Mod(y, 2) != 0 {
		sign = -1
	}
	var hi, lo float64
	if ax < minNormal {
		hi, lo = powLog(ax*0x1p54, -54)
	} else {
		hi, lo = powLog(ax, 0)
	}
	v := y * hi
	switch {
	case v > 710:
		return sign * math.Inf(1)
	case v < -746:
		return sign * 0
	}
	p, k := powExp(v, math.FMA(y, lo, math.FMA(y, hi, -v)))
	return sign * math.Ldexp(p, int(int32(k)))
}
