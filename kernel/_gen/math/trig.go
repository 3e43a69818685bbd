package main

const trigRange = 1 << 30

// reduced reduces |x|, and returns what it cannot.
func (m *machine) reduced(x vec) (r, lo, k vec, left mask) {
	ax := m.abs(x)
	left = m.cmp(notAtMost, ax, num(trigRange))
	k = m.fma(ax, c("twoOverPiHi"), num(roundMagic))
	n := m.sub(k, num(roundMagic))
	a := m.fnma(n, c("halfPiHi"), ax)
	p := m.mul(n, c("halfPiLo"))
	r = m.sub(a, p)
	e := m.sub(r, a)
	rest := m.sub(m.sub(a, m.sub(r, e)), m.add(p, e))
	rest = m.sub(rest, m.fms(n, c("halfPiLo"), p))
	return r, m.fnma(n, c("halfPiLo2"), rest), k, left
}

func (m *machine) sinCos(r, lo vec) (sin, cos vec) {
	sinLo, h, cosLo := m.sinCosTwo(r, lo)
	return m.add(r, sinLo), m.add(h, cosLo)
}

func (m *machine) sinCosTwo(r, lo vec) (sinLo, cos, cosLo vec) {
	z := m.mul(r, r)
	h := m.fnma(z, num(0.5), num(1))
	w := m.mul(z, z)

	p := m.fma(w, c("sinC5"), c("sinC3"))
	p = m.fma(w, p, c("sinC1"))
	q := m.fma(w, c("sinC6"), c("sinC4"))
	q = m.fma(w, q, c("sinC2"))
	p = m.fma(z, q, p)
	sinLo = m.fma(m.mul(z, r), p, m.mul(lo, h))

	p = m.fma(w, c("cosC6"), c("cosC4"))
	p = m.fma(w, p, c("cosC2"))
	q = m.fma(w, c("cosC7"), c("cosC5"))
	q = m.fma(w, q, c("cosC3"))
	p = m.fma(z, q, p)
	rest := m.fnma(z, num(0.5), m.sub(m.reg(num(1)), h))
	return sinLo, h, m.fma(w, p, m.fnma(r, lo, rest))
}

func sin(m *machine, x vec) (vec, mask) {
	r, lo, k, left := m.reduced(x)
	s, co := m.sinCos(r, lo)
	y := m.choose(m.lowBit(k), co, s)
	return m.xor(m.xor(y, m.left(m.right(k, 1), 63)), m.sign(x)), left
}

func cos(m *machine, x vec) (vec, mask) {
	r, lo, k, left := m.reduced(x)
	s, co := m.sinCos(r, lo)
	y := m.choose(m.lowBit(k), s, co)
	return m.xor(y, m.left(m.right(m.addInt(k, word(1)), 1), 63)), left
}

func tan(m *machine, x vec) (vec, mask) {
	r, lo, k, left := m.reduced(x)
	sinLo, h, cosLo := m.sinCosTwo(r, lo)
	co := m.add(h, cosLo)
	s := m.add(r, m.fnma(r, m.add(m.sub(h, co), cosLo), sinLo))
	odd := m.lowBit(k)
	y := m.div(m.choose(odd, co, s), m.choose(odd, s, co))
	return m.xor(m.xor(y, m.left(k, 63)), m.sign(x)), left
}
