package source_test

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/numa"
	"github.com/colstore/colstore-go/source"
)

// bindings counts goroutines that are bound.
type bindings struct{ made, held atomic.Int32 }

func (b *bindings) Bind() func() {
	b.made.Add(1)
	b.held.Add(1)
	return func() { b.held.Add(-1) }
}

// The workers of a large read of a view or a frame are bound as its context asks, those of a small one are not; what is read is
// the same.
func TestBoundReads(t *testing.T) {
	before := kernel.Tuned()
	tuned := before
	tuned.Threads = 3
	kernel.Tune(tuned)
	defer kernel.Tune(before)
	values := make([]int64, 1<<20)
	for i := range values {
		values[i] = int64(i)
	}
	b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap(values)))
	if err != nil {
		t.Fatal(err)
	}
	src := source.Memory(b)
	defer src.Close()
	read := func(bound *bindings, rows int64) [2][]byte {
		t.Helper()
		ctx := t.Context()
		if bound != nil {
			ctx = numa.Bound(ctx, bound)
		}
		v := source.ViewOf(src).Pick(source.Slice(0, rows))
		records, err := v.Records(ctx)
		if err != nil {
			t.Fatal(err)
		}
		computed, err := frame.From(v).Where(frame.MustParse("x % 2 == 0")).Assign("y", frame.MustParse("x + 1")).Collect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		y, dense := computed.At(1).Bytes()
		if !dense {
			t.Fatal("the column is not dense")
		}
		return [2][]byte{records.Data, y}
	}
	want := read(nil, int64(len(values)))
	bound := &bindings{}
	got := read(bound, int64(len(values)))
	if !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) {
		t.Error("another result")
	}
	if bound.made.Load() != 9 || bound.held.Load() != 0 { // one pass over the view, two of the frame
		t.Errorf("%d bound, %d still", bound.made.Load(), bound.held.Load())
	}
	if read(bound, 100); bound.made.Load() != 9 {
		t.Error("a small read is bound")
	}
}
