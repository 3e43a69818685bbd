package ops_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// Finite values have the sum and the mean that exact arithmetic gives them, also where parts of the sum are beyond a
// float64, however rows are cut.
func TestSumsOfHugeValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2*ops.BlockRows).Draw(t, "rows")
		scale := rapid.SampledFrom([]float64{1.7e308, 1e308, 1.8e307, 1e305, 1}).Draw(t, "scale")
		seed := rapid.Float64Range(0, 7).Draw(t, "seed")
		v := make([]float64, n)
		exact := new(big.Float).SetPrec(2500)
		size := new(big.Float).SetPrec(2500)
		for i := range v {
			v[i] = scale * math.Sin(seed+float64(i*i%1013))
			exact.Add(exact, big.NewFloat(v[i]))
			size.Add(size, big.NewFloat(math.Abs(v[i])))
		}
		cuts := []int{0}
		for cuts[len(cuts)-1] < n {
			cuts = append(cuts, min(n, cuts[len(cuts)-1]+rapid.IntRange(1, 3000).Draw(t, "batch")))
		}
		for _, level := range []string{"", "var"} {
			fold := func(cuts []int) ops.State {
				agg := ops.Sum("x")
				if level == "var" {
					agg = ops.Var("x", 0)
				}
				var all ops.State
				for i, begin := range cuts[:len(cuts)-1] {
					s, err := agg.New([]colstore.DType{colstore.Float64}, int64(begin))
					if err != nil {
						t.Fatal(err)
					}
					for at := begin; at < cuts[i+1]; {
						end := min(cuts[i+1], (at/ops.BlockRows+1)*ops.BlockRows)
						s.Add(int64(at), end-at, []colstore.Column{colstore.Wrap(v[at:end])})
						at = end
					}
					if all == nil {
						all = s
					} else {
						all.Merge(s)
					}
				}
				return all
			}
			whole, merged := fold([]int{0, n}), fold(cuts)
			for _, agg := range []ops.Agg{ops.Sum("x"), ops.Mean("x")} {
				got := agg.Value(whole).Float()
				if other := agg.Value(merged).Float(); !bitsEqual(got, other) {
					t.Fatalf("%s: whole %v, merged %v", agg.Name, got, other)
				}
				want, tol := new(big.Float).Copy(exact), new(big.Float).Copy(size)
				if agg.Name == "mean" {
					want.Quo(want, big.NewFloat(float64(n)))
					tol.Quo(tol, big.NewFloat(float64(n)))
				}
				near, _ := want.Float64()
				switch tol.Mul(tol, big.NewFloat(1e-13)); {
				case math.IsInf(near, 0):
					if got != near && math.Abs(got) < math.MaxFloat64*(1-1e-12) {
						t.Fatalf("%s is %v, want %v", agg.Name, got, near)
					}
				case math.IsInf(got, 0) && math.Abs(near) > math.MaxFloat64*(1-1e-12):
				case got-got != 0 || want.Sub(want, big.NewFloat(got)).Abs(want).Cmp(tol) > 0:
					t.Fatalf("%s is %v, want %v", agg.Name, got, near)
				}
			}
		}
	})
}

// Infinities and NaN among huge values are what they are in exact arithmetic.
func TestSumsOfHugeValuesAndInfinities(t *testing.T) {
	huge := make([]float64, 4000)
	for i := range huge {
		huge[i] = 1e308
	}
	with := func(v ...float64) []float64 { return append(append([]float64(nil), huge...), v...) }
	tests := []struct {
		name   string
		values []float64
		want   float64
	}{
		{"beyond", huge, math.Inf(1)},
		{"infinity of the other sign", with(math.Inf(-1)), math.Inf(-1)},
		{"NaN", with(math.NaN()), math.NaN()},
		{"both infinities", with(math.Inf(-1), math.Inf(1)), math.NaN()},
	}
	for _, c := range tests {
		s := ops.NewFloatSum(0)
		s.Add(0, c.values)
		if got := s.Value(); !bitsEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestVarianceOfHugeValues(t *testing.T) {
	v := make([]float64, 1000)
	for i := range v {
		v[i] = 1e307
	}
	if got := fold(t, ops.Var("x", 0), v); got != 0 {
		t.Errorf("variance of equal values: %v", got)
	}
	if got := fold(t, ops.Mean("x"), v); math.Abs(got-1e307) > 1e294 {
		t.Errorf("mean of equal values: %v", got)
	}
}

func fold(t *testing.T, agg ops.Agg, v []float64) float64 {
	t.Helper()
	s, err := agg.New([]colstore.DType{colstore.Float64}, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Add(0, len(v), []colstore.Column{colstore.Wrap(v)})
	return agg.Value(s).Float()
}

// A quantile lies between the values that it is interpolated from, at the ends of the range too.
func TestQuantilesOfHugeAndInfiniteValues(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		values  []float64
		q, want float64
	}{
		{[]float64{-1.7e308, 1.7e308}, 0.5, 0},
		{[]float64{-0x1p1023, 0x1p1023}, 0.25, -0x1p1022},
		{[]float64{-inf, 0.77}, 0, -inf},
		{[]float64{-inf, 0.77}, 0.5, -inf},
		{[]float64{-inf, 0.77}, 1, 0.77},
		{[]float64{0.1, inf}, 0, 0.1},
		{[]float64{0.1, inf}, 0.5, inf},
		{[]float64{0.1, inf}, 1, inf},
		{[]float64{-inf, inf}, 0, -inf},
		{[]float64{-inf, inf}, 0.5, math.NaN()},
		{[]float64{-inf, inf}, 1, inf},
		{[]float64{-inf, -inf, 2, inf, inf}, 0.5, 2},
		{[]float64{-inf, -inf}, 0.5, -inf},
	}
	for _, c := range tests {
		if got := fold(t, ops.Quantile("x", c.q), c.values); !bitsEqual(got, c.want) {
			t.Errorf("quantile %v of %v is %v, want %v", c.q, c.values, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		var s ops.Sketch
		s.Add([]float64{a, b})
		if got := s.Quantile(q); got-got == 0 && !(got >= min(a, b) && got <= max(a, b)) || got != got && a-a == 0 && b-b == 0 {
			t.Fatalf("quantile %v of %v and %v is %v", q, a, b, got)
		}
	})
}
