package frame_test

import (
	"context"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// muons is a small table: a momentum, a direction and a weight.
func muons() *frame.Frame {
	schema := colstore.MustSchema(
		colstore.Field{Name: "pt", Type: colstore.Float64}, colstore.Field{Name: "eta", Type: colstore.Float64}, colstore.Field{Name: "w", Type: colstore.Float64})
	b, err := colstore.NewBatch(schema,
		colstore.Wrap([]float64{31, 8, 44, 27, 95, 12}),
		colstore.Wrap([]float64{0.5, -2.1, 1.2, 0.1, math.NaN(), -0.4}),
		colstore.Wrap([]float64{1, 1, 0.5, 1, 2, 0.25}))
	if err != nil {
		panic(err)
	}
	return frame.From(source.Memory(b))
}

func ExampleFrame_Reduce() {
	f := muons().Where(frame.MustParse("pt > 10"))
	got, err := f.Reduce(context.Background(),
		ops.Count("pt"), ops.Sum("pt"), ops.Mean("pt"), ops.Std("pt", 1), ops.Min("pt"), ops.Max("eta"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v rows, sum %v, mean %v, std %.3f, from %v; eta up to %v\n",
		got[0].Float(), got[1].Float(), got[2].Float(), got[3].Float(), got[4].Float(), got[5].Float())
	// Output: 5 rows, sum 209, mean 41.8, std 31.854, from 12; eta up to NaN
}

// Quantiles of a column share one pass and one sketch.
func ExampleFrame_Reduce_quantiles() {
	got, err := muons().Reduce(context.Background(), ops.Quantile("pt", 0.25), ops.Median("pt"), ops.Quantile("pt", 0.9))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got[0].Float(), got[1].Float(), got[2].Float())
	// Output: 15.75 29 69.5
}

func ExampleFrame_Reduce_histogram() {
	axis := ops.Axis{Bins: 4, Low: 0, High: 80}
	got, err := muons().Reduce(context.Background(),
		ops.Hist1D("pt", axis, &ops.HistOptions{Weight: "w"}),
		ops.Hist2D("pt", "eta", axis, ops.Axis{Bins: 2, Low: -3, High: 3}, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	pt, both := got[0].Hist, got[1].Hist
	for i := range axis.Bins {
		fmt.Println(axis.Edge(i), axis.Edge(i+1), pt.SumW[i+1])
	}
	fmt.Println("above:", pt.SumW[axis.Bins+1])
	fmt.Println("first bin of pt, eta below 0:", both.Counts[both.Cell(1, 1)], "and NaN:", both.NaN)
	// Output:
	// 0 20 1.25
	// 20 40 2
	// 40 60 0.5
	// 60 80 0
	// above: 2
	// first bin of pt, eta below 0: 2 and NaN: 1
}
