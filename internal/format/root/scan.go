package root

import (
	"context"
	"fmt"
	"iter"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/parallel"
)

const (
	// A batch of a scan that does not say has at most so many rows and bytes.
	defaultBatchRows  = 1 << 17
	defaultBatchBytes = 16 << 20
)

// Scan decodes the rows asked for, each batch with as many as were asked for: it may cross baskets. The branches of a
// batch are decoded by o.Threads goroutines.
func (s *source) Scan(ctx context.Context, o colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		sc, err := s.scanner(o)
		if err != nil {
			yield(nil, s.f.failed("scan", "", err))
			return
		}
		defer sc.close()
		for sc.next < sc.end {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			b, err := sc.batch()
			if err != nil {
				yield(nil, s.f.failed("scan", "", err))
				return
			}
			if !b.Lend(yield) {
				return
			}
		}
	}
}

// A scanner is a scan under way.
type scanner struct {
	f         *file
	schema    *colstore.Schema
	readers   []*reader
	next, end int64
	rows      int // of a batch
	threads   int
	mem       colstore.Allocator
	works     chan *workspace // one for each thread
}

func (s *source) scanner(o colstore.Scan) (*scanner, error) {
	if s.f.closed.Load() {
		return nil, colstore.ErrClosed
	}
	sc := &scanner{f: s.f, schema: s.schema, next: o.Rows.Begin, end: o.Rows.End, rows: o.BatchRows, mem: o.Mem}
	if o.Columns != nil {
		var err error
		if sc.schema, err = s.schema.Select(o.Columns...); err != nil {
			return nil, err
		}
	}
	if sc.end == 0 {
		sc.end = s.Rows()
	}
	if sc.next < 0 || sc.end > s.Rows() || sc.next > sc.end {
		return nil, fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, sc.next, sc.end, s.Rows())
	}
	if sc.rows <= 0 {
		sc.rows = max(1, min(defaultBatchRows, defaultBatchBytes/max(1, sc.schema.RowBytes())))
	}
	if sc.mem == nil {
		sc.mem = heap{}
	}
	at := map[int]int{} // of inputs in readers
	for i, field := range sc.schema.All() {
		k, _ := s.schema.Index(field.Name)
		o := s.outputs[k]
		j, ok := at[o.input]
		if !ok {
			j = len(sc.readers)
			at[o.input] = j
			sc.readers = append(sc.readers, s.inputs[o.input].reader(s.f))
		}
		sc.readers[j].outputs = append(sc.readers[j].outputs, placed{o, i})
	}
	sc.threads = max(1, min(o.Threads, len(sc.readers)))
	sc.works = make(chan *workspace, sc.threads)
	for range sc.threads {
		sc.works <- workspaces.Get().(*workspace)
	}
	return sc, nil
}

func (sc *scanner) close() {
	for range sc.threads {
		(<-sc.works).giveBack()
	}
	for _, r := range sc.readers {
		r.giveBack()
	}
}

// batch decodes the next rows.
func (sc *scanner) batch() (*colstore.Batch, error) {
	rows := int(min(int64(sc.rows), sc.end-sc.next))
	at := colstore.Range{Begin: sc.next, End: sc.next + int64(rows)}
	bufs, err := sc.buffers(rows)
	if err != nil {
		return nil, err
	}
	release := func() {
		for _, b := range bufs {
			sc.mem.Put(b)
		}
	}
	err = parallel.Each(len(sc.readers), sc.threads, func(i int) error {
		w := <-sc.works
		defer func() { sc.works <- w }()
		r := sc.readers[i]
		if err := guard(func() error { return r.read(bufs, rows, at.Begin, w) }); err != nil {
			return sc.f.failed("scan", r.name(), err)
		}
		return nil
	})
	if err != nil {
		release()
		return nil, err
	}
	cols := make([]colstore.Column, len(bufs))
	for i, f := range sc.schema.All() {
		if cols[i], err = colstore.NewColumn(f.Type, rows, bufs[i]); err != nil {
			release()
			return nil, err
		}
	}
	b, err := colstore.NewOwnedBatch(sc.schema, at, release, cols...)
	if err != nil {
		release()
		return nil, err
	}
	sc.next = at.End
	return b, nil
}

// buffers takes the memory of a batch, in the goroutine of the scan, since an allocator serves one.
func (sc *scanner) buffers(rows int) ([][]byte, error) {
	bufs := make([][]byte, sc.schema.Len())
	for i, f := range sc.schema.All() {
		size := rows * f.Type.Size()
		if bufs[i] = sc.mem.Get(size); bufs[i] == nil {
			for _, b := range bufs[:i] {
				sc.mem.Put(b)
			}
			return nil, fmt.Errorf("%w: no %s left for %d rows of column %q", colstore.ErrBudget, colstore.ByteSize(size), rows, f.Name)
		}
		bufs[i] = bufs[i][:size]
	}
	return bufs, nil
}

// heap is the allocator of a scan that has none.
type heap struct{}

func (heap) Get(n int) []byte { return make([]byte, n) }
func (heap) Put([]byte)       {}
