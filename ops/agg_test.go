package ops_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// failer is what tests and property tests have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// reduce folds columns, row i being global row begin + i, cut into states of the lengths cuts and the rest. Of each row
// that keep says no to nothing is added.
func reduce(tb failer, a ops.Agg, begin int, cuts []int, keep func(row int) bool, cols ...[]float64) ops.Result {
	tb.Helper()
	types := slices.Repeat([]colstore.DType{colstore.Float64}, len(cols))
	var total ops.State
	rows := len(cols[0])
	for at := 0; at < rows || total == nil; {
		n := rows - at
		if len(cuts) > 0 {
			n, cuts = min(n, cuts[0]), cuts[1:]
		}
		s, err := a.New(types, int64(begin+at))
		if err != nil {
			tb.Fatal(err)
		}
		for end := at + n; at < end; {
			stop := min(end, at+ops.BlockRows-(begin+at)%ops.BlockRows)
			args := make([]colstore.Column, len(cols))
			kept := 0
			for i, c := range cols {
				var part []float64
				for r := at; r < stop; r++ {
					if keep(begin + r) {
						part = append(part, c[r])
					}
				}
				args[i], kept = colstore.Wrap(part), len(part)
			}
			s.Add(int64(begin+at), kept, args)
			at = stop
		}
		if total == nil {
			total = s
		} else {
			total.Merge(s)
		}
	}
	return a.Value(total)
}

func all(int) bool { return true }

// values draws values of the kinds that make trouble.
func values(t *rapid.T, n int) []float64 {
	offset := rapid.SampledFrom([]float64{0, 1, 1e9, -1e15, 1e-300, 1e300}).Draw(t, "offset")
	scale := rapid.SampledFrom([]float64{1, 1e-3, 1e5, 0}).Draw(t, "scale")
	odd := rapid.SampledFrom([]float64{0, 1, math.Inf(1), math.NaN(), math.Copysign(0, -1), 5e-324, -1e308}).Draw(t, "odd")
	seed := rapid.IntRange(1, 1000).Draw(t, "seed")
	out := make([]float64, n)
	for i := range out {
		out[i] = offset + scale*math.Sin(float64(i*seed))*float64(1+i%3)
		if i%1013 == seed {
			out[i] = odd
		}
	}
	return out
}

// However rows are cut into states, every aggregate has the same bits.
func TestAggregatesHideCuts(t *testing.T) {
	axis := ops.Axis{Bins: 7, Low: -1, High: 2}
	aggs := map[string]ops.Agg{
		"sum": ops.Sum("x"), "mean": ops.Mean("x"), "var": ops.Var("x", 1), "std": ops.Std("x", 0), "min": ops.Min("x"), "max": ops.Max("x"),
		"median": ops.Median("x"), "quantile": ops.Quantile("x", 0.9), "count": ops.Count("x"),
		"low": ops.FiniteMin("x"), "high": ops.FiniteMax("x"),
		"hist": ops.Hist1D("x", axis, nil), "weighted": ops.Hist1D("x", axis, &ops.HistOptions{Weight: "w"}),
		"2-D": ops.Hist2D("x", "w", axis, axis, nil), "weighted 2-D": ops.Hist2D("x", "w", axis, axis, &ops.HistOptions{Weight: "x"}),
	}
	for name, a := range aggs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(0, 3*ops.BlockRows).Draw(t, "rows")
				begin := rapid.SampledFrom([]int{0, 1, ops.BlockRows - 1, ops.BlockRows}).Draw(t, "begin")
				every := rapid.IntRange(1, 4).Draw(t, "every")
				keep := func(r int) bool { return r*7919%every == 0 }
				cols := [][]float64{values(t, n), values(t, n), values(t, n)}[:len(a.Args)]
				cuts := rapid.SliceOfN(rapid.IntRange(1, 5000), 0, 12).Draw(t, "cuts")
				want := fmt.Sprintf("%v %+v", reduce(t, a, begin, nil, keep, cols...).Float(), reduce(t, a, begin, nil, keep, cols...).Hist)
				got := fmt.Sprintf("%v %+v", reduce(t, a, begin, cuts, keep, cols...).Float(), reduce(t, a, begin, cuts, keep, cols...).Hist)
				if got != want {
					t.Fatalf("%s, want %s", got, want)
				}
			})
		})
	}
}

