package kernel_test

import (
	"math"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

// Of any bits vectors make what the function of one value makes, near to what package math has.
func FuzzMath(f *testing.F) {
	for i, bits := range []uint64{0, 0x3ff << 52, 0x7ff << 52, 0x7ff8<<48 + 3, 1, 0x4086232bdd7abcd2, 0x41d<<52 + 12345, 0xc030000000000000} {
		f.Add(bits, bits*0x9e3779b97f4a7c15, uint8(i))
	}
	f.Fuzz(func(t *testing.T, first, second uint64, which uint8) {
		c := mathCases[int(which)%len(mathCases)]
		x, y, got := make([]float64, 9), make([]float64, 9), make([]float64, 9)
		for i := range x {
			x[i] = math.Float64frombits(first + uint64(i)*0x3039)
			y[i] = math.Float64frombits(second - uint64(i)*0xd431)
		}
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			before := kernel.SetLevel(l)
			c.of(got, x, y)
			kernel.SetLevel(before)
			for i := range got {
				if one := c.one8(x[i], y[i]); math.Float64bits(one) != math.Float64bits(got[i]) {
					t.Fatalf("%s of %v, %v: %v at level %v, %v of one", c.name, x[i], y[i], got[i], l, one)
				}
			}
		}
		for i := range got {
			if d := c.fromMath(x[i], y[i], got[i]); !(d <= 3) {
				t.Fatalf("%s(%v, %v) = %v: %v units from package math", c.name, x[i], y[i], got[i], d)
			}
		}
	})
}

// fromMath is how many units a value is from that of package math, where that is right to about one.
func (c *mathCase) fromMath(x, y, got float64) float64 {
	var want float64
	ax := math.Abs(x)
	switch {
	case c.like2 != nil:
		want = c.like2(x, y)
		if c.name == "power" && !(math.Abs(y) < 4 && ax > 0x1p-1000) { // it rounds at every step
			return 0
		}
	default:
		want = c.like(x)
		switch c.name {
		case "exp2", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "log10", "log2":
			return 0 // right to more than one
		case "log", "sin", "cos":
			if ax < 0x1p-1022 || ax > 1000 {
				return 0
			}
		}
	}
	switch {
	case want != want || got != got:
		if (want != want) != (got != got) {
			return math.Inf(1)
		}
		return 0
	case want == got:
		return 0
	}
	return math.Abs(got-want) / unit(want)
}
