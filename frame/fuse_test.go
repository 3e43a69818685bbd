package frame_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source"
)

// TestFused demands the bits of two kernels of the one that computes both: where what the first one makes is a column of
// the result too, they are not fused.
func TestFused(t *testing.T) {
	special := []float64{
		0, math.Copysign(0, -1), 1, -1.5, 1e308, -1e308, 5e-324, math.Inf(1), math.Inf(-1), 1.0 / 3,
		math.Float64frombits(0x7ff8_0000_0000_0abc), math.Float64frombits(0xfff0_0000_0000_0123), math.NaN(),
	}
	rows := len(special) * len(special) * len(special)
	a, b, c := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		a[i], b[i], c[i] = special[i%len(special)], special[i/len(special)%len(special)], special[i/len(special)/len(special)]
	}
	s := colstore.MustSchema(colstore.Field{Name: "a", Type: colstore.Float64}, colstore.Field{Name: "b", Type: colstore.Float64}, colstore.Field{Name: "c", Type: colstore.Float64})
	batch, err := colstore.NewBatch(s, colstore.Wrap(a), colstore.Wrap(b), colstore.Wrap(c))
	if err != nil {
		t.Fatal(err)
	}
	f := frame.From(source.Memory(batch))
	for _, dtype := range []colstore.DType{colstore.Float64, colstore.Float32} {
		f := f.Cast(map[string]colstore.DType{"a": dtype, "b": dtype, "c": dtype})
		for _, tt := range []struct{ whole, first, second, rest string }{
			{"a * b + c", "a * b", "", "p + c"},
			{"c + a * b", "a * b", "", "c + p"},
			{"a * b - c", "a * b", "", "p - c"},
			{"c - a * b", "a * b", "", "c - p"},
			{"(a + b) * c", "a + b", "", "p * c"},
			{"c * (a + b)", "a + b", "", "c * p"},
			{"(a - b) * c", "a - b", "", "p * c"},
			{"c * (a - b)", "a - b", "", "c * p"},
			{"a * 2.5 + c", "a * 2.5", "", "p + c"},
			{"2.5 - a * b", "a * b", "", "2.5 - p"},
			{"a * b + a * c", "a * b", "a * c", "p + q"},
			{"a * a + b * b", "a * a", "b * b", "p + q"},
			{"a ** 2 + b * b", "a ** 2", "b * b", "p + q"},
			{"sqrt(a * a + b * b)", "a * a", "b * b", "sqrt(p + q)"},
			{"(a * b + c) * (a - c)", "a * b + c", "a - c", "p * q"},
		} {
			apart := f.Assign("p", frame.MustParse(tt.first))
			if tt.second != "" {
				apart = apart.Assign("q", frame.MustParse(tt.second))
			}
			apart = apart.Assign("x", frame.MustParse(tt.rest))
			for level := kernel.LevelGo; level <= kernel.Best(); level++ {
				before := kernel.SetLevel(level)
				want := stored(t, apart)
				got := stored(t, f.Assign("x", frame.MustParse(tt.whole)).Select("x"))
				kernel.SetLevel(before)
				if !bytes.Equal(got[len(got)-1], want[len(want)-1]) {
					t.Errorf("%s of %s, %v: the bits differ from those of %q", tt.whole, dtype.Name(), level, tt.rest)
				}
			}
		}
	}
}

// stored returns the bytes of the columns of a frame.
func stored(t *testing.T, f *frame.Frame) [][]byte {
	t.Helper()
	b, err := f.Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for i := range b.Schema().Len() {
		data, _ := b.At(i).Bytes()
		out = append(out, slices.Clone(data))
	}
	return out
}
