package main

import "math"

const (
	minNormal    = 0x1p-1022
	halfSqrtBits = 0x3fe6a09e667f3bcd
	fraction     = 1<<52 - 1

	minNormalBits = 1 << 52
	infinityBits  = 0x7ff << 52
)

func (m *machine) logParts(x vec) (k, f vec) {
	i := m.addInt(x, word(1024<<52-halfSqrtBits))
	k = m.sub(m.or(m.right(i, 52), num(0x1p52)), num(0x1p52+1024))
	return k, m.sub(m.addInt(m.and(i, word(fraction)), word(halfSqrtBits)), num(1))
}

func (m *machine) logSeries(f vec) (s, z, series vec) {
	s = m.div(f, m.add(f, num(2)))
	z = m.mul(s, s)
	w := m.mul(z, z)
	a := m.fma(w, c("lnC6"), c("lnC4"))
	a = m.fma(w, a, c("lnC2"))
	b := m.fma(w, c("lnC7"), c("lnC5"))
	b = m.fma(w, b, c("lnC3"))
	b = m.fma(w, b, c("lnC1"))
	return s, z, m.fma(z, a, b)
}

func (m *machine) logPoly(f vec) (s, half, sum vec) {
	s, z, series := m.logSeries(f)
	half = m.mul(m.mul(f, num(0.5)), f)
	return s, half, m.fma(z, series, half)
}

func logE(m *machine, x vec) (vec, mask) {
	left := m.outside(x)
	k, f := m.logParts(x)
	s, z, series := m.logSeries(f)
	w := m.fnma(s, m.fnma(z, series, f), m.mul(k, c("ln2Rest")))
	return m.fma(k, c("ln2Head"), m.add(f, w)), left
}

// outside is the mask of what is not a normal number above 0.
func (m *machine) outside(x vec) mask {
	if m.wide { // as integers, of which those are the others without a sign
		from := m.addInt(x, word(-minNormalBits&(1<<64-1)))
		return m.atLeast(from, word(infinityBits-minNormalBits))
	}
	return m.anyOf(m.cmp(notAtMost, x, num(math.MaxFloat64)), m.cmp(notAtLeast, x, num(minNormal)))
}

func (m *machine) logTwo(f vec) (hi, lo vec) {
	s, half, sum := m.logPoly(f)
	hi = m.sub(f, half)
	return hi, m.fma(s, sum, m.sub(m.sub(f, hi), half))
}

func (m *machine) logTimes(f vec, base string) (v, rest vec) {
	hi, lo := m.logTwo(f)
	v = m.mul(hi, c(base+"Hi"))
	return v, m.fma(lo, c(base+"Hi"), m.fma(hi, c(base+"Lo"), m.fms(hi, c(base+"Hi"), v)))
}

func log2(m *machine, x vec) (vec, mask) {
	left := m.outside(x)
	k, f := m.logParts(x)
	v, rest := m.logTimes(f, "log2e")
	sum := m.add(k, v)
	return m.add(sum, m.add(rest, m.add(m.sub(k, sum), v))), left
}

func log10(m *machine, x vec) (vec, mask) {
	left := m.outside(x)
	k, f := m.logParts(x)
	v, rest := m.logTimes(f, "log10e")
	rest = m.fma(k, c("log10of2Rest"), rest)
	n := m.mul(k, c("log10of2Head"))
	sum := m.add(n, v)
	return m.add(sum, m.add(rest, m.add(m.sub(n, sum), v))), left
}

func log1p(m *machine, x vec) (vec, mask) {
	left := m.anyOf(m.cmp(notAtMost, x, num(math.MaxFloat64)), m.cmp(notMore, x, num(-1)))
	u, rest := m.twoSum(m.reg(num(1)), x)
	k, f := m.logParts(u)
	s, half, sum := m.logPoly(f)
	w := m.fma(s, sum, m.fma(k, c("ln2Rest"), m.div(rest, u)))
	y := m.fma(k, c("ln2Head"), m.sub(f, m.sub(half, w)))
	return m.or(y, m.sign(x)), left
}
