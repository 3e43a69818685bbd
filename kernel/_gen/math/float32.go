package main

import "math"

const (
	roundMagicF   = 0x1.8p23
	expRangeF     = 87
	minNormalF    = 1 << 23 // as bits, as those that follow
	infinityF     = 0xff << 23
	halfSqrtBitsF = 0x3f3504f3
	fractionF     = 1<<23 - 1
)

func expF(m *machine, x vec) (vec, mask) {
	left := m.cmp(notAtMost, m.abs(x), num(expRangeF))
	t := m.add(m.mul(x, c("log2eF")), num(roundMagicF))
	n := m.sub(t, num(roundMagicF))
	r := m.sub(x, m.mul(n, c("ln2HeadF")))
	r = m.sub(r, m.mul(n, c("ln2RestF")))
	z := m.mul(r, r)
	a := m.mulAdd(z, m.mulAdd(z, c("expF6"), c("expF4")), c("expF2"))
	b := m.mulAdd(z, c("expF5"), c("expF3"))
	p := m.add(m.mulAdd(z, m.mulAdd(r, b, a), r), num(1))
	return m.addInt(p, m.left(t, 23)), left
}

func logF(m *machine, x vec) (vec, mask) {
	left := m.outsideF(x)
	i := m.addInt(x, word32(-halfSqrtBitsF&(1<<32-1)))
	k := m.float(m.rightSigned(i, 23))
	f := m.sub(m.addInt(m.and(i, word32(fractionF)), word32(halfSqrtBitsF)), num(1))
	z := m.mul(f, f)
	a := m.mulAdd(z, c("lnF9"), c("lnF7"))
	a = m.mulAdd(z, a, c("lnF5"))
	a = m.mulAdd(z, a, c("lnF3"))
	b := m.mulAdd(z, c("lnF10"), c("lnF8"))
	b = m.mulAdd(z, b, c("lnF6"))
	b = m.mulAdd(z, b, c("lnF4"))
	y := m.add(m.mul(m.mul(f, z), m.mulAdd(f, b, a)), m.mul(k, c("ln2RestF")))
	y = m.sub(y, m.mul(z, num(0.5)))
	return m.add(m.mul(k, c("ln2HeadF")), m.add(f, y)), left
}

// mulAdd is a·b + c, rounded twice.
func (m *machine) mulAdd(a, b, c value) vec { return m.add(m.mul(a, b), c) }

// outsideF is [machine.outside] for float32.
func (m *machine) outsideF(x vec) mask {
	if m.wide {
		from := m.addInt(x, word32(-minNormalF&(1<<32-1)))
		return m.atLeast(from, word32(infinityF-minNormalF))
	}
	return m.anyOf(m.cmp(notAtMost, x, num(math.MaxFloat32)), m.cmp(notAtLeast, x, num(0x1p-126)))
}
