package json

import (
	"errors"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/parallel"
)

// A scan is one pass over some rows.
type scan struct {
	s       *source
	schema  *colstore.Schema
	columns []column
	left    colstore.Range
	most    int // rows a batch
	mem     colstore.Allocator
	threads int
	feeds   []*feed
}

// The batch of a scan that does not say has at most so many rows and bytes.
const (
	batchRows  = 1 << 16
	batchBytes = 16 << 20
)

// errDone ends a scan.
var errDone = errors.New("no more rows")

func (s *source) newScan(q colstore.Scan) (*scan, error) {
	if s.closed.Load() {
		return nil, colstore.ErrClosed
	}
	if err := s.file.unchanged(); err != nil {
		return nil, err
	}
	sc := &scan{s: s, schema: s.schema, columns: s.columns, left: q.Rows, most: q.BatchRows, mem: q.Mem, threads: max(1, q.Threads)}
	if q.Columns != nil {
		var err error
		if sc.schema, err = s.schema.Select(q.Columns...); err != nil {
			return nil, err
		}
		sc.columns = make([]column, len(q.Columns))
		for i, n := range q.Columns {
			at, _ := s.schema.Index(n)
			sc.columns[i] = s.columns[at]
		}
	}
	if sc.left.End == 0 {
		sc.left.End = s.rows
	}
	if sc.left.Begin < 0 || sc.left.Begin > sc.left.End || sc.left.End > s.rows {
		return nil, fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, q.Rows.Begin, q.Rows.End, s.rows)
	}
	if sc.most <= 0 {
		sc.most = max(1, min(batchRows, batchBytes/max(1, sc.schema.RowBytes())))
	}
	sc.open()
	return sc, nil
}

// open makes the feeds: one for all columns, or one for each of those of a file that lies by columns.
func (sc *scan) open() {
	t := sc.s.file
	if t.stretch == nil {
		f := t.feed(t.longest, t.sizes, len(sc.columns), t.form, t.around, t.names)
		for i := range sc.columns {
			f.take(sc.columns[i].number, i, &sc.columns[i])
		}
		f.start(t.index.before(sc.left.Begin))
		sc.feeds = []*feed{f}
		return
	}
	part := t.sizes.share(len(sc.columns))
	by := map[int]*feed{}
	for i := range sc.columns {
		c := &sc.columns[i]
		f := by[c.number]
		if f == nil {
			f = t.feed(part.text, part, 1, formScalar, t.stretch[c.number].around, nil)
			f.start(t.stretch[c.number].index.before(sc.left.Begin))
			by[c.number] = f
			sc.feeds = append(sc.feeds, f)
		}
		f.take(0, i, c)
	}
}

// batch returns the next rows, or errDone behind the last.
func (sc *scan) batch() (*colstore.Batch, error) {
	if sc.left.Begin == sc.left.End {
		if err := sc.s.file.unchanged(); err != nil {
			return nil, err
		}
		return nil, errDone
	}
	n := int(min(int64(sc.most), sc.left.Rows()))
	b, err := sc.newBuffers(n)
	if err != nil {
		return nil, err
	}
	if err := sc.read(b.columns, n); err != nil {
		b.release()
		return nil, err
	}
	at := colstore.Range{Begin: sc.left.Begin, End: sc.left.Begin + int64(n)}
	sc.left.Begin = at.End
	batch, err := colstore.NewOwnedBatch(sc.schema, at, b.release, b.columns...)
	if err != nil {
		b.release()
	}
	return batch, err
}

// read reads the next n rows into columns. Of the errors of several columns that lie apart, the one of the first row is
// returned, whichever is met first.
func (sc *scan) read(columns []colstore.Column, n int) error {
	failed := make([]error, len(sc.feeds))
	if err := parallel.Each(len(sc.feeds), sc.threads, func(i int) error {
		failed[i] = sc.feeds[i].read(sc, columns, n)
		return nil
	}); err != nil {
		return err
	}
	var first error
	at := int64(math.MaxInt64)
	for _, err := range failed {
		row := int64(math.MaxInt64 - 1) // behind all that have one
		if e, ok := errors.AsType[*colstore.Error](err); ok {
			if r, ok := e.Row.Get(); ok {
				row = r
			}
		}
		if err != nil && row < at {
			first, at = err, row
		}
	}
	return first
}

// buffers are the columns of a batch while it is being filled.
type buffers struct {
	columns []colstore.Column
	memory  [][]byte
	mem     colstore.Allocator
}

// newBuffers returns room for rows rows.
//
// Errors: colstore.ErrBudget when the allocator has none.
func (sc *scan) newBuffers(rows int) (*buffers, error) {
	b := &buffers{mem: sc.mem, columns: make([]colstore.Column, len(sc.columns))}
	for i, c := range sc.columns {
		if rows > math.MaxInt/c.typ.Size() {
			b.release()
			return nil, fmt.Errorf("%w: a batch of %d rows", colstore.ErrBudget, rows)
		}
		size := rows * c.typ.Size()
		var data []byte
		if b.mem == nil {
			data = make([]byte, size)
		} else if data = b.mem.Get(size); data == nil {
			b.release()
			return nil, &colstore.Error{Column: c.name, Err: fmt.Errorf("%w: %d rows of %s", colstore.ErrBudget, rows, c.typ.Name())}
		} else {
			b.memory = append(b.memory, data)
		}
		var err error
		if b.columns[i], err = colstore.NewColumn(c.typ, rows, data); err != nil {
			b.release()
			return nil, err
		}
	}
	return b, nil
}

func (b *buffers) release() {
	for _, m := range b.memory {
		b.mem.Put(m)
	}
	b.memory = nil
}
