package formattest

import (
	"errors"
	goruntime "runtime"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go"
)

// counting is an allocator that hands out so many bytes at a time.
type counting struct {
	limit, held, most int64
}

func (c *counting) Get(n int) []byte {
	if c.held+int64(n) > c.limit {
		return nil
	}
	c.held += int64(n)
	c.most = max(c.most, c.held)
	return make([]byte, n)
}

func (c *counting) Put(b []byte) { c.held -= int64(len(b)) }

// allocator demands that a scan gives back what it took, and says so when it gets nothing.
func (s *suite) allocator(t *testing.T) {
	path, want := s.sample(t, 1_000)
	src := s.open(t, path, want.Schema())
	mem := &counting{limit: 1 << 40}
	got, err := readAll(t.Context(), src, colstore.Scan{Mem: mem, BatchRows: 100})
	if err != nil {
		t.Fatal(err)
	}
	s.same(t, "with an allocator", got, want)
	if mem.held != 0 {
		t.Errorf("%d bytes are not given back", mem.held)
	}
	for _, err := range src.Scan(t.Context(), colstore.Scan{Mem: mem, BatchRows: 100}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if mem.held != 0 {
		t.Errorf("%d bytes are not given back after the loop was left", mem.held)
	}
	if mem.most == 0 {
		return // views
	}
	if most := int64(100*want.Schema().RowBytes()) * 5 / 4; mem.most > most {
		t.Errorf("a batch of 100 rows takes %d bytes, the rows are %d", mem.most, 100*want.Schema().RowBytes())
	}
	none := &counting{limit: mem.most / 2}
	if _, err := readAll(t.Context(), src, colstore.Scan{Mem: none, BatchRows: 100}); !errors.Is(err, colstore.ErrBudget) || none.held != 0 {
		t.Errorf("an allocator that has too little: %v, and %d bytes kept", err, none.held)
	}
}

// slackBytes are for what no endpoint declares: schemas, indices, buffers of some kilobytes.
const slackBytes = 2 << 20

// alive returns the bytes that are reachable.
func alive() int64 {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// sourceCost holds what a scan keeps alive against what the source declares.
func (s *suite) sourceCost(t *testing.T) {
	path, want := s.sample(t, 5_000)
	schema := want.Schema()
	want = nil
	before := alive()
	src := s.open(t, path, schema)
	var cost colstore.Cost
	if c, ok := src.(colstore.Coster); ok {
		cost = c.Cost(nil)
	}
	const rows = 500
	most, n := int64(0), 0
	for _, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: rows}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%8 == 1 {
			most = max(most, alive()-before)
		}
	}
	row := int64(cost.Row)
	if row == 0 {
		row = int64(schema.RowBytes()) // views of what is mapped are not on the heap; copies are no more than this
	}
	if declared := cost.Fixed + rows*row; most > declared+slackBytes {
		t.Errorf("a scan keeps %d bytes, declared are %d", most, declared)
	}
}

// sinkCost holds what a sink keeps alive against what it declares.
func (s *suite) sinkCost(t *testing.T) {
	const rows, times = 2_000, 8
	b := s.table(12, rows, len(s.DTypes))
	before := alive()
	w, err := s.createWith(t.Context(), s.path(t, "f"), b.Schema(), creating{threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	var declared int64
	if c, ok := w.(colstore.Coster); ok {
		declared = c.Cost(nil).Fixed
	}
	most := int64(0)
	for range times {
		if err := w.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		most = max(most, alive()-before)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most > declared+slackBytes {
		t.Errorf("a sink that was given %d bytes keeps %d, declared are %d", int64(times*rows)*int64(b.Schema().RowBytes()), most, declared)
	}
	keep.Store(b)
}

// keep holds a table that is to be counted on both sides of a measurement.
var keep atomic.Pointer[colstore.Batch]
