package arrow_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	sink "github.com/colstore/colstore-go/sink/arrow"
	source "github.com/colstore/colstore-go/source/arrow"
)

// A batch of any dtypes and layouts comes back from its record as it was, also from a slice of it, and nothing is held
// after both are released.
func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 40).Draw(t, "rows")
		b, released := drawBatch(t, drawSchema(t), rows)
		rec, err := sink.Record(b)
		if err != nil {
			t.Fatal(err)
		}
		want := b.Detach()
		b.Release()
		begin := rapid.IntRange(0, rows).Draw(t, "begin")
		end := rapid.IntRange(begin, rows).Draw(t, "end")
		slice := rec.NewSlice(int64(begin), int64(end))
		rec.Release()
		got, err := source.FromRecord(slice, nil)
		slice.Release()
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want.Slice(begin, end))
		again, err := sink.Record(got)
		if err != nil {
			t.Fatal(err)
		}
		got.Release()
		last, err := source.FromRecord(again, nil)
		again.Release()
		if err != nil {
			t.Fatal(err)
		}
		same(t, last, want.Slice(begin, end))
		last.Release()
		if !*released {
			t.Fatal("the batch is still held")
		}
	})
}

// A stream gives the same rows however they are divided into records and batches.
func TestStreamRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t)
		var whole []*colstore.Batch
		batches := func(yield func(*colstore.Batch, error) bool) {
			for range rapid.IntRange(0, 4).Draw(t, "batches") {
				b, _ := drawBatch(t, schema, rapid.IntRange(0, 20).Draw(t, "rows"))
				whole = append(whole, b.Detach())
				if !b.Lend(yield) {
					return
				}
			}
		}
		r, err := sink.NewReader(schema, batches)
		if err != nil {
			t.Fatal(err)
		}
		src, err := source.FromReader(r, nil)
		r.Release()
		if err != nil {
			t.Fatal(err)
		}
		most := rapid.IntRange(1, 25).Draw(t, "most")
		var got []*colstore.Batch
		row := int64(0)
		for b, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: most}) {
			if err != nil {
				t.Fatal(err)
			}
			if b.Rows() > most || b.Begin() != row {
				t.Fatalf("%d rows from row %d, want at most %d from %d", b.Rows(), b.Begin(), most, row)
			}
			row += int64(b.Rows())
			b.Retain()
			got = append(got, b)
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
		all, err := colstore.Stack(schema, got...)
		if err != nil {
			t.Fatal(err)
		}
		want, err := colstore.Stack(schema, whole...)
		if err != nil {
			t.Fatal(err)
		}
		same(t, all, want)
		for _, b := range got {
			b.Release()
		}
	})
}
