package main

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
