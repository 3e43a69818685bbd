package ops_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/ops"
)

func bitsEqual(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// However rows are cut into batches and states, the sum has the same bits.
func TestFloatSumHidesCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3*ops.BlockRows).Draw(t, "rows")
		keepEvery := rapid.IntRange(1, 5).Draw(t, "keep")
		value := func(row int) (float64, bool) {
			v := math.Sin(float64(row)) * math.Pow(10, float64(row%37-18))
			return v, (row*7919)%keepEvery == 0
		}
		add := func(s *ops.FloatSum, begin, end int) {
			for begin < end {
				// A chunk lies in one block.
				stop := min(end, (begin/ops.BlockRows+1)*ops.BlockRows, begin+512)
				var vals []float64
				for r := begin; r < stop; r++ {
					if v, ok := value(r); ok {
						vals = append(vals, v)
					}
				}
				s.Add(int64(begin), vals)
				begin = stop
			}
		}
		whole := ops.NewFloatSum(0)
		add(whole, 0, n)
		merged := ops.NewFloatSum(0)
		for at := 0; at < n; {
			end := min(n, at+rapid.IntRange(1, 3000).Draw(t, "batch"))
			part := ops.NewFloatSum(int64(at))
			add(part, at, end)
			merged.Merge(part)
			at = end
		}
		if !bitsEqual(whole.Value(), merged.Value()) {
			t.Fatalf("whole %v, merged %v", whole.Value(), merged.Value())
		}
		exact := new(big.Float).SetPrec(2000)
		abs := 0.0
		for r := range n {
			if v, ok := value(r); ok {
				exact.Add(exact, big.NewFloat(v))
				abs += math.Abs(v)
			}
		}
		want, _ := exact.Float64()
		if math.Abs(whole.Value()-want) > 1e-13*abs {
			t.Fatalf("sum %v, exact %v", whole.Value(), want)
		}
	})
}

func TestFloatSumSpecials(t *testing.T) {
	tests := []struct {
		name   string
		values []float64
		want   float64
	}{
		{"nothing", nil, 0},
		{"infinity", []float64{1, math.Inf(1)}, math.Inf(1)},
		{"both infinities", []float64{math.Inf(1), math.Inf(-1)}, math.NaN()},
		{"NaN", []float64{1, math.NaN()}, math.NaN()},
		{"subnormal", []float64{5e-324}, 5e-324},
		{"negative", []float64{-1.5, -2}, -3.5},
	}
	for _, c := range tests {
		s := ops.NewFloatSum(0)
		s.Add(0, c.values)
		if got := s.Value(); !bitsEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Blocks add exactly: 1e308 comes back down.
	s := ops.NewFloatSum(0)
	for i, v := range []float64{1e308, 1e308, -1e308, -1e308, 1} {
		s.Add(int64(i)*ops.BlockRows, []float64{v})
	}
	if got := s.Value(); got != 1 {
		t.Errorf("blocks: %v, want 1", got)
	}
}
