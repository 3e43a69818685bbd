package main

import "math"

const (
	cbrtFar   = 0x1p1000
	cbrtThird = 715094163 << 32
	cbrtMask  = ^uint64(1<<30 - 1)
	hypotFar  = 0x1p510
	hypotNear = 0x1p-450
)

func cbrt(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.anyOf(m.cmp(notAtMost, ax, num(cbrtFar)), m.cmp(notAtLeast, ax, num(1/cbrtFar)))
	inv := m.div(num(1), ax)
	d := m.sub(m.or(m.right(ax, 32), num(0x1p52)), num(0x1p52))
	third := m.fma(d, num(1.0/3), num(roundMagic))
	t := m.addInt(m.left(third, 32), word(cbrtThird))
	r := m.mul(m.mul(t, t), m.mul(t, inv))
	p := m.fma(r, c("cbrtC4"), c("cbrtC3"))
	for _, k := range []string{"cbrtC2", "cbrtC1", "cbrtC0"} {
		p = m.fma(r, p, c(k))
	}
	t = m.and(m.mul(t, p), word(cbrtMask))
	e := m.mul(m.fms(m.mul(t, t), t, ax), inv)
	y := m.fma(m.mul(t, e), m.fma(e, num(2.0/9), num(-1.0/3)), t)
	return m.or(y, m.sign(x)), left
}

func hypot(m *machine, x, y vec) (vec, mask) {
	ax, ay := m.abs(x), m.abs(y)
	large, small := m.max(ax, ay), m.min(ax, ay)
	left := m.anyOf(m.cmp(notAtMost, large, num(hypotFar)), m.cmp(notAtLeast, large, num(hypotNear)))
	left = m.anyOf(left, m.cmp(unordered, ax, ay))
	return m.sqrt(m.fma(large, large, m.mul(small, small))), left
}

func (m *machine) asinParts(ax vec) (t, tail vec, far mask) {
	far = m.cmp(moreThan, ax, num(0.5))
	z := m.choose(far, m.mul(m.sub(num(1), ax), num(0.5)), m.mul(ax, ax))
	t = m.choose(far, m.sqrt(z), ax)
	return t, m.mul(m.mul(t, z), m.chains("asinC", 1, 13, z)), far
}

func (m *machine) arcFrom(quarters, factor, t, tail vec) vec {
	base := m.mul(quarters, c("halfPiHi"))
	sum := m.fma(factor, t, base)
	rest := m.add(m.fma(factor, t, m.sub(base, sum)), m.mul(quarters, c("halfPiLo")))
	return m.add(sum, m.fma(factor, tail, rest))
}

func arcsin(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(1))
	t, tail, far := m.asinParts(ax)
	quarters := m.where(far, num(1))
	factor := m.choose(far, num(-2), num(1))
	return m.or(m.arcFrom(quarters, factor, t, tail), m.sign(x)), left
}

func arccos(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(1))
	t, tail, far := m.asinParts(ax)
	quarters := m.choose(far, m.where(m.cmp(lessThan, x, num(0)), num(2)), num(1))
	factor := m.xor(m.choose(far, num(2), num(-1)), m.sign(x))
	return m.arcFrom(quarters, factor, t, tail), left
}

// chains is a polynomial in z: its terms of even and of odd powers, in z².
func (m *machine) chains(prefix string, first, last int, z vec) vec {
	return m.poly(prefix, first, last, z, m.mul(z, z))
}

const (
	tanEighthPi = 0.41421356237309503
	atanFar     = 0x1p400
	atanNear    = 0x1p-400
)

// atanRatio is the angle of y/x; turn, if there is one, is the mask of those it is π less.
func (m *machine) atanRatio(y, x vec, turn mask) vec {
	n, d := m.min(y, x), m.max(y, x)
	mid := m.cmp(moreThan, n, m.mul(d, num(tanEighthPi)))
	swap := m.cmp(moreThan, y, x)
	less, more := m.sub(n, d), m.add(n, d)
	numLo := m.where(mid, m.sub(n, m.add(less, d)))
	denLo := m.where(mid, m.sub(n, m.sub(more, d)))
	top, den := m.choose(mid, less, n), m.choose(mid, more, d)
	eighths := m.where(mid, num(1))
	inv := m.div(num(1), den)
	t := m.mul(top, inv)
	rest := m.add(m.fnma(t, den, top), m.fnma(t, denLo, numLo))
	lo := m.mul(rest, inv)
	z := m.mul(t, t)
	tail := m.fma(m.mul(z, t), m.chains("atanC", 1, 11, z), lo)
	sign := m.where(swap, word(signBit))
	eighths = m.choose(swap, m.sub(num(2), eighths), eighths)
	if turn != nil {
		sign = m.xor(sign, m.where(turn, word(signBit)))
		eighths = m.choose(turn, m.sub(num(4), eighths), eighths)
	}
	t, tail = m.xor(t, sign), m.xor(tail, sign)
	base := m.mul(eighths, c("quarterPiHi"))
	baseLo := m.fma(eighths, c("quarterPiLo"), m.fms(eighths, c("quarterPiHi"), base))
	sum := m.add(base, t)
	return m.add(sum, m.add(m.add(m.sub(base, sum), t), m.add(tail, baseLo)))
}

func arctan(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(atanFar))
	return m.or(m.atanRatio(ax, m.reg(num(1)), nil), m.sign(x)), left
}

