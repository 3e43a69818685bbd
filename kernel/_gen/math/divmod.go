package main

import "math"

// floorDiv and floorMod are the quotient rounded down and its remainder, of quotients up to mostFloor and divisors that are
// finite and not 0. The rounded quotient can have reached the next whole number: then the remainder has the wrong sign.
// It is exact, or rounded once, as what defines it is.

func floorDiv(m *machine, x, y vec) (vec, mask) {
	n, _, left := m.divMod(x, y)
	return n, left
}

func floorMod(m *machine, x, y vec) (vec, mask) {
	n, sign, left := m.divMod(x, y)
	r := m.abs(m.fnma(n, y, x))
	return m.or(r, sign), left // also of 0
}

func (m *machine) divMod(x, y vec) (n, sign vec, left mask) {
	q := m.div(x, y)
	left = m.cmp(notAtMost, m.abs(q), num(m.mostFloor()))
	n = m.floor(q)
	r := m.fnma(n, y, x)
	left = m.anyOf(left, m.cmp(unordered, r, r)) // of an infinite divisor
	sign = m.sign(y)
	over := m.cmp(lessThan, m.xor(r, sign), num(0))
	return m.choose(over, m.sub(n, num(1)), n), sign, left
}

// mostFloor is the largest quotient of which the definition, which divides a rounded difference, gives the whole number that
// is the exact one: two roundings are off by a quarter at most.
func (m *machine) mostFloor() float64 {
	if m.single {
		return math.Exp2(21)
	}
	return math.Exp2(50)
}
