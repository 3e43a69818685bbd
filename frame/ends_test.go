package frame_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// noted is a source that notes what is asked of it; unsized, it does not know its rows.
type noted struct {
	colstore.Source
	unsized bool
	scans   []colstore.Scan
	batches int
}

func (n *noted) Rows() int64 {
	if n.unsized {
		return -1
	}
	return n.Source.Rows()
}

func (n *noted) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	n.scans = append(n.scans, s)
	return func(yield func(*colstore.Batch, error) bool) {
		for b, err := range n.Source.Scan(ctx, s) {
			n.batches++
			if !yield(b, err) {
				return
			}
		}
	}
}

// Only the rows that are shown are read, where it is known which they are: what is wrong with others is no matter. Batches
// are as large as asked.
func TestEndsReadWhatTheyShow(t *testing.T) {
	values := make([]int64, 10_000)
	for i := range values {
		values[i] = int64(i)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64}), colstore.Wrap(values))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		n, batch int
		last     bool
		unsized  bool
		where    string
		rows     colstore.Range // of the scan
		size     int            // of its batches
		batches  int            // that are read
		first    int64
	}{
		{n: 2, rows: colstore.Range{End: 2}, size: 4096, batches: 1},
		{n: 2, last: true, rows: colstore.Range{Begin: 9998, End: 10_000}, size: 4096, batches: 1, first: 9998},
		{n: 20_000, size: 20_000, batches: 1},
		{n: 5, unsized: true, size: 5, batches: 1},
		{n: 5, batch: 2, unsized: true, size: 2, batches: 3},
		{n: 5, batch: 2, rows: colstore.Range{End: 5}, size: 2, batches: 3},
		{n: 2, batch: 100, where: "x >= 150", size: 100, batches: 2, first: 150},
		{n: 2, where: "x >= 150", size: 4096, batches: 1, first: 150},
	} {
		memory := source.Memory(b)
		src := &noted{Source: memory, unsized: test.unsized}
		f := frame.From(src)
		if test.where != "" {
			f = f.Where(frame.MustParse(test.where))
		}
		got, numbers, err := f.Ends(t.Context(), test.n, test.last, test.batch)
		if err != nil {
			t.Fatal(err)
		}
		v, err := colstore.Values[int64](got.At(0))
		if err != nil || len(v) != min(test.n, len(values)) || v[0] != test.first || !slices.Equal(v, numbers) {
			t.Errorf("%+v: rows %v with values %v, %v", test, numbers, v, err)
		}
		if s := src.scans[len(src.scans)-1]; s.Rows != test.rows || s.BatchRows != test.size || src.batches != test.batches {
			t.Errorf("%+v: %+v and %d batches", test, s, src.batches)
		}
		if err := memory.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
