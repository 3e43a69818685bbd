package ops_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/ops"
)

// exactQuantile is NumPy's quantile of sorted values.
func exactQuantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if float64(i) == at {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func TestSketchKeepsItsError(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tests := []struct {
		name  string
		err   float64
		value func() float64
	}{
		{"normal", ops.SketchError, r.NormFloat64},
		{"exponential", ops.SketchError, r.ExpFloat64},
		{"shifted", ops.SketchError, func() float64 { return 1e9 + r.NormFloat64() }},
		{"integers below 1024", 0, func() float64 { return float64(r.IntN(1024)) }},
		{"few values", 0, func() float64 { return []float64{19.99, 4.5, -0.1}[r.IntN(3)] }},
		{"85 powers of two", ops.SketchError, func() float64 { return math.Ldexp(1+r.Float64(), r.IntN(85)) }},
		{"170 powers of two", 2 * ops.SketchError, func() float64 { return math.Ldexp(1+r.Float64(), r.IntN(170)) }},
		{"all powers of two", 64 * ops.SketchError, func() float64 {
			return math.Ldexp(1+r.Float64(), r.IntN(2000)-1000) * float64(1-2*r.IntN(2))
		}},
	}
	for _, c := range tests {
		v := make([]float64, 30_001)
		for i := range v {
			v[i] = c.value()
		}
		var s ops.Sketch
		s.Add(v)
		slices.Sort(v)
		for _, q := range []float64{0, 1e-4, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1} {
			got, want := s.Quantile(q), exactQuantile(v, q)
			if tol := c.err * math.Abs(want); math.Abs(got-want) > tol {
				t.Errorf("%s: quantile %v is %v, want %v: off by %.3g", c.name, q, got, want, got/want-1)
			}
		}
		if s.Quantile(0) != v[0] || s.Quantile(1) != v[len(v)-1] || s.Rows() != int64(len(v)) {
			t.Errorf("%s: extremes %v to %v of %d rows", c.name, s.Quantile(0), s.Quantile(1), s.Rows())
		}
	}
}

// In whatever order values come and sketches are merged, the estimates are the same.
func TestSketchHidesOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spread := rapid.SampledFrom([]int{3, 100, 500, 2000}).Draw(t, "spread")
		v := make([]float64, rapid.IntRange(0, 3000).Draw(t, "rows"))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for i := range v {
			v[i] = math.Ldexp(r.Float64()-0.5, r.IntN(spread)-spread/2)
		}
		var want ops.Sketch
		want.Add(v)
		r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		parts := make([]ops.Sketch, rapid.IntRange(1, 8).Draw(t, "parts"))
		for i := range v {
			parts[r.IntN(len(parts))].Add(v[i : i+1])
		}
		for len(parts) > 1 {
			i := r.IntN(len(parts) - 1)
			parts[i].Merge(&parts[i+1])
			parts = slices.Delete(parts, i+1, i+2)
		}
		for _, q := range []float64{0, 0.001, 0.3, 0.5, 0.77, 1} {
			if a, b := parts[0].Quantile(q), want.Quantile(q); !bitsEqual(a, b) {
				t.Fatalf("quantile %v is %v, want %v", q, a, b)
			}
		}
	})
}

func TestSketchSpecials(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		values []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, nan},
		{[]float64{1, nan}, 0.5, nan},
		{[]float64{-inf, 0, inf}, 0.5, 0},
		{[]float64{inf, inf}, 0.3, inf},
		{[]float64{0, math.Copysign(0, -1)}, 0, math.Copysign(0, -1)},
		{[]float64{1, 2}, 0.25, 1.25},
		{[]float64{7}, 0.9, 7},
	}
	for _, c := range tests {
		var s ops.Sketch
		s.Add(c.values)
		if got := s.Quantile(c.q); !bitsEqual(got, c.want) {
			t.Errorf("%v of %v is %v, want %v", c.q, c.values, got, c.want)
		}
	}
}
