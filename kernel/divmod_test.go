package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

// divisions are arguments of quotients: of every kind, and such that the quotient is a whole number, or next to one, also
// next to the largest that vectors do.
func divisions(r *rand.Rand, n int) (x, y []float64) {
	x, y = mathBits(r, n), mathBits(r, n)
	for i := range x {
		if i%2 == 0 {
			continue
		}
		k := math.Round(math.Exp2(r.Float64() * 56))
		switch r.IntN(4) {
		case 0:
			k = math.Exp2(50) + float64(r.IntN(5)-2)
		case 1:
			k = float64(r.IntN(5) - 2)
		case 2:
			y[i] *= math.Exp2(-float64(r.IntN(1100)))
		}
		x[i] = k * y[i]
		for range r.IntN(3) {
			x[i] = math.Nextafter(x[i], math.Inf(r.IntN(2)*2-1))
		}
		if r.IntN(2) == 0 {
			x[i] = -x[i]
		}
	}
	return x, y
}

func inFloat32(v []float64) []float32 {
	out := make([]float32, len(v))
	for i := range v {
		out[i] = float32(v[i])
	}
	return out
}

// divisions4 is divisions for float32.
func divisions4(r *rand.Rand, n int) (x, y []float32) {
	d, e := divisions(r, n)
	x, y = inFloat32(d), inFloat32(e)
	for i := range x {
		if i%4 == 3 {
			k := float32(math.Round(math.Exp2(r.Float64()*25)) + math.Exp2(21)*float64(r.IntN(2)))
			x[i] = math.Nextafter32(k*y[i], float32(math.Inf(r.IntN(2)*2-1)))
		}
	}
	return x, y
}

// Of any length, in place too, and of one value and many, each level makes what the definition makes of each pair.
func TestDivModTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	a8, b8 := divisions(r, 20_000)
	a4, b4 := divisions4(r, 20_000)
	divModTwins(t, a8, b8)
	divModTwins(t, a4, b4)
}

func divModTwins[T float32 | float64](t *testing.T, a, b []T) {
	for name, f := range map[string]func(dst, a, b []T){"floor": kernel.FloorDivFloat[T], "rest": kernel.FloorModFloat[T]} {
		one := func(x, y T) T {
			dst := []T{0}
			f(dst, []T{x}, []T{y})
			return dst[0]
		}
		want := make([]T, len(a))
		for i := range a {
			want[i] = one(a[i], b[i])
		}
		t.Run(fmt.Sprintf("%s of %T", name, a[0]), func(t *testing.T) {
			eachLevel(t, func(t *testing.T) {
				got := make([]T, len(a))
				f(got, a, b)
				if i := sameBits(got, want); i >= 0 {
					t.Fatalf("of %v and %v: %v, want %v", a[i], b[i], got[i], want[i])
				}
				for n := range 70 {
					d := fill(bytesOf(a[:n]), 8*(n%8))
					v := floatsOf[T](d.data)
					f(v, v, b[:n])
					if i := sameBits(v, want[:n]); i >= 0 || !d.intact() {
						t.Fatalf("%d values, at %d", n, i)
					}
				}
				for i := range 20 {
					left, right := make([]T, 50), make([]T, 50)
					f(left, a[i:i+1], b[:50])
					f(right, a[:50], b[i:i+1])
					for j := range left {
						if sameBits(left[j:j+1], []T{one(a[i], b[j])}) >= 0 || sameBits(right[j:j+1], []T{one(a[j], b[i])}) >= 0 {
							t.Fatalf("of %v and %v, or %v and %v: %v, %v", a[i], b[j], a[j], b[i], left[j], right[j])
						}
					}
				}
			})
		})
	}
}

func BenchmarkDivMod(b *testing.B) {
	benchmarkDivMod[float64](b)
	benchmarkDivMod[float32](b)
}

func benchmarkDivMod[T float32 | float64](b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y, dst := make([]T, 4096), make([]T, 4096), make([]T, 4096)
	for i := range x {
		x[i], y[i] = T(r.NormFloat64()*100), T(r.NormFloat64())
	}
	for name, f := range map[string]func(dst, a, b []T){"floor": kernel.FloorDivFloat[T], "rest": kernel.FloorModFloat[T]} {
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			b.Run(fmt.Sprintf("%s/%T/%s", name, x[0], l), func(b *testing.B) {
				defer kernel.SetLevel(kernel.SetLevel(l))
				for b.Loop() {
					f(dst, x, y)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/row")
			})
		}
	}
}
