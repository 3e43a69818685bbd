package frame_test

import (
	"fmt"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// BenchmarkRange keeps the rows of a range, and the same rows by one of its two ends: a range test in one kernel could win no
// more than their difference.
func BenchmarkRange(b *testing.B) {
	for _, rows := range []int{1_000, 100_000, 10_000_000} {
		src := threeFloats(b, rows)
		for _, bench := range []struct{ name, text string }{
			{"half/end", "a > 0"},
			{"half/range", "a > 0 and a < 1e300"},
			{"rare/end", "a > 2.9"},
			{"rare/range", "a > 2.9 and a < 1e300"},
		} {
			for _, columns := range [][]string{{"b"}, {"a", "b", "c"}} {
				p, err := frame.From(src).Where(frame.MustParse(bench.text)).Select(columns...).Prepare(b.Context(), &frame.MemoryOptions{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				var dst []colstore.Column
				for range columns {
					dst = append(dst, colstore.Wrap(make([]float64, rows)))
				}
				b.Run(fmt.Sprintf("%d/%d columns/%s", rows, len(columns), bench.name), func(b *testing.B) {
					for b.Loop() {
						if _, err := p.Into(b.Context(), dst...); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				})
				if err := p.Close(); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
