package hbook_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	hep "go-hep.org/x/hep/hbook"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/ops/hbook"
)

func hist(tb testing.TB, a ops.Agg, cols ...[]float64) *ops.Hist {
	tb.Helper()
	types := make([]colstore.DType, len(cols))
	args := make([]colstore.Column, len(cols))
	for i, c := range cols {
		types[i], args[i] = colstore.Float64, colstore.Wrap(c)
	}
	s, err := a.New(types, 0)
	if err != nil {
		tb.Fatal(err)
	}
	s.Add(0, len(cols[0]), args)
	return a.Value(s).Hist
}

// A histogram turned into hbook's has the contents of one that hbook filled.
func TestContentsAreThoseOfHbook(t *testing.T) {
	var x, y, w []float64
	for i := range 500 {
		f := float64(i)
		x, y, w = append(x, 4*math.Sin(f)), append(y, 3*math.Cos(3*f)), append(w, float64(i%8)/4)
	}
	ax, ay := ops.Axis{Bins: 6, Low: -3, High: 3}, ops.Axis{Bins: 4, Low: -2, High: 2}

	one, err := hbook.H1D(hist(t, ops.Hist1D("x", ax, &ops.HistOptions{Weight: "w"}), x, w))
	if err != nil {
		t.Fatal(err)
	}
	want := hep.NewH1D(ax.Bins, ax.Low, ax.High)
	for i := range x {
		want.Fill(x[i], w[i])
	}
	same := func(what string, got, want hep.Dist0D) {
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	same("all", one.Binning.Dist.Dist, want.Binning.Dist.Dist)
	for i, b := range one.Binning.Bins {
		same(fmt.Sprint("bin ", i), b.Dist.Dist, want.Binning.Bins[i].Dist.Dist)
		if b.Range != want.Binning.Bins[i].Range {
			t.Errorf("bin %d is %v", i, b.Range)
		}
	}
	for i, o := range one.Binning.Outflows {
		same(fmt.Sprint("outside ", i), o.Dist, want.Binning.Outflows[i].Dist)
	}

	two, err := hbook.H2D(hist(t, ops.Hist2D("x", "y", ax, ay, &ops.HistOptions{Weight: "w"}), x, y, w))
	if err != nil {
		t.Fatal(err)
	}
	want2 := hep.NewH2D(ax.Bins, ax.Low, ax.High, ay.Bins, ay.Low, ay.High)
	for i := range x {
		want2.Fill(x[i], y[i], w[i])
	}
	same("all 2-D", two.Binning.Dist.X.Dist, want2.Binning.Dist.X.Dist)
	for i, b := range two.Binning.Bins {
		same(fmt.Sprint("2-D bin ", i), b.Dist.X.Dist, want2.Binning.Bins[i].Dist.X.Dist)
		same(fmt.Sprint("2-D bin in y ", i), b.Dist.Y.Dist, want2.Binning.Bins[i].Dist.Y.Dist)
	}
	for i, o := range two.Binning.Outflows {
		same(fmt.Sprint("2-D outside ", i), o.X.Dist, want2.Binning.Outflows[i].X.Dist)
	}
}

func TestWrongNumberOfColumns(t *testing.T) {
	a := ops.Axis{Bins: 1, High: 1}
	x := []float64{0}
	if _, err := hbook.H2D(hist(t, ops.Hist1D("x", a, nil), x)); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("H2D of one column: %v", err)
	}
	if _, err := hbook.H1D(hist(t, ops.Hist2D("x", "y", a, a, nil), x, x)); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("H1D of two columns: %v", err)
	}
}

func ExampleH1D() {
	h, err := hbook.H1D(&ops.Hist{
		X: ops.Axis{Bins: 2, Low: 0, High: 10}, Entries: 4,
		Counts: []int64{0, 3, 1, 0}, SumW: []float64{0, 3, 1, 0}, SumW2: []float64{0, 3, 1, 0},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Entries(), h.Value(0), h.Value(1), h.XMean())
	// Output: 4 3 1 3.75
}
