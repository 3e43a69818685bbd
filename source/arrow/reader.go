package arrow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/colstore/colstore-go"
	bridge "github.com/colstore/colstore-go/internal/arrow"
)

// FromReader returns the records that r still has as a source that can be scanned once, since r can: the first scan takes
// its records, every other one is colstore.ErrClosed. [FromFunc] makes one that can be scanned again.
//
// The schema of the source follows from that of r alone: text and bytes need a width, in o.Types or in the metadata.
//
// Memory: the source holds r until it is closed. Records are the reader's; they are not part of a budget.
// Errors: those of [FromRecord] for the schema; colstore.ErrType for text without a width.
func FromReader(r array.RecordReader, o *Options) (colstore.Source, error) {
	p, err := bridge.PlanSchema(r.Schema(), (*bridge.Options)(o))
	if err != nil {
		return nil, err
	}
	r.Retain()
	var taken atomic.Bool
	open := func(context.Context) (array.RecordReader, error) {
		if taken.Swap(true) {
			return nil, fmt.Errorf("%w: a record reader is read once; make the source with FromFunc to scan it again", colstore.ErrClosed)
		}
		r.Retain()
		return r, nil
	}
	return &stream{plan: p, open: open, release: r.Release}, nil
}

// FromFunc returns the records of the readers that open opens as a source. It is called for the schema now, and for each
// scan, from the goroutine that scans; the readers are released here. They must have one schema.
//
// Errors: as [FromReader], and those of open.
func FromFunc(ctx context.Context, open func(ctx context.Context) (array.RecordReader, error), o *Options) (colstore.Source, error) {
	r, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	p, err := bridge.PlanSchema(r.Schema(), (*bridge.Options)(o))
	if err != nil {
		return nil, err
	}
	return &stream{plan: p, open: open, release: func() {}}, nil
}

// A stream is what record readers read.
type stream struct {
	plan    *bridge.Plan
	open    func(ctx context.Context) (array.RecordReader, error)
	release func()
	closed  atomic.Bool
}

func (s *stream) Schema() *colstore.Schema { return s.plan.Schema() }

// Rows returns -1: only reading tells.
func (s *stream) Rows() int64 { return -1 }

func (s *stream) Close() error {
	if !s.closed.Swap(true) {
		s.release()
	}
	return nil
}

// Cost returns the bytes of a row. Those of a view are the record's, and counted all the same.
func (s *stream) Cost(columns []string) colstore.Cost {
	schema := s.plan.Schema()
	if columns != nil {
		if selected, err := schema.Select(columns...); err == nil {
			schema = selected
		}
	}
	return colstore.Cost{Row: schema.RowBytes()}
}

// The batch of a scan that does not say has at most so many rows and bytes.
const (
	batchRows  = 1 << 16
	batchBytes = 16 << 20
)

// Scan yields the rows of the records in order. A batch lies in one record.
func (s *stream) Scan(ctx context.Context, q colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if err := s.scan(ctx, q, yield); err != nil {
			yield(nil, err)
		}
	}
}

// scan returns the error that ends the scan; nil too when yield had enough.
func (s *stream) scan(ctx context.Context, q colstore.Scan, yield func(*colstore.Batch, error) bool) error {
	if s.closed.Load() {
		return failed(colstore.ErrClosed)
	}
	p, err := s.pick(q)
	if err != nil {
		return failed(err)
	}
	r, err := s.open(ctx)
	if err != nil {
		return failed(err)
	}
	defer r.Release()
	row := int64(0)
	for row < p.rows.End && r.Next() {
		d, err := s.plan.Decoder(r.Record(), row, p.columns)
		if err != nil {
			return err
		}
		more, err := p.batches(ctx, d, row, yield)
		if !more || err != nil {
			return err
		}
		row += int64(d.Rows())
	}
	if row >= p.rows.End {
		return nil
	}
	if err := r.Err(); err != nil {
		return failed(err)
	}
	if row < p.rows.Begin || p.rows.End != math.MaxInt64 {
		return failed(fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, q.Rows.Begin, q.Rows.End, row))
	}
	return nil
}

func failed(err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		e.Op = cmp.Or(e.Op, "from arrow")
		return err
	}
	return &colstore.Error{Op: "from arrow", Err: err}
}

// A pick is what a scan asks for.
type pick struct {
	schema  *colstore.Schema
	columns []int
	rows    colstore.Range // End is math.MaxInt64 for the end
	most    int
	mem     colstore.Allocator
}

func (s *stream) pick(q colstore.Scan) (*pick, error) {
	all := s.plan.Schema()
	p := &pick{schema: all, rows: q.Rows, most: q.BatchRows, mem: q.Mem, columns: []int{}}
	names := q.Columns
	if names == nil {
		names = all.Names()
	}
	var err error
	if p.schema, err = all.Select(names...); err != nil {
		return nil, err
	}
	for _, n := range names {
		i, _ := all.Index(n)
		p.columns = append(p.columns, i)
	}
	if p.rows.End == 0 {
		p.rows.End = math.MaxInt64
	}
	if p.rows.Begin < 0 || p.rows.Begin > p.rows.End {
		return nil, fmt.Errorf("%w: rows %d to %d", colstore.ErrRange, q.Rows.Begin, q.Rows.End)
	}
	if p.most <= 0 {
		p.most = max(1, min(batchRows, batchBytes/max(1, p.schema.RowBytes())))
	}
	return p, nil
}

// batches yields the rows asked for of a record that begins at a global row. more is false when yield had enough.
func (p *pick) batches(ctx context.Context, d *bridge.Decoder, row int64, yield func(*colstore.Batch, error) bool) (more bool, err error) {
	rows := int64(d.Rows())
	begin, end := max(0, p.rows.Begin-row), min(rows, p.rows.End-row)
	for ; begin < end; begin += int64(p.most) {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		b, err := d.Batch(p.schema, p.columns, int(begin), int(min(begin+int64(p.most), end)), p.mem)
		if err != nil {
			return false, err
		}
		if !b.Lend(yield) {
			return false, nil
		}
	}
	return true, nil
}
