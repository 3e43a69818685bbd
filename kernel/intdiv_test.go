package kernel_test

import (
	"slices"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

// A destination may be either operand.
func TestIntegersInPlace(t *testing.T) {
	kernels := map[string]func(dst, a, b []int32){
		"FloorDivSigned": kernel.FloorDivSigned[int32], "FloorModSigned": kernel.FloorModSigned[int32], "Rem": kernel.Rem[int32],
		"ShiftLeft": kernel.ShiftLeft[int32], "ShiftRight": kernel.ShiftRight[int32], "GCD": kernel.GCD[int32], "LCM": kernel.LCM[int32],
		"PowInt": func(dst, a, b []int32) { kernel.PowInt(dst, a, b) },
	}
	a, b := []int32{4, -6, 0, 21, -1 << 31, 7}, []int32{6, 4, 5, 14, 3, 0}
	for name, k := range kernels {
		want := make([]int32, len(a))
		k(want, a, b)
		x, y := slices.Clone(a), slices.Clone(b)
		if k(x, x, b); !slices.Equal(x, want) {
			t.Errorf("%s in place of the first: %v, want %v", name, x, want)
		}
		if k(y, a, y); !slices.Equal(y, want) {
			t.Errorf("%s in place of the second: %v, want %v", name, y, want)
		}
	}
}
