package ops

import (
	"fmt"
	"testing"
)

// Whole powers are multiplied out in twice the precision, near the ends of the range with the exponent apart.
func BenchmarkPower(b *testing.B) {
	x := make([]float64, 512)
	dst := make([]float64, len(x))
	for _, c := range [][2]float64{{1.5, 3}, {1.5, -2}, {1.5, 20}, {1e100, 3}, {1.5, 2.5}} {
		for i := range x {
			x[i] = c[0] + float64(i)/4096
		}
		b.Run(fmt.Sprintf("%v/%v", c[0], c[1]), func(b *testing.B) {
			b.SetBytes(int64(8 * len(x)))
			for b.Loop() {
				powFloat(dst, x, []float64{c[1]})
			}
		})
	}
}
