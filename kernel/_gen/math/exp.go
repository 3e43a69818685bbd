package main

import "math"

const (
	roundMagic = 0x1.8p52
	expRange   = 708
	exp2Range  = 1021
)

func exp(m *machine, x vec) (vec, mask) {
	left := m.cmp(notAtMost, m.abs(x), num(expRange))
	p, t := m.expParts(x)
	return m.addInt(p, m.left(t, 52)), left
}

func (m *machine) expParts(x vec) (p, t vec) {
	t = m.fma(x, c("log2eHi"), num(roundMagic))
	n := m.sub(t, num(roundMagic))
	r := m.fnma(n, c("ln2Hi"), x)
	r = m.fnma(n, c("ln2Lo"), r)
	z := m.mul(r, r)
	return m.add(m.fma(z, m.poly("expC", 2, 11, r, z), r), num(1)), t
}

func exp2(m *machine, x vec) (vec, mask) {
	left := m.cmp(notAtMost, m.abs(x), num(exp2Range))
	t := m.add(x, num(roundMagic))
	r := m.sub(x, m.sub(t, num(roundMagic)))
	z := m.mul(r, r)
	q := m.mul(z, m.poly("twoC", 2, 11, r, z))
	p := m.add(m.fma(r, c("ln2Hi"), q), num(1))
	return m.addInt(p, m.left(t, 52)), left
}

func expm1(m *machine, x vec) (vec, mask) {
	left := m.cmp(notAtMost, m.abs(x), num(expRange))
	r, tail, s := m.expm1Parts(x)
	y := m.fma(s, tail, m.fma(s, r, m.sub(s, num(1))))
	return m.or(y, m.sign(x)), left
}

func (m *machine) expm1Parts(x vec) (r, tail, s vec) {
	t := m.fma(x, c("log2eHi"), num(roundMagic))
	n := m.sub(t, num(roundMagic))
	r0 := m.fnma(n, c("ln2Hi"), x)
	r = m.fnma(n, c("ln2Lo"), r0)
	lo := m.fnma(n, c("ln2Lo"), m.sub(r0, r))
	z := m.mul(r, r)
	tail = m.fma(z, m.poly("expC", 2, 11, r, z), lo)
	s = m.addInt(m.left(t, 52), word(math.Float64bits(1)))
	return r, tail, s
}

func (m *machine) expm1Two(x vec) (e, lo vec) {
	r, tail, s := m.expm1Parts(x)
	n := m.sub(s, num(1))
	h := m.fma(s, r, n)
	e = m.fma(s, tail, h)
	return e, m.add(m.fma(s, tail, m.sub(h, e)), m.fma(s, r, m.sub(n, h)))
}

// quotient is e / (e + more), and the rest by which it is to be multiplied by inv.
func (m *machine) quotient(e, lo vec, more float64) (q, rest, inv vec) {
	d, dLo := m.twoSum(e, m.reg(num(more)))
	inv = m.div(num(1), d)
	q = m.mul(e, inv)
	return q, m.add(m.fnma(q, d, e), m.fnma(q, m.add(dLo, lo), lo)), inv
}

func tanh(m *machine, x vec) (vec, mask) {
	left := m.cmp(unordered, x, x)
	ax := m.min(m.abs(x), num(22))
	e, lo := m.expm1Two(m.add(ax, ax))
	q, rest, inv := m.quotient(e, lo, 2)
	return m.or(m.fma(rest, inv, q), m.sign(x)), left
}

func sinh(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(expRange))
	e, lo := m.expm1Two(ax)
	q, rest, inv := m.quotient(e, lo, 1)
	sum := m.add(e, q)
	y := m.mul(m.add(sum, m.add(m.add(m.sub(e, sum), q), m.fma(rest, inv, lo))), num(0.5))
	return m.or(y, m.sign(x)), left
}

func cosh(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(expRange))
	p, t := m.expParts(ax)
	e := m.addInt(p, m.left(t, 52))
	return m.mul(m.add(e, m.div(num(1), e)), num(0.5)), left
}
