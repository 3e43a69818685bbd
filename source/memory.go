package source

import (
	"context"
	"fmt"
	"iter"

	"github.com/colstore/colstore-go"
)

// Memory returns the rows of b as a source. It holds b until it is closed; batches are views of it.
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
		schema, cols := m.b.Schema(), make([]colstore.Column, 0, m.b.Schema().Len())
		if s.Columns == nil {
			s.Columns = schema.Names()
		}
		schema, err := schema.Select(s.Columns...)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, n := range s.Columns {
			c, err := m.b.Column(n)
			if err != nil {
				yield(nil, err)
				return
			}
			cols = append(cols, c)
		}
		m.b.Retain()
		whole, err := colstore.NewOwnedBatch(schema, colstore.Range{Begin: 0, End: m.Rows()}, m.b.Release, cols...)
		if err != nil {
			m.b.Release()
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
