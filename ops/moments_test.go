package ops

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A quotient is rounded as a rational number is, also to subnormal numbers and beyond the largest.
func TestQuotient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string) *big.Int {
			n := new(big.Int).SetUint64(rapid.Uint64Range(1, math.MaxUint64).Draw(t, name))
			n.Lsh(n, rapid.UintRange(0, 2000).Draw(t, name+" shift"))
			return n.Add(n, new(big.Int).SetUint64(rapid.Uint64Range(0, 2).Draw(t, name+" low")))
		}
		num, den := size("num"), size("den")
		exp := rapid.IntRange(-1100, 0).Draw(t, "exp")
		want, _ := new(big.Rat).SetFrac(num, new(big.Int).Lsh(den, uint(-exp))).Float64()
		if got := quotient(new(big.Int).Set(num), den, exp); got != want {
			t.Fatalf("%v / %v * 2^%d = %v, want %v", num, den, exp, got, want)
		}
	})
}
