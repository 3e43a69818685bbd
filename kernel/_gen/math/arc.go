package main

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
	baseLo := m.mul(eighths, c("quarterPiLo"))
	if turn != nil { // else base is exact
		baseLo = m.fma(eighths, c("quarterPiLo"), m.fms(eighths, c("quarterPiHi"), base))
	}
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
