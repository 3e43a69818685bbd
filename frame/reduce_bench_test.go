package frame_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// Seven reductions of eight float64 columns in one pass, and what quantiles and histograms cost.
func BenchmarkReduce(b *testing.B) {
	const rows, columns = 1 << 20, 8
	r := rand.New(rand.NewPCG(1, 2))
	var fields []colstore.Field
	var cols []colstore.Column
	for i := range columns {
		v := make([]float64, rows)
		for j := range v {
			v[j] = r.NormFloat64()
		}
		fields = append(fields, colstore.Field{Name: fmt.Sprintf("c%d", i), Type: colstore.Float64})
		cols = append(cols, colstore.Wrap(v))
	}
	all, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		b.Fatal(err)
	}
	f := frame.From(source.Memory(all))
	for _, names := range [][]string{
		{"sum"}, {"min"}, {"std"}, {"sum", "mean", "min", "max", "std", "var", "count"}, {"median"}, {"q0.01", "q0.25", "median", "q0.75", "q0.99"},
	} {
		var aggs []ops.Agg
		for _, c := range fields {
			for _, n := range names {
				a, err := ops.AggByName(n, c.Name, 0)
				if err != nil {
					b.Fatal(err)
				}
				aggs = append(aggs, a)
			}
		}
		benchReduce(b, fmt.Sprint(names), f, rows*columns*8, aggs...)
	}
	axis := ops.Axis{Bins: 100, Low: -4, High: 4}
	benchReduce(b, "hist", f, rows*8, ops.Hist1D("c0", axis, nil))
	benchReduce(b, "weighted hist", f, rows*16, ops.Hist1D("c0", axis, &ops.HistOptions{Weight: "c1"}))
	benchReduce(b, "2-D hist", f, rows*16, ops.Hist2D("c0", "c1", axis, axis, nil))
}

func benchReduce(b *testing.B, name string, f *frame.Frame, bytes int64, aggs ...ops.Agg) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(bytes)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := f.Reduce(b.Context(), aggs...); err != nil {
				b.Fatal(err)
			}
		}
	})
}
