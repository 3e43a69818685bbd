package diff

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/parallel"
)

// Options say how to compare. The zero value is the default: exactly.
type Options struct {
	// Tolerance is how far numbers may be apart, absolutely or as a part of the larger one: a equals b if
	// |a−b| ≤ Tolerance × max(1, |a|, |b|). It is for numbers of which one is a float; all others are compared exactly.
	Tolerance float64
	Samples   int // rows that are shown of each column; 0 is 5, a negative number none
	BatchRows int // rows of a batch; 0 is by their width
	Threads   int // goroutines; 0 is 1
}

// A Report is how two tables differ.
type Report struct {
	Rows      [2]int64    // of each table
	Compared  int64       // rows that both have
	Only      [2][]string // columns that the other one lacks
	Reordered bool        // the columns that both have come in another order
	Columns   []Column    // that both have, in the order of the first table
}

// A Column is how the values of a column differ.
type Column struct {
	Name       string
	Types      [2]colstore.DType
	Comparable bool  // false: numbers and text, say; no value was compared
	Different  int64 // rows
	// Most is the largest difference of two numbers, or of times in one unit, tolerated ones too; those of a NaN are none.
	Most  float64
	First []Sample // of the rows that differ
}

// A Sample is one row's value in both tables, as text.
type Sample struct {
	Row  int64
	A, B string
}

// Equal reports whether the tables have the same columns and, in them, equal values.
func (r *Report) Equal() bool {
	if r.Rows[0] != r.Rows[1] || len(r.Only[0])+len(r.Only[1]) > 0 {
		return false
	}
	for _, c := range r.Columns {
		if !c.Comparable || c.Different > 0 {
			return false
		}
	}
	return true
}

const (
	defaultSamples = 5
	batchBytes     = 8 << 20 // of a batch of both tables
	batchRows      = 1 << 17
	// smallBytes is what one goroutine compares sooner than several are started.
	smallBytes = 256 << 10
)

// Tables compares the rows of two sources, in order. A nil o is all defaults.
//
// Errors: colstore.ErrOption for a tolerance that is negative or no number, colstore.ErrValue for no source; those of the
// sources, and the context's cause.
func Tables(ctx context.Context, a, b colstore.Source, o *Options) (*Report, error) {
	if o == nil {
		o = &Options{}
	}
	if a == nil || b == nil {
		return nil, fmt.Errorf("%w: two tables to compare, of which one is nil", colstore.ErrValue)
	}
	if !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 0) {
		return nil, fmt.Errorf("%w: a tolerance of %v", colstore.ErrOption, o.Tolerance)
	}
	d := &differ{o: *o, report: &Report{}}
	if d.o.Samples == 0 {
		d.o.Samples = defaultSamples
	}
	d.match(a.Schema(), b.Schema())
	if err := d.run(ctx, a, b); err != nil {
		return nil, err
	}
	return d.report, nil
}

type differ struct {
	o        Options
	report   *Report
	names    []string    // of the columns that are compared
	columns  []*comparer // of those, one each
	rowBytes int         // of both tables
}

// match finds the columns that both have.
func (d *differ) match(a, b *colstore.Schema) {
	r := d.report
	last := -1
	for _, f := range a.All() {
		at, ok := b.Index(f.Name)
		if !ok {
			r.Only[0] = append(r.Only[0], f.Name)
			continue
		}
		r.Reordered = r.Reordered || at < last
		last = at
		other := b.Field(at)
		c := Column{Name: f.Name, Types: [2]colstore.DType{f.Type, other.Type}}
		if compare := newComparer(f.Type, other.Type, d.o.Tolerance); compare != nil {
			c.Comparable = true
			compare.column = len(r.Columns)
			d.names, d.columns = append(d.names, f.Name), append(d.columns, compare)
			d.rowBytes += f.Type.Size() + other.Type.Size()
		}
		r.Columns = append(r.Columns, c)
	}
	for _, f := range b.All() {
		if _, ok := a.Index(f.Name); !ok {
			r.Only[1] = append(r.Only[1], f.Name)
		}
	}
}

// run reads both tables side by side.
func (d *differ) run(ctx context.Context, a, b colstore.Source) (err error) {
	scan := colstore.Scan{Columns: d.names, BatchRows: d.o.BatchRows, Threads: d.o.Threads, Once: true}
	if d.names == nil {
		scan.Columns = []string{} // rows are counted
	}
	if scan.BatchRows <= 0 {
		scan.BatchRows = max(1, min(batchRows, batchBytes/max(1, d.rowBytes)))
	}
	left, right := newSide(ctx, a, scan), newSide(ctx, b, scan)
	defer left.stop()
	defer right.stop()
	for {
		if err := errors.Join(left.fill(), right.fill()); err != nil {
			return err
		}
		n := min(left.rows(), right.rows())
		if n == 0 {
			break
		}
		if err := d.compare(left, right, n); err != nil {
			return err
		}
		d.report.Compared += int64(n)
		left.at, right.at = left.at+n, right.at+n
	}
	for i, s := range []*side{left, right} {
		if d.report.Rows[i], err = s.count(d.report.Compared); err != nil {
			return err
		}
	}
	return nil
}

// compare compares n rows of the current batches.
func (d *differ) compare(a, b *side, n int) error {
	threads := d.o.Threads
	if n*d.rowBytes < smallBytes {
		threads = 1
	}
	return parallel.Each(len(d.columns), threads, func(i int) error {
		c := d.columns[i]
		c.compare(&d.report.Columns[c.column], a.batch.At(i).Slice(a.at, a.at+n, 1), b.batch.At(i).Slice(b.at, b.at+n, 1), d.report.Compared, d.o.Samples)
		return nil
	})
}

// side is one of the tables while it is read.
type side struct {
	src   colstore.Source
	next  func() (*colstore.Batch, error, bool)
	stop  func()
	batch *colstore.Batch // nil: none is left
	at    int             // the next row of it
}

func newSide(ctx context.Context, src colstore.Source, scan colstore.Scan) *side {
	s := &side{src: src}
	s.next, s.stop = iter.Pull2(guarded(src.Scan(ctx, scan)))
	return s
}

// guarded turns faults on mapped files into errors of the sequence: it runs where the caller's guard does not reach.
func guarded(batches iter.Seq2[*colstore.Batch, error]) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		more := true
		err := fault.Guard(func() error {
			for b, err := range batches {
				if more = yield(b, err); !more {
					break
				}
			}
			return nil
		})
		if err != nil && more {
			yield(nil, err)
		}
	}
}

// rows returns how many rows are left of the batch.
func (s *side) rows() int {
	if s.batch == nil {
		return 0
	}
	return s.batch.Rows() - s.at
}

// fill gets the next batch that has rows, if the current one is used up.
func (s *side) fill() error {
	for s.rows() == 0 {
		b, err, ok := s.next()
		if err != nil {
			return err
		}
		if s.batch, s.at = b, 0; !ok {
			s.batch = nil
			return nil
		}
	}
	return nil
}

// count returns the rows of the table, of which so many are read.
func (s *side) count(read int64) (int64, error) {
	if n := s.src.Rows(); n >= 0 {
		return n, nil
	}
	for {
		if err := s.fill(); err != nil {
			return 0, err
		}
		if s.batch == nil {
			return read, nil
		}
		read, s.at = read+int64(s.rows()), s.batch.Rows()
	}
}
