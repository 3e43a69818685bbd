package arrow_test

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/runtime"
	formats "github.com/colstore/colstore-go/source"

	sink "github.com/colstore/colstore-go/sink/arrow"
)

// drain returns the float64 values of the first column.
func drain(t *testing.T, r array.RecordReader) []float64 {
	t.Helper()
	var out []float64
	for r.Next() {
		out = append(out, r.Record().Column(0).(*array.Float64).Float64Values()...)
	}
	return out
}

func TestReaderOfFrame(t *testing.T) {
	v := make([]float64, 10_000)
	for i := range v {
		v[i] = float64(i)
	}
	src := formats.Memory(floats(t, v...))
	defer src.Close()
	f := frame.From(src).Where(frame.Col("x").Ge(9_000)).Assign("y", frame.Col("x").Mul(2)).Select("y")
	schema, err := f.Schema()
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := sink.NewReader(schema, f.Batches(t.Context(), 64))
	if err != nil {
		t.Fatal(err)
	}
	defer sequential.Release()
	parallel, err := sink.NewReader(schema, runtime.Batches(t.Context(), f, &runtime.Options{Workers: 3, BatchRows: 100}))
	if err != nil {
		t.Fatal(err)
	}
	defer parallel.Release()
	for _, r := range []array.RecordReader{sequential, parallel} {
		got := drain(t, r)
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1000 || got[0] != 18_000 || got[999] != 19_998 {
			t.Errorf("%d values, %v", len(got), got)
		}
		if r.Next() || r.Record() != nil {
			t.Error("there is a record after the last")
		}
	}
}

// The sequence is ended by a release, wherever it is.
func TestReaderReleasedEarly(t *testing.T) {
	ended := false
	batches := func(yield func(*colstore.Batch, error) bool) {
		defer func() { ended = true }()
		for yield(floats(t, 1), nil) {
			continue
		}
	}
	r, err := sink.NewReader(floats(t).Schema(), batches)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !r.Next() {
			t.Fatal("no record")
		}
	}
	r.Retain()
	r.Release()
	if ended || r.Record() == nil {
		t.Error("the sequence ended while the reader is held")
	}
	r.Release()
	if !ended {
		t.Error("the sequence did not end")
	}
}

func TestReaderErrors(t *testing.T) {
	other, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Float32}), colstore.Wrap([]float32{1}))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	tests := []struct {
		b    *colstore.Batch
		err  error
		is   error
		want string
	}{
		{nil, broken, broken, "broken"},
		{other, nil, colstore.ErrMismatch, `to arrow: column "x": mismatch: column 0 is <f4, the schema has "x" <f8`},
	}
	for _, test := range tests {
		r, err := sink.NewReader(floats(t).Schema(), func(yield func(*colstore.Batch, error) bool) {
			if yield(floats(t, 1, 2), nil) {
				yield(test.b, test.err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := drain(t, r); len(got) != 2 {
			t.Errorf("%v before the error", got)
		}
		if err := r.Err(); !errors.Is(err, test.is) || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
		if r.Next() {
			t.Error("a record after the error")
		}
		r.Release()
	}
	if _, err := sink.NewReader(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.DatetimeOf(colstore.Year)}), nil); !errors.Is(err, colstore.ErrType) {
		t.Errorf("%v for a unit that Arrow does not have", err)
	}
}
