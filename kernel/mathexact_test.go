package kernel_test

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// Special arguments give what NumPy gives: infinities, zeros with their signs and NaN exactly.
func TestMathSpecialValues(t *testing.T) {
	f, err := os.Open("testdata/math/special.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := map[string]*mathCase{}
	for i := range mathCases {
		cases[mathCases[i].name] = &mathCases[i]
	}
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		fields := strings.Fields(s.Text())
		v := make([]float64, len(fields)-1)
		for i, text := range fields[1:] {
			var b uint64
			if _, err := fmt.Sscanf(text, "%x", &b); err != nil {
				t.Fatal(err)
			}
			v[i] = math.Float64frombits(b)
		}
		want := v[len(v)-1]
		// Vectors see it, too.
		x, y, got := make([]float64, 9), make([]float64, 9), make([]float64, 9)
		for i := range x {
			x[i], y[i] = v[0], v[1]
		}
		c := cases[fields[0]]
		c.of(got, x, y)
		for _, g := range got {
			exact := want == 0 || want-want != 0
			if want != want && g == g || want == want && (math.Signbit(g) != math.Signbit(want) || exact && g != want || !exact && !(math.Abs(g-want) <= 4*max(unit(want), unit(c.beside(x[0], y[0]))))) {
				t.Errorf("%s(%v) = %v, want %v", fields[0], v[:len(v)-1], g, want)
				break
			}
		}
	}
	if lines < 1000 {
		t.Errorf("%d lines", lines)
	}
}

// Of arguments of every shape values are as near to the exact ones as is stated, in float32 too.
func TestMathExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range mathCases {
		for _, shape := range mathShapes {
			for range 12 {
				x, y := shape(r.Uint64(), r.Uint64())
				c.checkExact(t, x, y)
			}
		}
	}
}

// checkExact holds a function's value, and that in float32, against the exact one.
func (c *mathCase) checkExact(t *testing.T, x, y float64) {
	t.Helper()
	g := c.one8(x, y)
	if d := c.apart(x, y, g, double); !(d <= c.ulp) {
		t.Errorf("%s(%v, %v) = %v: %v units from the exact value", c.name, x, y, g, d)
	}
	x4, y4 := float32(x), float32(y)
	g4 := c.one4(x4, y4)
	if d := c.apart(float64(x4), float64(y4), float64(g4), single); !(d <= c.single4()) {
		t.Errorf("%s(%v, %v) = %v: %v units of float32 from the exact value", c.name, x4, y4, g4, d)
	}
}
