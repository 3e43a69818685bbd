package frame_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// Outputs that are inputs, that are computed with, and outputs that kernels work in have the values of a plain loop:
// chunks of which all rows, some or none survive, in any order of the outputs, where an output is there twice.
func TestOutputsAreWorkedIn(t *testing.T) {
	const rows = 20_000
	a, b, c, numbers := make([]float64, rows), make([]float64, rows), make([]int16, rows), make([]int32, rows)
	for i := range a {
		numbers[i], a[i], b[i], c[i] = int32(i), float64(i%977)-400, float64(i%31)/8+0.5, int16(i%300-20)
	}
	swapped := make([]int16, rows)
	for i, v := range c {
		swapped[i] = int16(uint16(v)>>8 | uint16(v)<<8)
	}
	s := colstore.MustSchema(colstore.Field{Name: "a", Type: colstore.Float64}, colstore.Field{Name: "b", Type: colstore.Float64}, colstore.Field{Name: "c", Type: bigInt16}, colstore.Field{Name: "i", Type: colstore.Int32})
	whole, err := colstore.NewBatch(s, colstore.Wrap(a), colstore.Wrap(b), colstore.RawColumn(bigInt16, rows, 2, unsafe.Pointer(&swapped[0])), colstore.Wrap(numbers))
	if err != nil {
		t.Fatal(err)
	}
	parts := runs{s, []*colstore.Batch{whole.Slice(0, 9_000), whole.Slice(9_000, rows)}}
	for _, cut := range []struct {
		text string
		keep func(row int) bool
	}{
		{"a > -1000", func(int) bool { return true }},
		{"a > 1000", func(int) bool { return false }},
		{"b < 3 and a > 0", func(i int) bool { return b[i] < 3 && a[i] > 0 }},
		{"i < 9000 or i >= 13000 and a < 0", func(i int) bool { return i < 9_000 || i >= 13_000 && a[i] < 0 }},
	} {
		var want [8][]float64
		for i := range rows {
			if cut.keep(i) {
				z := float64(c[i])
				for k, v := range []float64{a[i]*2 + b[i]/z, z, a[i], (a[i] - b[i]/z) * (a[i] + b[i]), b[i], a[i], a[i] + z*b[i]/4, math.Floor(b[i] / z)} {
					want[k] = append(want[k], v)
				}
			}
		}
		f := func(src colstore.Source) *frame.Frame {
			return frame.From(src).Where(frame.MustParse(cut.text)).
				Assign("x", frame.MustParse("a*2 + b/c")).Assign("y", frame.MustParse("(a - b/c) * (a + b)")).
				Assign("a2", frame.MustParse("a")).Assign("z", frame.MustParse("a + c*b/4")).Assign("w", frame.MustParse("floor(b/c)")).
				Select("x", "c", "a", "y", "b", "a2", "z", "w")
		}
		check := func(name string, got *colstore.Batch) {
			t.Helper()
			for k := range want {
				v := make([]float64, got.Rows())
				if got.At(k).Type() == colstore.Float64 {
					copy(v, must(colstore.Values[float64](got.At(k)))(t))
				} else {
					for i, x := range must(colstore.Values[int16](got.At(k).Slice(0, got.Rows(), 1)))(t) {
						v[i] = float64(x)
					}
				}
				if !slices.Equal(v, want[k]) {
					t.Errorf("%s, %s: column %d differs", cut.text, name, k)
				}
			}
		}
		for _, src := range []colstore.Source{parts, mappedRuns{parts}} {
			for _, workers := range []int{1, 3} {
				p := must(f(src).Prepare(t.Context(), &frame.MemoryOptions{Workers: workers}))(t)
				got := must(p.Collect(t.Context()))(t)
				check(fmt.Sprintf("%T, %d workers", src, workers), got)
				var dst []colstore.Column
				for _, field := range p.Schema().All() {
					dst = append(dst, colstore.RawColumn(field.Type, rows, field.Type.Size(), unsafe.Pointer(&make([]float64, rows)[0])))
				}
				n := must(p.Into(t.Context(), dst...))(t)
				for i := range dst {
					dst[i] = dst[i].Slice(0, n, 1)
				}
				check("into", must(colstore.NewBatch(p.Schema(), dst...))(t))
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Bools that a program makes are 0 and 1, and those of a file are made so.
func TestStoredBools(t *testing.T) {
	flag, v := []uint8{0, 1, 2, 255}, []float64{1, 2, 3, 4}
	s := colstore.MustSchema(colstore.Field{Name: "flag", Type: colstore.Bool}, colstore.Field{Name: "v", Type: colstore.Float64})
	b, err := colstore.NewBatch(s, colstore.RawColumn(colstore.Bool, 4, 1, unsafe.Pointer(&flag[0])), colstore.Wrap(v))
	if err != nil {
		t.Fatal(err)
	}
	f := frame.From(mappedRuns{runs{s, []*colstore.Batch{b}}}).Assign("large", frame.MustParse("v > 2")).
		Assign("copy", frame.MustParse("flag")).Assign("both", frame.MustParse("flag & (v > 1)")).Assign("always", frame.Lit(true)).
		Assign("either", frame.MustParse("where(v > 2, flag, v < 2)")).Drop("v")
	for _, f := range []*frame.Frame{f, f.Where(frame.MustParse("large | ~large"))} {
		dst := make([][]uint8, 6)
		var cols []colstore.Column
		for i := range dst {
			dst[i] = make([]uint8, 4)
			cols = append(cols, colstore.RawColumn(colstore.Bool, 4, 1, unsafe.Pointer(&dst[i][0])))
		}
		if n, err := f.CollectInto(context.Background(), cols...); n != 4 || err != nil {
			t.Fatal(n, err)
		}
		want := [][]uint8{{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}, {1, 0, 1, 1}}
		for i := range want {
			if !slices.Equal(dst[i], want[i]) {
				t.Errorf("column %d: %d, want %d", i, dst[i], want[i])
			}
		}
	}
}

// Programs of more bitmaps than columns, whose registers have numbers of their own, are made as well as others.
func TestMoreBitmapsThanColumns(t *testing.T) {
	v := []float64{1, 2, 3, 4, 5}
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "v", Type: colstore.Float64}), colstore.Wrap(v))
	if err != nil {
		t.Fatal(err)
	}
	keep := "v == v and not (v > 4 or v < 1) or v != v and v > 3"
	f := frame.From(runs{b.Schema(), []*colstore.Batch{b}}).Where(frame.MustParse(keep)).
		Assign("both", frame.MustParse("(v > 1 and v < 4) and not v == 3")).Assign("x", frame.MustParse("v")).Select("v", "both", "x")
	got := must(f.Collect(t.Context()))(t)
	both, _ := got.At(1).Bytes()
	if want := []byte{0, 1, 0, 0}; !slices.Equal(both, want) || got.Rows() != len(want) {
		t.Errorf("%d rows: %d, want %d", got.Rows(), both, want)
	}
}

// must returns a function that gives v, or fails a test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