// twoPass is the variance in numbers that round nothing.
func twoPass(v []float64, ddof int) float64 {
	mean := new(big.Rat)
	for _, x := range v {
		mean.Add(mean, new(big.Rat).SetFloat64(x))
	}
	mean.Quo(mean, big.NewRat(int64(len(v)), 1))
	sum := new(big.Rat)
	for _, x := range v {
		d := new(big.Rat).SetFloat64(x)
		d.Sub(d, mean)
		sum.Add(sum, d.Mul(d, d))
	}
	f, _ := sum.Quo(sum, big.NewRat(int64(len(v)-ddof), 1)).Float64()
	return f
}

func TestVarianceIsAccurate(t *testing.T) {
	rows := 2*ops.BlockRows + 77
	tests := []struct {
		name  string
		value func(i int) float64
	}{
		{"small", func(i int) float64 { return math.Sin(float64(i)) }},
		{"large offset", func(i int) float64 { return 1e9 + math.Sin(float64(i))*1e-3 }},
		{"larger offset", func(i int) float64 { return -1e15 + float64(i%2) }},
		{"huge", func(i int) float64 { return 1e150 * float64(1+i%5) }},
		{"above the square root", func(i int) float64 { return 1e200 * (1 + float64(i%2)*0x1p-52) }},
		{"outlier first", func(i int) float64 {
			if i%ops.BlockRows == 0 {
				return 1e6
			}
			return math.Cos(float64(i)) * 1e-3
		}},
		{"trend", func(i int) float64 { return float64(i) * 1e5 }},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			v := make([]float64, rows)
			for i := range v {
				v[i] = c.value(i)
			}
			for _, ddof := range []int{0, 1, -3} {
				got, want := reduce(t, ops.Var("x", ddof), 0, nil, all, v).Float(), twoPass(v, ddof)
				if math.Abs(got-want) > 1e-13*want {
					t.Errorf("ddof %d: %v, want %v: off by %.2g", ddof, got, want, got/want-1)
				}
				if std := reduce(t, ops.Std("x", ddof), 0, nil, all, v).Float(); std != math.Sqrt(got) {
					t.Errorf("std %v of var %v", std, got)
				}
			}
		})
	}
}

