package kernel_test

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/kernel"
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
			if want != want && g == g || want == want && (math.Signbit(g) != math.Signbit(want) || exact && g != want || !exact && !(math.Abs(g-want) <= 4*unit(want))) {
				t.Errorf("%s(%v) = %v, want %v", fields[0], v[:len(v)-1], g, want)
				break
			}
		}
	}
	if lines < 1000 {
		t.Errorf("%d lines", lines)
	}
}

// exactExp is e to the power: that of x/2^10, 10 times squared.
func exactExp(x float64) *big.Float {
	const precision = 160
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	r := number(x)
	r.SetMantExp(r, -10)
	sum, term := number(1), number(1)
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > -precision; n++ {
		term.Quo(term.Mul(term, r), number(float64(n)))
		sum.Add(sum, term)
	}
	for range 10 {
		sum.Mul(sum, sum)
	}
	return sum
}

// Exponentials and logarithms of many numbers are near those of arithmetic with 160 bits.
func TestMathExpLogExact(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, 3000)
	for i := range x {
		x[i] = (r.Float64() - 0.5) * math.Exp2(float64(r.IntN(14))-3)
		x[i] = max(-700, min(700, x[i]))
	}
	exp, log := make([]float64, len(x)), make([]float64, len(x))
	kernel.Exp(exp, x)
	kernel.Log(log, exp)
	for i := range x {
		got := new(big.Float).SetPrec(160).SetFloat64(exp[i])
		d, _ := new(big.Float).Sub(got, exactExp(x[i])).Float64()
		if d = math.Abs(d) / unit(exp[i]); !(d <= 1) {
			t.Fatalf("exp(%v) = %v is off by %v units", x[i], exp[i], d)
		}
		// log(a) - y is a/e^y - 1, nearly.
		ratio := new(big.Float).Quo(got, exactExp(log[i]))
		d, _ = ratio.Sub(ratio, big.NewFloat(1)).Float64()
		if d = math.Abs(d) / unit(log[i]); !(d <= 1) {
			t.Fatalf("log(%v) = %v is off by %v units", exp[i], log[i], d)
		}
	}
}
