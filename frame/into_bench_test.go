package frame_test

import (
	"fmt"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// BenchmarkInto evaluates rows that lie in memory: into memory of its own and into the caller's, which is used again.
func BenchmarkInto(b *testing.B) {
	for _, rows := range []int{1_000, 100_000, 4_000_000} {
		src := threeFloats(b, rows)
		for _, bench := range []struct {
			name string
			f    *frame.Frame
		}{
			{"arithmetic", frame.From(src).Assign("x", frame.MustParse("a * 2 + b / c")).Select("x")},
			{"hypot", frame.From(src).Assign("x", frame.MustParse("sqrt(a * a + b * b)")).Select("x")},
			{"query", frame.From(src).Where(frame.MustParse("a > 0 and b < 3"))},
			{"rare", frame.From(src).Where(frame.MustParse("a > 2.5 and b < 3"))},
			{"filter and derive", frame.From(src).Where(frame.MustParse("a > 0 and b < 3")).
				Assign("x", frame.MustParse("a * 2 + b / c")).Assign("y", frame.MustParse("sqrt(a * a + b * b)")).Assign("z", frame.MustParse("a - c"))},
		} {
			for _, workers := range []int{1, 2} {
				p, err := bench.f.Prepare(b.Context(), &frame.MemoryOptions{Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				var dst []colstore.Column
				for range p.Schema().Len() {
					dst = append(dst, colstore.Wrap(make([]float64, rows)))
				}
				run := func(form string, f func() error) {
					b.Run(fmt.Sprintf("%d/%s/%s/%d", rows, bench.name, form, workers), func(b *testing.B) {
						b.ReportAllocs()
						for b.Loop() {
							if err := f(); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
					})
				}
				run("into", func() error { _, err := p.Into(b.Context(), dst...); return err })
				run("fresh", func() error { _, err := p.Collect(b.Context()); return err })
				if err := p.Close(); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
