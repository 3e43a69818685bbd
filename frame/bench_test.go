package frame_test

import (
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// threeFloats returns a source of three float64 columns of normal noise.
func threeFloats(tb testing.TB, rows int) colstore.Source {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	s := colstore.MustSchema(colstore.Field{Name: "a", Type: colstore.Float64}, colstore.Field{Name: "b", Type: colstore.Float64}, colstore.Field{Name: "c", Type: colstore.Float64})
	var cols []colstore.Column
	for range 3 {
		v := make([]float64, rows)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		cols = append(cols, colstore.Wrap(v))
	}
	b, err := colstore.NewBatch(s, cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return source.Memory(b)
}

func BenchmarkEval(b *testing.B) {
	const rows = 1 << 20
	src := threeFloats(b, rows)
	for _, bench := range []struct {
		name string
		f    *frame.Frame
	}{
		{"predicate", frame.From(src).Where(frame.MustParse("a > 0 and b < 3")).Select()},
		{"arithmetic", frame.From(src).Assign("x", frame.MustParse("a * 2 + b / c")).Select("x")},
		{"hypot", frame.From(src).Assign("x", frame.MustParse("sqrt(a * a + b * b)")).Select("x")},
		{"filter and derive", frame.From(src).Where(frame.MustParse("a > 0 and b < 3")).
			Assign("x", frame.MustParse("a * 2 + b / c")).Assign("y", frame.MustParse("sqrt(a * a + b * b)")).Assign("z", frame.MustParse("a - c"))},
		{"seven weighted cuts", frame.From(src).Weight(frame.Col("c")).
			Where(frame.MustParse("a > -2")).Where(frame.MustParse("b > -2")).Where(frame.MustParse("a < 2")).Where(frame.MustParse("b < 2")).
			Where(frame.MustParse("c > -2")).Where(frame.MustParse("c < 2")).Where(frame.MustParse("a + b > 0")).Select()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(rows * 8)
			b.ReportAllocs()
			for b.Loop() {
				if bench.name == "seven weighted cuts" {
					if _, err := bench.f.Report(b.Context()); err != nil {
						b.Fatal(err)
					}
					continue
				}
				for _, err := range bench.f.Batches(b.Context(), 1<<16) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkVariations counts the cutflows of ten variations in one pass, and frame by frame.
func BenchmarkVariations(b *testing.B) {
	const rows = 1 << 20
	src := threeFloats(b, rows)
	f := frame.From(src).Assign("p", frame.MustParse("sqrt(a * a + b * b)")).Where(frame.MustParse("p > 0.1"), frame.Weighted("c"))
	for _, name := range []string{"v", "w", "x", "y", "z"} {
		f = f.Vary(name, "p", frame.MustParse("p * 1.05"), frame.MustParse("p * 0.95"))
	}
	f = f.Where(frame.MustParse("exp(b) < 9")).Where(frame.MustParse("p + a > 0"))
	b.Run("one pass", func(b *testing.B) {
		b.SetBytes(rows * 8)
		for b.Loop() {
			if _, err := f.Cutflows(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("frame by frame", func(b *testing.B) {
		b.SetBytes(rows * 8)
		for b.Loop() {
			for _, v := range f.Variations() {
				if _, err := v.Frame.Report(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
