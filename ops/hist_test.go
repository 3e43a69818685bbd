package ops_test

import (
	"math"
	"sort"
	"testing"

	"pgregory.net/rapid"

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
