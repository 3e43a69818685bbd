package source

import (
	"context"
	"fmt"
	"iter"

	"github.com/colstore/colstore-go"
)

// Memory returns the rows of b as a source. It holds b until it is closed; batches are views of it. It panics if b is nil.
func Memory(b *colstore.Batch) colstore.Source {
	b.Retain()
	return &memory{b: b}
}

type memory struct {
	b      *colstore.Batch
	closed bool
}

func (m *memory) Schema() *colstore.Schema { return m.b.Schema() }
func (m *memory) Rows() int64              { return int64(m.b.Rows()) }

func (m *memory) Close() error {
	if !m.closed {
		m.closed = true
		m.b.Release()
	}
	return nil
}

// Splits returns ranges of at most rows rows.
func (m *memory) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	for at := 0; at < m.b.Rows(); at += max(1, rows) {
		out = append(out, colstore.Range{Begin: int64(at), End: int64(min(at+max(1, rows), m.b.Rows()))})
	}
	return out
}

func (m *memory) Cost([]string) colstore.Cost { return colstore.Cost{Rescan: true} }

// Map shows the batch.
func (m *memory) Map(columns []string) ([]*colstore.Batch, error) {
	b, err := m.shown(columns)
	if err != nil {
		return nil, err
	}
	return []*colstore.Batch{b}, nil
}

// shown returns columns of the batch, to be released.
func (m *memory) shown(columns []string) (*colstore.Batch, error) {
	if m.closed {
		return nil, colstore.ErrClosed
	}
	schema := m.b.Schema()
	if columns != nil {
		var err error
		if schema, err = schema.Select(columns...); err != nil {
			return nil, err
		}
	}
	cols := make([]colstore.Column, schema.Len())
	for i, f := range schema.All() {
		cols[i], _ = m.b.Column(f.Name)
	}
	m.b.Retain()
	b, err := colstore.NewOwnedBatch(schema, colstore.Range{Begin: 0, End: m.Rows()}, m.b.Release, cols...)
	if err != nil {
		m.b.Release()
	}
	return b, err
}

func (m *memory) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if m.closed {
			yield(nil, colstore.ErrClosed)
			return
		}
		rows := s.Rows
		if rows.End == 0 {
			rows.End = m.Rows()
		}
		if rows.Begin < 0 || rows.Begin > rows.End || rows.End > m.Rows() {
			yield(nil, fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, rows.Begin, rows.End, m.Rows()))
			return
		}
		whole, err := m.shown(s.Columns)
		if err != nil {
			yield(nil, err)
			return
		}
		defer whole.Release()
		most := int64(s.BatchRows)
		if most <= 0 {
			most = rows.End
		}
		for at := rows.Begin; at < rows.End; at += most {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			if !yield(whole.Slice(int(at), int(min(at+most, rows.End))), nil) {
				return
			}
		}
	}
}
