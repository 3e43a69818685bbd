package main

import "math"

func exp4(m *machine, x vec) (vec, mask) {
	left := m.cmp(notAtMost, m.abs(x), num(expRange))
	p, s := m.exp4Parts(x)
	return m.fma(s, p, s), left
}

func (m *machine) exp4Parts(x vec) (p, s vec) {
	t := m.fma(x, c("log2eHi"), num(roundMagic))
	r := m.fnma(m.sub(t, num(roundMagic)), c("ln2Hi"), x)
	z := m.mul(r, r)
	p = m.fma(z, m.poly("expS", 2, 7, r, z), r)
	return p, m.addInt(m.left(t, 52), word(math.Float64bits(1)))
}

func (m *machine) expm14Parts(x vec) vec {
	p, s := m.exp4Parts(x)
	return m.fma(s, p, m.sub(s, num(1)))
}

func expm14(m *machine, x vec) (vec, mask) {
	left := m.cmp(notAtMost, m.abs(x), num(expRange))
	return m.or(m.expm14Parts(x), m.sign(x)), left
}

func tanh4(m *machine, x vec) (vec, mask) {
	left := m.cmp(unordered, x, x)
	ax := m.min(m.abs(x), num(22))
	e := m.expm14Parts(m.add(ax, ax))
	return m.or(m.div(e, m.add(e, num(2))), m.sign(x)), left
}

func sinh4(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(expRange))
	e := m.expm14Parts(ax)
	return m.or(m.mul(m.add(e, m.div(e, m.add(e, num(1)))), num(0.5)), m.sign(x)), left
}

func cosh4(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(expRange))
	p, s := m.exp4Parts(ax)
	e := m.fma(s, p, s)
	return m.mul(m.add(e, m.div(num(1), e)), num(0.5)), left
}

func (m *machine) log4Poly(f vec, base string) vec {
	s := m.div(f, m.add(f, num(2)))
	z := m.mul(s, s)
	w := m.mul(z, z)
	a := m.fma(w, name(base, 4), name(base, 2))
	a = m.fma(w, a, name(base, 0))
	return m.mul(s, m.fma(z, m.fma(w, name(base, 3), name(base, 1)), a))
}

func log4(m *machine, x vec) (vec, mask) {
	left := m.outside(x)
	k, f := m.logParts(x)
	return m.fma(k, c("ln2Hi"), m.log4Poly(f, "lnS")), left
}

func log24(m *machine, x vec) (vec, mask) {
	left := m.outside(x)
	k, f := m.logParts(x)
	return m.add(k, m.log4Poly(f, "log2S")), left
}

func log104(m *machine, x vec) (vec, mask) {
	left := m.outside(x)
	k, f := m.logParts(x)
	return m.fma(k, num(named["log10of2Head"]+named["log10of2Rest"]), m.log4Poly(f, "log10S")), left
}

func (m *machine) reduced4(x vec) (r, k vec, left mask) {
	ax := m.abs(x)
	left = m.cmp(notAtMost, ax, num(trigRange))
	k = m.fma(ax, c("twoOverPiHi"), num(roundMagic))
	n := m.sub(k, num(roundMagic))
	return m.fnma(n, c("halfPiLo"), m.fnma(n, c("halfPiHi"), ax)), k, left
}

func (m *machine) sinCos4(r vec) (sin, cos vec) {
	z := m.mul(r, r)
	w := m.mul(z, z)
	sin = m.fma(m.mul(r, z), m.fma(w, c("sinS3"), m.fma(z, c("sinS2"), c("sinS1"))), r)
	a := m.fma(w, c("cosS4"), c("cosS2"))
	b := m.fma(w, c("cosS3"), c("cosS1"))
	return sin, m.fma(w, a, m.fma(z, b, num(1)))
}

func sin4(m *machine, x vec) (vec, mask) {
	r, k, left := m.reduced4(x)
	s, co := m.sinCos4(r)
	y := m.choose(m.lowBit(k), co, s)
	return m.xor(m.xor(y, m.left(m.right(k, 1), 63)), m.sign(x)), left
}

func cos4(m *machine, x vec) (vec, mask) {
	r, k, left := m.reduced4(x)
	s, co := m.sinCos4(r)
	y := m.choose(m.lowBit(k), s, co)
	return m.xor(y, m.left(m.right(m.addInt(k, word(1)), 1), 63)), left
}

func tan4(m *machine, x vec) (vec, mask) {
	r, k, left := m.reduced4(x)
	s, co := m.sinCos4(r)
	odd := m.lowBit(k)
	y := m.div(m.choose(odd, co, s), m.choose(odd, s, co))
	return m.xor(m.xor(y, m.left(k, 63)), m.sign(x)), left
}

func (m *machine) atanRatio4(y, x vec, turn mask) vec {
	n, d := m.min(y, x), m.max(y, x)
	mid := m.cmp(moreThan, n, m.mul(d, num(tanEighthPi)))
	swap := m.cmp(moreThan, y, x)
	t := m.div(m.choose(mid, m.sub(n, d), n), m.choose(mid, m.add(n, d), d))
	eighths := m.where(mid, num(1))
	z := m.mul(t, t)
	t = m.fma(m.mul(z, t), m.chains("atanS", 1, 6, z), t)
	sign := m.where(swap, word(signBit))
	eighths = m.choose(swap, m.sub(num(2), eighths), eighths)
	if turn != nil {
		sign = m.xor(sign, m.where(turn, word(signBit)))
		eighths = m.choose(turn, m.sub(num(4), eighths), eighths)
	}
	return m.fma(eighths, c("quarterPiHi"), m.xor(t, sign))
}

func arctan4(m *machine, x vec) (vec, mask) {
	ax := m.abs(x)
	left := m.cmp(notAtMost, ax, num(atanFar))
	return m.or(m.atanRatio4(ax, m.reg(num(1)), nil), m.sign(x)), left
}

func arctan24(m *machine, y, x vec) (vec, mask) {
	ay, ax := m.abs(y), m.abs(x)
	left := m.anyOf(m.cmp(notAtMost, ay, num(atanFar)), m.cmp(notAtMost, ax, num(atanFar)))
	left = m.anyOf(left, m.anyOf(m.cmp(notAtLeast, ay, num(atanNear)), m.cmp(notAtLeast, ax, num(atanNear))))
	return m.or(m.atanRatio4(ay, ax, m.cmp(lessThan, x, num(0))), m.sign(y)), left
}

func pow4(m *machine, x, y vec) (vec, mask) {
	sign, left := m.powSign(x, y)
	k, f := m.logParts(m.abs(x))
	s := m.div(f, m.add(f, num(2)))
	z := m.mul(s, s)
	poly := m.chains("lnC", 1, 7, z)
	v := m.mul(y, m.fma(k, c("ln2Hi"), m.mul(s, m.fma(z, poly, num(2)))))
	left = m.anyOf(left, m.cmp(notAtMost, m.abs(v), num(expRange)))
	p, scale := m.exp4Parts(v)
	return m.xor(m.fma(scale, p, scale), sign), left
}
