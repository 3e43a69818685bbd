package main

import "fmt"

// name returns a numbered constant.
func name(prefix string, i int) literal { return c(fmt.Sprint(prefix, i)) }

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

// chains is a polynomial in z: its terms of even and of odd powers, in z².
func (m *machine) chains(prefix string, first, last int, z vec) vec {
	return m.poly(prefix, first, last, z, m.mul(z, z))
}

// twoSum returns a + b and what it lacks.
func (m *machine) twoSum(a, b value) (sum, rest vec) {
	sum = m.add(a, b)
	e := m.sub(sum, a)
	return sum, m.add(m.sub(a, m.sub(sum, e)), m.sub(b, e))
}
