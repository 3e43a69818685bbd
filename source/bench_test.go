package source_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

// BenchmarkView reads one column of a file by the ways rows are chosen, as a result of its own and into memory that is there.
func BenchmarkView(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 4_000_000} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i)
		}
		batch, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap(x)), colstore.Name("y", colstore.Wrap(x)))
		if err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(b.TempDir(), "x.cstore")
		if err := cstore.Store(b.Context(), path, batch, nil); err != nil {
			b.Fatal(err)
		}
		src, err := source.OpenPath(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		whole, err := source.ViewOf(src).Prepare(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		random, sorted, keep := make([]int64, n/10), make([]int64, 0, n/8), make([]bool, n)
		for i := range random {
			random[i] = r.Int64N(int64(n))
		}
		for i := range keep {
			if r.IntN(10) == 0 {
				sorted = append(sorted, int64(i))
				keep[i] = true
			}
		}
		for _, c := range []struct {
			name string
			v    *source.View
		}{
			{"slice", whole.Pick(source.Slice(int64(n/4), int64(n/4*3)))},
			{"stride3", whole.Pick(source.All().By(3))},
			{"sorted10", whole.Pick(source.Rows(sorted...))},
			{"random10", whole.Pick(source.Rows(random...))},
			{"mask10", whole.Pick(source.Mask(keep))},
		} {
			b.Run(fmt.Sprintf("%s/%d/fresh", c.name, n), func(b *testing.B) {
				b.SetBytes(8 * c.v.Rows())
				b.ReportAllocs()
				for b.Loop() {
					if _, err := source.Values[float64](b.Context(), c.v, "x"); err != nil {
						b.Fatal(err)
					}
				}
			})
			dst := make([]float64, n)
			b.Run(fmt.Sprintf("%s/%d/into", c.name, n), func(b *testing.B) {
				b.SetBytes(8 * c.v.Rows())
				b.ReportAllocs()
				for b.Loop() {
					if _, err := source.ValuesInto(b.Context(), c.v, "x", dst); err != nil {
						b.Fatal(err)
					}
				}
			})
			records := &source.Records{}
			b.Run(fmt.Sprintf("%s/%d/records", c.name, n), func(b *testing.B) {
				b.SetBytes(16 * c.v.Rows())
				b.ReportAllocs()
				for b.Loop() {
					if err := c.v.RecordsInto(b.Context(), records); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		whole.Close()
		src.Close()
	}
}
