package kernel_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/kernel"
)

// TestWholePowers compares whole powers with their exact value: they are that one if it is a float64, and else one of the
// two next to it.
func TestWholePowers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-8, 8), rapid.Float64()).Draw(t, "x")
		n := rapid.IntRange(2, 400).Draw(t, "n")
		exact := big.NewFloat(1).SetPrec(53 * 420)
		for range n {
			exact.Mul(exact, big.NewFloat(x))
		}
		inverse := new(big.Float).SetPrec(53 * 420)
		if x != 0 {
			inverse.Quo(big.NewFloat(1), exact)
		}
		for y, e := range map[float64]*big.Float{float64(n): exact, float64(-n): inverse} {
			want, accuracy := e.Float64()
			got := kernel.Pow1(x, y)
			d := math.Abs(got-want) / unit(want)
			if x != 0 && got != want && (accuracy == big.Exact || !(d <= 1)) {
				t.Fatalf("%v ** %v = %v, want %v", x, y, got, want)
			}
		}
	})
	for _, c := range [][3]float64{
		{0, -3, math.Inf(1)},
		{math.Copysign(0, -1), -3, math.Inf(-1)},
		{math.Copysign(0, -1), 3, math.Copysign(0, -1)},
		{math.Inf(-1), 3, math.Inf(-1)},
		{math.Inf(1), -4, 0},
		{2, 1023, 0x1p1023},
		{2, 1024, math.Inf(1)},
		{2, -1074, 5e-324},
		{-2, 1025, math.Inf(-1)},
		{1, 65536, 1},
		{0.1, 320, 9.99989e-321},
		{10, 308, 1e308},
		{10, -320, 9.99989e-321},
		{2, 1 << 31, math.Inf(1)},
		{2, -(1 << 31), 0},
		{-5e-324, 3, math.Copysign(0, -1)},
		{-5e-324, -3, math.Inf(-1)},
		{-1, 1<<31 - 1, -1},
		{-1, 65535, -1},
		{0x1p-1074, 0.5, 0x1p-537},
	} {
		if got := kernel.Pow1(c[0], c[1]); got != c[2] || math.Signbit(got) != math.Signbit(c[2]) {
			t.Errorf("%v ** %v = %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if got := kernel.Pow1(math.NaN(), 3); got == got {
		t.Errorf("NaN ** 3 = %v", got)
	}
}
