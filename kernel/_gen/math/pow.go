package main

import "math"

func pow(m *machine, x, y vec) (vec, mask) {
	sign, left := m.powSign(x, y)
	hi, lo := m.powLog(m.abs(x))
	v := m.mul(y, hi)
	left = m.anyOf(left, m.cmp(notAtMost, m.abs(v), num(expRange)))
	lo = m.fma(y, lo, m.fms(y, hi, v))
	p, t := m.powExp(v, lo)
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
