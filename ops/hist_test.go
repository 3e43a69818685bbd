package ops_test

import (
	"errors"
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// A value lies in the bin whose edges are around it, also where it is an edge or next to one.
func TestBinsAreWhatTheirEdgesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		a := ops.Axis{
			Bins: rapid.IntRange(1, 40).Draw(t, "bins"), Low: low,
			High: low + rapid.SampledFrom([]float64{1, 1e-3, 0.7, 1e9}).Draw(t, "width"),
		}
		edges := a.Edges()
		var x []float64
		for _, e := range edges {
			x = append(x, e, math.Nextafter(e, math.Inf(1)), math.Nextafter(e, math.Inf(-1)))
		}
		x = append(x, rapid.SliceOf(rapid.Float64Range(2*low-1, low+2e9)).Draw(t, "x")...)
		x = append(x, math.Inf(1), math.Inf(-1), math.NaN())
		want := make([]int64, a.Bins+2)
		nan := int64(0)
		for _, v := range x {
			switch {
			case v != v:
				nan++
			case v > a.High:
				want[a.Bins+1]++
			case v == a.High:
				want[a.Bins]++ // the last bin has its upper edge
			default:
				want[sort.Search(len(edges), func(i int) bool { return edges[i] > v })]++
			}
		}
		h := reduce(t, ops.Hist1D("x", a, nil), 0, nil, all, x).Hist
		for i := range want {
			if h.Counts[i] != want[i] {
				t.Fatalf("cell %d has %d, want %d", i, h.Counts[i], want[i])
			}
		}
		if h.NaN != nan || h.Entries != int64(len(x))-nan {
			t.Fatalf("%d entries and %d NaN of %d", h.Entries, h.NaN, len(x))
		}
	})
}

func TestAxisAround(t *testing.T) {
	tests := []struct {
		lo, hi float64
		want   ops.Axis
	}{
		{1, 3, ops.Axis{Bins: 5, Low: 1, High: 3}},
		{2, 2, ops.Axis{Bins: 5, Low: 1.5, High: 2.5}},
		{math.NaN(), math.NaN(), ops.Axis{Bins: 5, Low: 0, High: 1}},
	}
	for _, c := range tests {
		if got := ops.AxisAround(5, c.lo, c.hi); got != c.want {
			t.Errorf("around %v to %v: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
}

// At the ends of what a float64 can be, too, a histogram counts by its edges or its axis is refused.
func TestBinsAtTheEndsOfTheRange(t *testing.T) {
	fixed := []struct {
		axis ops.Axis
		x    []float64
		want []int64 // NumPy's, with under- and overflow; nil for an axis that is refused
	}{
		{ops.Axis{Bins: 1, Low: 0, High: 2e-323}, []float64{0, 5e-324, 2e-323}, []int64{0, 3, 0}},
		{ops.Axis{Bins: 2, Low: 0, High: 1e-310}, []float64{0, 4e-311, 6e-311, 1e-310, 2e-310}, []int64{0, 2, 2, 1}},
		{ops.Axis{Bins: 3, Low: 0, High: 1e-308}, []float64{-1e-320, 1e-309, 5e-309, 9e-309}, []int64{1, 1, 1, 1, 0}},
		{ops.Axis{Bins: 2, Low: -1e-310, High: 1e-310}, []float64{-1e-310, -5e-324, 0, 1e-310}, []int64{0, 2, 2, 0}},
		{ops.Axis{Bins: 3, Low: 0, High: 1e-323}, nil, nil},
		{ops.Axis{Bins: 2, Low: 1e300, High: 1e300}, nil, nil},
		{ops.Axis{Bins: 2, Low: -1.7e308, High: 1.7e308}, nil, nil},
	}
	for _, c := range fixed {
		err := c.axis.Validate()
		if (err == nil) != (c.want != nil) || err != nil && !errors.Is(err, colstore.ErrOption) {
			t.Fatalf("%+v: %v", c.axis, err)
		}
		if err != nil {
			continue
		}
		for _, agg := range []ops.Agg{ops.Hist1D("x", c.axis, nil), ops.Hist1D("x", c.axis, &ops.HistOptions{Weight: "x"})} {
			if h := reduceAll(t, agg, c.x, c.x); !slices.Equal(h.Counts, c.want) {
				t.Errorf("%+v: counts %v, want %v", c.axis, h.Counts, c.want)
			}
		}
	}
	ends := []float64{
		0, 5e-324, 1e-323, 2e-323, 1e-320, 1e-310, 0x1p-1022, 1e-308, 3e-308, 1e-300, 1, math.Nextafter(1, 2), 1 << 53, 1e300,
		math.MaxFloat64 / 2, math.MaxFloat64,
	}
	rapid.Check(t, func(t *rapid.T) {
		end := func(name string) float64 {
			v := rapid.SampledFrom(ends).Draw(t, name) * rapid.SampledFrom([]float64{1, -1, 0.75}).Draw(t, name+" by")
			return v
		}
		axis := func(name string) ops.Axis {
			a := ops.Axis{Bins: rapid.IntRange(1, 50).Draw(t, name), Low: end(name + " low"), High: end(name + " high")}
			if a.High < a.Low {
				a.Low, a.High = a.High, a.Low
			}
			return a
		}
		a, b := axis("x"), axis("y")
		if a.Validate() != nil || b.Validate() != nil {
			return
		}
		x, y := a.Edges(), b.Edges()
		for range 20 {
			x, y = append(x, end("value")), append(y, end("value"))
		}
		n := min(len(x), len(y))
		x, y = x[:n], y[:n]
		cell := func(a ops.Axis, v float64) int {
			edges := a.Edges()
			if v == a.High {
				return a.Bins
			}
			return sort.Search(len(edges), func(i int) bool { return edges[i] > v })
		}
		h := reduceAll(t, ops.Hist2D("x", "y", a, b, nil), x, y)
		want := make([]int64, len(h.Counts))
		for i := range x {
			want[h.Cell(cell(a, x[i]), cell(b, y[i]))]++
		}
		if !slices.Equal(h.Counts, want) {
			t.Fatalf("%+v, %+v: counts %v, want %v", a, b, h.Counts, want)
		}
	})
}

// reduceAll folds all values of one or two columns to a histogram.
func reduceAll(t interface{ Fatal(...any) }, agg ops.Agg, x, y []float64) *ops.Hist {
	cols := []colstore.Column{colstore.Wrap(x), colstore.Wrap(y)}[:len(agg.Args)]
	types := []colstore.DType{colstore.Float64, colstore.Float64}[:len(agg.Args)]
	s, err := agg.New(types, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Add(0, len(x), cols)
	return agg.Value(s).Hist
}
