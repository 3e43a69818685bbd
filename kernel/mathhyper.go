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
	}
	d, dLo := twoSum(1, -ax)
	q := (ax + ax) / d
	rest := math.FMA(-q, dLo, math.FMA(-q, d, ax+ax))
	return math.Copysign(float64(0.5*log1pTwo(q, rest/d)), x)
}

// logaddexpOf is the larger and log(1 + e^-d), d being how far they are apart.
func logaddexpOf(x, y float64) float64 {
	if x == y {
		return x + ln2Hi // infinities too
	}
	d := x - y
	switch {
	case d > 0:
		return x + log1pOf(expOf(-d))
	case d <= 0:
		return y + log1pOf(expOf(d))
	}
	return nanFrom2(NaN(), x, y)
}

func logaddexp2Of(x, y float64) float64 {
	if x == y {
		return x + 1
	}
	d := x - y
	switch {
	case d > 0:
		return x + log1pOf(exp2Of(-d))/ln2Hi
	case d <= 0:
		return y + log1pOf(exp2Of(d))/ln2Hi
	}
	return nanFrom2(NaN(), x, y)
}
