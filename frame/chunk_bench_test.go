package frame_test

import (
	"fmt"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// BenchmarkChunk evaluates expressions of one, two and eight kernels on rows that stay in the first-level cache: what is
// left of the time beside the kernels is what a chunk and an instruction cost.
func BenchmarkChunk(b *testing.B) {
	const rows = 512
	src := threeFloats(b, rows)
	x := make([]float64, rows)
	for _, text := range []string{"a + b", "a + b + c", "a + b + c + a + c + b + a + c + b"} {
		p, err := frame.From(src).Assign("x", frame.MustParse(text)).Select("x").Bind(src.Schema())
		if err != nil {
			b.Fatal(err)
		}
		for in, err := range src.Scan(b.Context(), colstore.Scan{}) {
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprint(len(text)/4), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := p.EvalInto(b.Context(), in, colstore.Wrap(x)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
