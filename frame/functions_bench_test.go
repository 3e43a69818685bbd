package frame_test

import (
	"fmt"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// BenchmarkFunctions calls one function of a column: into memory of its own and into the caller's.
func BenchmarkFunctions(b *testing.B) {
	for _, rows := range []int{1_000, 100_000} {
		src := threeFloats(b, rows)
		for _, text := range []string{"exp(a)", "log(abs(c))", "a // c", "a % c"} {
			f := frame.From(src).Assign("x", frame.MustParse(text)).Select("x")
			p, err := f.Prepare(b.Context(), &frame.MemoryOptions{Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			dst := colstore.Wrap(make([]float64, rows))
			b.Run(fmt.Sprintf("%d/%s/into", rows, text), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := p.Into(b.Context(), dst); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%d/%s/fresh", rows, text), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					batch, err := f.Collect(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					batch.Release()
				}
			})
			if err := p.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
