package frame_test

import (
	"sync"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// A frame is collected again and again, also at once, and what is made of it meanwhile is another frame.
func TestCollectAgain(t *testing.T) {
	b, err := colstore.BatchOf(colstore.Name("a", colstore.Wrap([]float64{1, 2, 3, 4})))
	if err != nil {
		t.Fatal(err)
	}
	src := source.Memory(b)
	defer src.Close()
	f := frame.From(src).Assign("r", frame.Col("a").Mul(2)).Where(frame.Col("r").Gt(2)).Select("r")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				want := []float64{4, 6, 8}
				for _, g := range []*frame.Frame{f, f.Where(frame.Col("r").Lt(7)), f} {
					got, err := g.Collect(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					n := len(want)
					if g != f {
						n--
					}
					r, err := colstore.Values[float64](got.At(0))
					if err != nil || len(r) != n || r[0] != want[0] || r[n-1] != want[n-1] {
						t.Errorf("%v, %v", r, err)
					}
				}
			}
		})
	}
	all.Wait()
}
