package ops_test

import (
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"testing"

	"github.com/colstore/colstore-go/ops"
)

// Aggregates have these bits on every platform: a sum and a product that a compiler fuses would give others.
func TestAggregateBits(t *testing.T) {
	x, w := make([]float64, 10_000), make([]float64, 10_000)
	state := uint64(1)
	for i := range x {
		state = state*6364136223846793005 + 1442695040888963407
		x[i] = math.Float64frombits(state>>12 | (1015+state%16)<<52)
		w[i] = float64(state>>40) / (1 << 20)
	}
	axis := ops.Axis{Bins: 9, Low: 0.1, High: 97.3}
	tests := []struct {
		name string
		agg  ops.Agg
		want string
	}{
		{"sum", ops.Sum("x"), "0x1.d6caed048e2d4p+17"},
		{"mean", ops.Mean("x"), "0x1.81ac617fd72f5p+04"},
		{"variance", ops.Var("x", 1), "0x1.49737d94a548p+11"},
		{"deviation", ops.Std("x", 0), "0x1.9aaf57b09d094p+05"},
		{"median", ops.Median("x"), "0x1.0067cb8c98bd5p+00"},
		{"quantile", ops.Quantile("x", 0.83), "0x1.44428fdb0e4fep+05"},
	}
	for _, tt := range tests {
		got := strconv.FormatFloat(reduce(t, tt.agg, 0, nil, all, x).Float(), 'x', -1, 64)
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	h := reduce(t, ops.Hist1D("x", axis, &ops.HistOptions{Weight: "w"}), 0, nil, all, x, w).Hist
	cells := fmt.Sprintf("%d %x %x", h.Counts, h.SumW, h.SumW2)
	for i := range axis.Bins {
		cells += fmt.Sprintf(" %x", axis.Center(i))
	}
	if got, want := crc32.ChecksumIEEE([]byte(cells)), uint32(0x2ba4e4a5); got != want {
		t.Errorf("cells %s: %#x, want %#x", cells, got, want)
	}
}
