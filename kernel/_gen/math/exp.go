package main

import "math"

const (
	roundMagic = 0x1.8p52
	expRange   = 708
	exp2Range  = 1021
)

// poly is a polynomial from first to last, in z = x²: its terms of even and of odd powers, as p(x) = a(z) + x·b(z).
func (m *machine) poly(prefix string, first, last int, x, z value) vec {
	chain := func(low int) vec {
		at := last - (last-low)%2
		r := m.fma(z, name(prefix, at), name(prefix, at-2))
		for at -= 4; at >= low; at -= 2 {
			r = m.fma(z, r, name(prefix, at))
		}
		return r
	}
	a := chain(first)
	return m.fma(x, chain(first+1), a)
}

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
	head, tail, s := m.expm1Parts(x)
	y := m.fma(s, tail, head)
	return m.or(y, m.sign(x)), left
}

func (m *machine) expm1Parts(x vec) (head, tail, s vec) {
	t := m.fma(x, c("log2eHi"), num(roundMagic))
	n := m.sub(t, num(roundMagic))
	r0 := m.fnma(n, c("ln2Hi"), x)
	r := m.fnma(n, c("ln2Lo"), r0)
	lo := m.fnma(n, c("ln2Lo"), m.sub(r0, r))
	z := m.mul(r, r)
	tail = m.fma(z, m.poly("expC", 2, 11, r, z), lo)
	s = m.addInt(m.left(t, 52), word(math.Float64bits(1)))
	return m.fma(s, r, m.sub(s, num(1))), tail, s
}
