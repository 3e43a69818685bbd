package frame_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// Aggregates of one family share a state, and what they are asked together with does not change them.
func TestAggregatesShareStates(t *testing.T) {
	f := frame.From(threeFloats(t, 3*ops.BlockRows+77))
	aggs := []ops.Agg{
		ops.Sum("a"), ops.Mean("a"), ops.Std("a", 0), ops.Var("a", 2), ops.Min("a"), ops.Max("a"), ops.Count("a"),
		ops.Median("a"), ops.Quantile("a", 0.1), ops.FiniteMin("a"), ops.FiniteMax("a"), ops.Sum("b"),
	}
	r, err := f.Reducer(aggs...)
	if err != nil {
		t.Fatal(err)
	}
	states, err := r.States(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(states) != 6 { // sums, extremes, count, sketch and finite range of a; sum of b
		t.Errorf("%d states", len(states))
	}
	if n := r.StateBytes(); n < 1<<20 || n > 2<<20 {
		t.Errorf("states hold %d bytes", n)
	}
	together, err := f.Reduce(t.Context(), aggs...)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range aggs {
		alone, err := f.Reduce(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if alone[0].Scalar != together[i].Scalar {
			t.Errorf("%s(%s) is %v alone, %v with the others", a.Name, a.Args, alone[0].Float(), together[i].Float())
		}
	}
}

// Aggregates may be of computed columns, of columns that are constants, and of a column twice.
func TestReduceColumnsOfEveryShape(t *testing.T) {
	f := frame.From(threeFloats(t, 5000)).Assign("one", frame.Lit(1.0)).Assign("twice", frame.MustParse("a * 2"))
	axis := ops.Axis{Bins: 3, Low: -4, High: 4}
	got, err := f.Reduce(t.Context(), ops.Sum("one"), ops.Std("twice", 0), ops.Std("a", 0), ops.Hist2D("a", "a", axis, axis, &ops.HistOptions{Weight: "a"}), ops.Count(""))
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Float() != 5000 || got[1].Float() != 2*got[2].Float() || got[4].Float() != 5000 {
		t.Errorf("sum %v, deviations %v and %v, count %v", got[0].Float(), got[1].Float(), got[2].Float(), got[4].Float())
	}
	h := got[3].Hist
	for ix := range axis.Bins {
		for iy := range axis.Bins {
			if n := h.Counts[h.Cell(ix+1, iy+1)]; (ix == iy) != (n > 0) {
				t.Errorf("bin %d, %d has %d", ix, iy, n)
			}
		}
	}
	if !math.IsNaN(got[3].Float()) {
		t.Errorf("a histogram is %v", got[3].Float())
	}
}

func TestReduceErrors(t *testing.T) {
	schema := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Float64}, colstore.Field{Name: "s", Type: colstore.BytesOf(2)})
	text, err := colstore.NewColumn(colstore.BytesOf(2), 1, []byte("ab"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.NewBatch(schema, colstore.Wrap([]float64{1}), text)
	if err != nil {
		t.Fatal(err)
	}
	f := frame.From(source.Memory(b))
	axis := ops.Axis{Bins: 3, High: 4}
	tests := []struct {
		agg    ops.Agg
		want   error
		column string
	}{
		{ops.Var("s", 0), colstore.ErrType, "s"},
		{ops.Quantile("x", 2), colstore.ErrOption, "x"},
		{ops.Hist2D("x", "s", axis, axis, nil), colstore.ErrType, "s"},
		{ops.Hist1D("x", axis, &ops.HistOptions{Weight: "s"}), colstore.ErrType, "s"},
		{ops.Hist1D("x", ops.Axis{}, nil), colstore.ErrOption, "x"},
		{ops.Sum("y"), colstore.ErrNoColumn, ""},
		{ops.Count("y"), colstore.ErrNoColumn, ""},
	}
	for i, c := range tests {
		_, err := f.Reduce(t.Context(), c.agg)
		if !errors.Is(err, c.want) {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
		if e, ok := errors.AsType[*colstore.Error](err); c.column != "" && (!ok || e.Column != c.column) {
			t.Errorf("case %d names no column %q: %v", i, c.column, err)
		}
	}
}

func TestReduceRefusesAnEmptyAggregate(t *testing.T) {
	t.Parallel()
	_, err := frame.From(open(t, "expr.cstore")).Reduce(t.Context(), ops.Count(""), ops.Agg{})
	if !errors.Is(err, colstore.ErrOption) || !strings.Contains(err.Error(), "aggregate 2") {
		t.Errorf("%v", err)
	}
}
