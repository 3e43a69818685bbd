package source

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/colstore/colstore-go"
)

// Beside returns the columns of src with those of b beside them, row by row: how values that a program computed itself
// join a table. A column of b whose name src has takes its place; the others follow.
//
// Memory: it holds b until it is closed; src is not owned.
// Errors: colstore.ErrMismatch when the numbers of rows differ, or src does not know its own; colstore.ErrValue for a nil.
func Beside(src colstore.Source, b *colstore.Batch) (colstore.Source, error) {
	if src == nil || b == nil {
		return nil, fmt.Errorf("%w: columns beside a table, of which one is nil", colstore.ErrValue)
	}
	if n := src.Rows(); n != int64(b.Rows()) {
		if n < 0 {
			return nil, fmt.Errorf("%w: the source does not know how many rows it has; put columns beside a view that was evaluated", colstore.ErrMismatch)
		}
		return nil, fmt.Errorf("%w: columns of %d rows beside a table of %d", colstore.ErrMismatch, b.Rows(), n)
	}
	var fields []colstore.Field
	for _, f := range src.Schema().All() {
		if i, ok := b.Schema().Index(f.Name); ok {
			f = b.Schema().Field(i)
		}
		fields = append(fields, f)
	}
	for _, f := range b.Schema().All() {
		if _, ok := src.Schema().Index(f.Name); !ok {
			fields = append(fields, f)
		}
	}
	s, err := colstore.NewSchema(fields...)
	if err != nil {
		return nil, err
	}
	b.Retain()
	return &beside{Source: src, b: b, schema: s}, nil
}

type beside struct {
	colstore.Source
	b      *colstore.Batch
	schema *colstore.Schema
	closed bool
}

func (s *beside) Schema() *colstore.Schema { return s.schema }

// Close lets go of the columns; the source is not owned.
func (s *beside) Close() error {
	if !s.closed {
		s.closed = true
		s.b.Release()
	}
	return nil
}

// Splits are the source's.
func (s *beside) Splits(rows int) []colstore.Range {
	if p, ok := s.Source.(colstore.Splitter); ok {
		return p.Splits(rows)
	}
	return []colstore.Range{{Begin: 0, End: s.Rows()}}
}

// Cost is the source's.
func (s *beside) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = s.schema.Names()
	}
	if c, ok := s.Source.(colstore.Coster); ok {
		return c.Cost(s.theirs(columns))
	}
	return colstore.Cost{}
}

// Locate is the source's.
func (s *beside) Locate(row int64) (path string, at int64) {
	if l, ok := s.Source.(colstore.Locator); ok {
		return l.Locate(row)
	}
	return "", row
}

// Warnings are the source's.
func (s *beside) Warnings() []string {
	if w, ok := s.Source.(colstore.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// theirs returns which of columns the source has to read.
func (s *beside) theirs(columns []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(n string) bool {
		_, ours := s.b.Schema().Index(n)
		return ours
	})
}

// Map shows the source's rows with the columns beside them, if they lie in memory.
func (s *beside) Map(columns []string) ([]*colstore.Batch, error) {
	if s.closed {
		return nil, colstore.ErrClosed
	}
	if columns == nil {
		columns = s.schema.Names()
	}
	schema, err := s.schema.Select(columns...)
	if err != nil {
		return nil, err
	}
	m, ok := s.Source.(colstore.Mapper)
	if !ok {
		return nil, colstore.ErrNotViewable
	}
	parts, err := m.Map(s.theirs(columns))
	if err != nil {
		return nil, err
	}
	defer func() { // the joined ones hold them
		for _, b := range parts {
			b.Release()
		}
	}()
	var out []*colstore.Batch
	begin := int64(0)
	for _, b := range parts {
		j, err := s.join(schema, b.WithBegin(begin))
		if err != nil {
			for _, b := range out {
				b.Release()
			}
			return nil, err
		}
		out = append(out, j)
		begin += int64(b.Rows())
	}
	return out, nil
}

// Scan yields the source's batches with the columns beside them.
func (s *beside) Scan(ctx context.Context, scan colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if s.closed {
			yield(nil, colstore.ErrClosed)
			return
		}
		if scan.Columns == nil {
			scan.Columns = s.schema.Names()
		}
		schema, err := s.schema.Select(scan.Columns...)
		if err != nil {
			yield(nil, err)
			return
		}
		scan.Columns = s.theirs(scan.Columns)
		scan.Skip = ofSource(scan.Skip, s.b.Schema())
		for b, err := range s.Source.Scan(ctx, scan) {
			if err == nil {
				b, err = s.join(schema, b)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !b.Lend(yield) {
				return
			}
		}
	}
}

// join returns the rows of b with the columns beside them. The result holds b.
func (s *beside) join(schema *colstore.Schema, b *colstore.Batch) (*colstore.Batch, error) {
	part := s.b.Slice(int(b.Begin()), int(b.Begin())+b.Rows())
	cols := make([]colstore.Column, schema.Len())
	for i, f := range schema.All() {
		c, err := part.Column(f.Name)
		if err != nil {
			c, err = b.Column(f.Name)
		}
		if err != nil {
			return nil, err
		}
		cols[i] = c
	}
	b.Retain()
	s.b.Retain()
	release := func() {
		s.b.Release()
		b.Release()
	}
	out, err := colstore.NewOwnedBatch(schema, colstore.Range{Begin: b.Begin(), End: b.Begin() + int64(b.Rows())}, release, cols...)
	if err != nil {
		release()
	}
	return out, err
}

// hidden is a skipper that must not see the source's bounds of some columns: other values stand in their place.
type hidden struct {
	colstore.Skipper
	columns *colstore.Schema
}

func ofSource(s colstore.Skipper, replaced *colstore.Schema) colstore.Skipper {
	if s == nil {
		return nil
	}
	return hidden{s, replaced}
}

// Skip implements colstore.Skipper.
func (h hidden) Skip(rows colstore.Range, bounds func(column string) (b colstore.Bounds, ok bool)) bool {
	return h.Skipper.Skip(rows, func(column string) (b colstore.Bounds, ok bool) {
		if _, replaced := h.columns.Index(column); replaced {
			return b, false
		}
		return bounds(column)
	})
}