func TestVarianceSpecials(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name   string
		values []float64
		ddof   int
		want   float64
	}{
		{"no rows", nil, 0, nan},
		{"no rows, negative ddof", nil, -1, nan},
		{"one row", []float64{3}, 0, 0},
		{"as many as ddof", []float64{3}, 1, nan},
		{"NaN", []float64{1, nan, 2}, 0, nan},
		{"infinity", []float64{1, inf}, 0, nan},
		{"equal values", slices.Repeat([]float64{0.1}, 5000), 0, 0},
		{"squares too large", []float64{1e200, -1e200}, 0, inf},
		{"sum too large", []float64{1.7e308, 1.7e308, 1.7e308}, 0, 0},
		{"subnormal", []float64{5e-324, 0}, 0, 0},
	}
	for _, c := range tests {
		if got := reduce(t, ops.Var("x", c.ddof), 0, nil, all, c.values).Float(); !bitsEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestReductionsOfIntegers(t *testing.T) {
	big64 := []int64{math.MaxInt64, math.MaxInt64, math.MinInt64 + 1}
	add := func(a ops.Agg, c colstore.Column) ops.Result {
		s, err := a.New([]colstore.DType{c.Type()}, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(0, c.Rows(), []colstore.Column{c})
		return a.Value(s)
	}
	if got := add(ops.Mean("x"), colstore.Wrap(big64)).Float(); got != float64(math.MaxInt64)/3 {
		t.Errorf("mean %v", got)
	}
	if got := add(ops.Var("x", 0), colstore.Wrap([]uint8{1, 2, 3, 4})).Float(); got != 1.25 {
		t.Errorf("var %v", got)
	}
	if got := add(ops.Std("x", 0), colstore.Wrap([]bool{true, false})).Float(); got != 0.5 {
		t.Errorf("std %v", got)
	}
	if got := add(ops.Median("x"), colstore.Wrap([]int16{5, -7, 1000})).Float(); got != 5 {
		t.Errorf("median %v", got)
	}
}

func TestAggErrors(t *testing.T) {
	tests := []struct {
		agg  ops.Agg
		typ  colstore.DType
		want error
	}{
		{ops.Var("x", 0), colstore.BytesOf(3), colstore.ErrType},
		{ops.Std("x", 0), colstore.DatetimeOf(colstore.Second), colstore.ErrType},
		{ops.Median("x"), colstore.DatetimeOf(colstore.Second), colstore.ErrType},
		{ops.Quantile("x", 1.5), colstore.Float64, colstore.ErrOption},
		{ops.Quantile("x", math.NaN()), colstore.Float64, colstore.ErrOption},
		{ops.Hist1D("x", ops.Axis{Bins: 0, High: 1}, nil), colstore.Float64, colstore.ErrOption},
		{ops.Hist1D("x", ops.Axis{Bins: 1 << 30, High: 1}, nil), colstore.Float64, colstore.ErrOption},
		{ops.Hist1D("x", ops.Axis{Bins: 2, Low: 1, High: 1}, nil), colstore.Float64, colstore.ErrOption},
		{ops.Hist1D("x", ops.Axis{Bins: 2, Low: math.NaN(), High: 1}, nil), colstore.Float64, colstore.ErrOption},
		{ops.Hist1D("x", ops.Axis{Bins: 2, Low: -1e308, High: 1e308}, nil), colstore.Float64, colstore.ErrOption},
		{ops.Hist1D("x", ops.Axis{Bins: 100, Low: 1, High: 1 + 0x1p-50}, nil), colstore.Float64, colstore.ErrOption},
		{ops.Hist1D("x", ops.Axis{Bins: 2, High: 1}, nil), colstore.TextOf(3), colstore.ErrType},
		{ops.FiniteMin("x"), colstore.TextOf(3), colstore.ErrType},
	}
	for i, c := range tests {
		if _, err := c.agg.New([]colstore.DType{c.typ}, 0); !errors.Is(err, c.want) {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
	}
	wide := ops.Axis{Bins: 1 << 10, High: 1}
	two := []colstore.DType{colstore.Float64, colstore.Float64}
	if _, err := ops.Hist2D("x", "y", wide, wide, nil).New(two, 0); !errors.Is(err, colstore.ErrOption) {
		t.Errorf("too many cells: %v", err)
	}
	for _, name := range []string{"q", "q1.5", "qx", "p25", "meen", ""} {
		if _, err := ops.AggByName(name, "x", 0); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if a, err := ops.AggByName("q0.990", "x", 0); err != nil || a.Name != "q0.990" {
		t.Errorf("%v, %v", a.Name, err)
	}
}

// Sums of many weights are the exact sums, whatever the range of their exponents.
func TestWeightsAreAddedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			e := rapid.IntRange(-1070, 1000).Draw(t, "exponent")
			return math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "fraction"), e)
		}), 1, 50).Draw(t, "weights")
		x := make([]float64, len(weights))
		sums := [3]*big.Float{}
		for b := range sums {
			sums[b] = new(big.Float).SetPrec(4000)
		}
		for i, w := range weights {
			x[i] = float64(i % 3)
			sums[i%3].Add(sums[i%3], big.NewFloat(w))
		}
		h := reduce(t, ops.Hist1D("x", ops.Axis{Bins: 3, High: 3}, &ops.HistOptions{Weight: "w"}), 0, nil, all, x, weights).Hist
		for b, s := range sums {
			if want, _ := s.Float64(); h.SumW[b+1] != want {
				t.Fatalf("bin %d: %v, want %v", b, h.SumW[b+1], want)
			}
		}
	})
}