func arctan2(m *machine, y, x vec) (vec, mask) {
	ay, ax := m.abs(y), m.abs(x)
	left := m.anyOf(m.cmp(notAtMost, ay, num(atanFar)), m.cmp(notAtMost, ax, num(atanFar)))
	left = m.anyOf(left, m.anyOf(m.cmp(notAtLeast, ay, num(atanNear)), m.cmp(notAtLeast, ax, num(atanNear))))
	return m.or(m.atanRatio(ay, ax, m.cmp(lessThan, x, num(0))), m.sign(y)), left
}

func tanh(m *machine, x vec) (vec, mask) {
	left := m.cmp(unordered, x, x)
	ax := m.min(m.abs(x), num(22))
	h0, tail, s := m.expm1Parts(m.add(ax, ax))
	e := m.fma(s, tail, h0)
	lo := m.fma(s, tail, m.sub(h0, e))
	d, dLo := m.twoSum(e, m.reg(num(2)))
	inv := m.div(num(1), d)
	q := m.mul(e, inv)
	rest := m.add(m.fnma(q, d, e), m.fnma(q, m.add(dLo, lo), lo))
	return m.or(m.fma(rest, inv, q), m.sign(x)), left
}

func sinh(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(expRange))
	h0, tail, s := m.expm1Parts(ax)
	e := m.fma(s, tail, h0)
	lo := m.fma(s, tail, m.sub(h0, e))
	q := m.add(m.div(e, m.add(e, num(1))), lo)
	return m.or(m.mul(m.add(e, q), num(0.5)), m.sign(x)), left
}

func cosh(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(expRange))
	p, t := m.expParts(ax)
	e := m.addInt(p, m.left(t, 52))
	return m.mul(m.add(e, m.div(num(1), e)), num(0.5)), left
}

func pow(m *machine, x, y vec) (vec, mask) {
	sign, left := m.powSign(x, y)
	hi, lo := m.powLog(m.abs(x))
	v := m.mul(y, hi)
	left = m.anyOf(left, m.cmp(notAtMost, m.abs(v), num(expRange)))
	lo = m.fma(y, lo, m.fms(y, hi, v))
	p, t := m.powExp(v, lo)
	return m.xor(m.addInt(p, m.left(t, 52)), sign), left
}

// pow4 is what is rounded to float32.
func pow4(m *machine, x, y vec) (vec, mask) {
	sign, left := m.powSign(x, y)
	k, f := m.logParts(m.abs(x))
	s, half, sum := m.logPoly(f)
	w := m.fma(s, sum, m.mul(k, c("ln2Rest")))
	v := m.mul(y, m.fma(k, c("ln2Head"), m.sub(f, m.sub(half, w))))
	left = m.anyOf(left, m.cmp(notAtMost, m.abs(v), num(expRange)))
	p, t := m.expParts(v)
	return m.xor(m.addInt(p, m.left(t, 52)), sign), left
}

// powSign returns the sign of the power, and of which it is not known or has no normal base.
func (m *machine) powSign(x, y vec) (sign vec, left mask) {
	ax := m.abs(x)
	left = m.anyOf(m.cmp(notAtMost, ax, num(math.MaxFloat64)), m.cmp(notAtLeast, ax, num(minNormal)))
	negative := m.cmp(lessThan, x, num(0))
	left = m.anyOf(left, m.allOf(negative, m.cmp(notEqual, m.round(y), y)))
	half := m.mul(y, num(0.5))
	odd := m.cmp(notEqual, m.round(half), half)
	return m.where(m.allOf(negative, odd), word(signBit)), left
}

func (m *machine) powLog(x vec) (hi, lo vec) {
	k, f := m.logParts(x)
	g := m.add(f, num(2))
	gLo := m.sub(f, m.sub(g, num(2)))
	inv := m.div(num(1), g)
	s := m.mul(f, inv)
	sLo := m.mul(m.fnma(s, gLo, m.fnma(s, g, f)), inv)
	z := m.mul(s, s)
	zLo := m.fma(m.add(s, s), sLo, m.fms(s, s, z))
	q := m.mul(z, m.chains("powC", 2, 10, z))
	co := m.add(q, c("third2Hi"))
	coLo := m.add(m.add(m.sub(c("third2Hi"), co), q), c("third2Lo"))
	u := m.mul(s, z)
	uLo := m.fma(s, zLo, m.fma(sLo, z, m.fms(s, z, u)))
	t := m.mul(u, co)
	tLo := m.fma(u, coLo, m.fma(uLo, co, m.fms(u, co, t)))
	s2 := m.add(s, s)
	sum := m.add(s2, t)
	rest := m.add(m.add(m.sub(s2, sum), t), m.fma(sLo, num(2), tLo))
	n := m.mul(k, c("ln2Head"))
	hi = m.add(n, sum)
	return hi, m.add(m.add(m.sub(n, hi), sum), m.fma(k, c("ln2Rest"), rest))
}

func (m *machine) powExp(v, lo vec) (p, t vec) {
	t = m.fma(v, c("log2eHi"), num(roundMagic))
	n := m.sub(t, num(roundMagic))
	r0 := m.fnma(n, c("ln2Hi"), v)
	lo = m.fnma(n, c("ln2Lo"), lo)
	r := m.add(r0, lo)
	lo = m.add(m.sub(r0, r), lo)
	z := m.mul(r, r)
	tail := m.fma(z, m.poly("expC", 2, 11, r, z), m.fma(lo, r, lo))
	h := m.add(r, num(1))
	return m.add(h, m.add(m.add(m.sub(num(1), h), r), tail)), t
}
