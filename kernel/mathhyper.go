package kernel

import "math"

// Beyond hyperFar a square less or plus 1 is the square, and the inverse functions are the logarithm of twice the value.
const hyperFar = 1 << 28

// log1pTwo is log(1 + x + lo), for x above -1 that is not infinite. lo is below x's last place, or nearly so.
func log1pTwo(x, lo float64) float64 {
	u, rest := twoSum(1, x)
	k, f := logParts(u)
	s, half, sum := logPoly(f)
	w := math.FMA(s, sum, math.FMA(k, ln2Rest, (rest+lo)/u))
	return math.FMA(k, ln2Head, f-(half-w))
}

// arcsinhOf is log(1 + x + x²/(1 + √(1 + x²))), the sum of the last two in two parts.
func arcsinhOf(x float64) float64 {
	ax := math.Abs(x)
	switch {
	case x-x != 0:
		return x
	case ax > hyperFar:
		return math.Copysign(logOf(ax)+ln2Hi, x)
	}
	z := float64(ax * ax)
	a, lo := twoSum(ax, z/(1+math.Sqrt(1+z)))
	return math.Copysign(log1pTwo(a, lo), x)
}

// arccoshOf is log(1 + t + √(2t + t²)) for t = x - 1, the sum of the last two in two parts.
func arccoshOf(x float64) float64 {
	switch {
	case !(x >= 1):
		return nanFrom2(NaN(), x, x)
	case x > hyperFar:
		return logOf(x) + ln2Hi
	}
	t := x - 1
	return log1pTwo(twoSum(math.Sqrt(math.FMA(t, t, t+t)), t))
}

// arctanhOf is half of log(1 + 2x/(1 - x)), with what the quotient lacks.
func arctanhOf(x float64) float64 {
	ax := math.Abs(x)
	switch {
	case !(ax <= 1):
		return nanFrom2(NaN(), x, x)
	case ax == 1:
		return math.Copysign(math.Inf(1), x)
	case ax < 0x1p-27:
		return x // and x³/3
	}
	d, dLo := twoSum(1, -ax)
	q := (ax + ax) / d
	rest := math.FMA(-q, dLo, math.FMA(-q, d, ax+ax))
	return math.Copysign(float64(0.5*log1pTwo(q, rest/d)), x)
}

// addExpFar is from where on what is so much less than another number adds nothing to its exponential.
const addExpFar = 1077

// logaddexpOf is the larger and log(1 + e^-d), d being how far they are apart, all in two parts.
func logaddexpOf(x, y float64) float64 {
	large, d, dLo := largerBy(x, y)
	if !(d <= addExpFar) {
		return nanFrom2(large+0, x, y) // of -0 it is 0
	}
	k, hi, lo := log1pExp(-d, -dLo)
	sum, lo1 := twoSum(large, float64(k*ln2Head))
	sum, lo2 := twoSum(sum, hi)
	return sum + (lo1 + (lo2 + math.FMA(k, ln2Rest, lo)))
}

// logaddexp2Of is [logaddexpOf] to base 2.
func logaddexp2Of(x, y float64) float64 {
	large, d, dLo := largerBy(x, y)
	if !(d <= addExpFar) {
		return nanFrom2(large+0, x, y)
	}
	v := float64(d * ln2Hi)
	k, hi, lo := log1pExp(-v, -math.FMA(dLo, ln2Hi, math.FMA(d, ln2Lo, math.FMA(d, ln2Hi, -v))))
	v = float64(hi * log2eHi)
	lo = math.FMA(lo, log2eHi, math.FMA(hi, log2eLo, math.FMA(hi, log2eHi, -v)))
	sum, lo1 := twoSum(large, k)
	sum, lo2 := twoSum(sum, v)
	return sum + (lo1 + (lo2 + lo))
}

// largerBy is the larger of two numbers and, in two parts, by how much it is. Of a NaN all are NaN.
func largerBy(x, y float64) (large, d, lo float64) {
	large = max(x, y)
	d, lo = twoSum(large, -min(x, y))
	return large, d, lo
}

// log1pExp is log(1 + e^(v+lo)), v ≤ 0, as k·ln2 and two parts.
func log1pExp(v, lo float64) (k, hi, rest float64) {
	p, pLo, n := expTwo(v, lo)
	e := p + pLo
	eLo := (p - e) + pLo
	if v >= -expRange {
		scale := math.Float64frombits(n<<52 + 1023<<52)
		e, eLo = float64(e*scale), float64(eLo*scale)
	} else {
		e, eLo = math.Ldexp(e, int(int32(n))), math.Ldexp(eLo, int(int32(n)))
	}
	if e <= 0x1p-53 { // u would be 1
		return 0, e, math.FMA(-0.5*e, e, eLo)
	}
	u, uLo := twoSum(1, e)
	k, f := logParts(u)
	hi, rest = logTwo(f)
	return k, hi, rest + (uLo+eLo)/u
}
