package source_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

func TestBeside(t *testing.T) {
	src, err := source.Open(t.Context(), source.Spec{Paths: numbered(t, ".cstore", []int{3, 0, 4}, []int{5})})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	double, halves := make([]int64, 12), make([]float32, 12)
	for i := range double {
		double[i], halves[i] = 2*int64(i), float32(i)/2
	}
	b, err := colstore.NewBatch(colstore.MustSchema(
		colstore.Field{Name: "half", Type: colstore.Float32}, colstore.Field{Name: "i", Type: colstore.Int64},
	), colstore.Wrap(halves), colstore.Wrap(double))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := source.Beside(src, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := joined.Schema().Names(); !slices.Equal(got, []string{"i", "h", "t", "w", "half"}) {
		t.Errorf("columns %v", got)
	}
	for _, rows := range []int{0, 1, 5} {
		n := int64(0)
		for b, err := range joined.Scan(t.Context(), colstore.Scan{BatchRows: rows, Columns: []string{"half", "h", "i"}}) {
			if err != nil {
				t.Fatal(err)
			}
			half, _ := colstore.Values[float32](b.At(0))
			h, _ := colstore.Values[int16](b.At(1))
			i, _ := colstore.Values[int64](b.At(2))
			for k := range h {
				if int64(h[k]) != n || i[k] != 2*n || half[k] != float32(n)/2 {
					t.Fatalf("row %d: %d %d %v", n, h[k], i[k], half[k])
				}
				n++
			}
		}
		if n != 12 {
			t.Errorf("%d rows", n)
		}
	}
	got, err := source.Values[float32](t.Context(), source.ViewOf(joined).Pick(source.Rows(11, 0, 7)), "half")
	if err != nil || !slices.Equal(got, []float32{5.5, 0, 3.5}) {
		t.Errorf("gathered %v, %v", got, err)
	}
	kept, err := frame.From(joined).Where(frame.MustParse("i > 10 and half < 4")).Select("h").Collect(t.Context())
	if err != nil || kept.Rows() != 2 {
		t.Errorf("filtered %v, %v", kept, err)
	}
	if err := joined.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := source.ViewOf(joined).Collect(t.Context()); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	if src.Rows() != 12 {
		t.Error("the source was closed with it")
	}
}

func TestBesideErrors(t *testing.T) {
	src := source.ViewOf(openGolden(t, "expr.cstore"))
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64}), colstore.Wrap([]int64{1}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Beside(src, b); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("one value for 48 rows: %v", err)
	}
	if _, err := source.Beside(src.Pick(source.Where(frame.MustParse("i4 > 0"))), b); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("beside an unknown number of rows: %v", err)
	}
}
