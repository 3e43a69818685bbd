package frame

import (
	"context"
	"iter"

	"github.com/colstore/colstore-go"
)

// Prefix returns the first rows rows of a source, all of them if it has fewer. It does not own src: closing it does
// nothing. It can start inside, and costs, what src can and does.
func Prefix(src colstore.Source, rows int64) colstore.Source {
	if src == nil {
		return nil
	}
	if n := src.Rows(); n >= 0 {
		rows = min(rows, n)
	}
	p := &prefix{src: src, rows: rows}
	if s, ok := src.(colstore.Splitter); ok {
		return &splitPrefix{p, s}
	}
	return p
}

// prefix is the first rows of a source.
type prefix struct {
	src  colstore.Source
	rows int64
}

// splitPrefix is the prefix of a source that can start inside.
type splitPrefix struct {
	*prefix
	splitter colstore.Splitter
}

func (p *prefix) Schema() *colstore.Schema { return p.src.Schema() }
func (p *prefix) Close() error             { return nil }

// Rows is not known where the source may end before the prefix does.
func (p *prefix) Rows() int64 {
	if p.src.Rows() < 0 && p.rows > 0 {
		return -1
	}
	return p.rows
}

// Cost implements colstore.Coster.
func (p *prefix) Cost(columns []string) colstore.Cost {
	if c, ok := p.src.(colstore.Coster); ok {
		return c.Cost(columns)
	}
	return colstore.Cost{}
}

// Locate implements colstore.Locator.
func (p *prefix) Locate(row int64) (path string, at int64) {
	if l, ok := p.src.(colstore.Locator); ok {
		return l.Locate(row)
	}
	return "", row
}

// Scan implements colstore.Source.
func (p *prefix) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if p.rows == 0 {
			return // an end of 0 would be all rows
		}
		if s.Rows.End == 0 || s.Rows.End > p.rows {
			s.Rows.End = p.rows
		}
		if s.Rows.Begin >= s.Rows.End {
			return
		}
		end := s.Rows.End
		if p.src.Rows() < 0 {
			s.Rows.End, s.Skip = 0, nil // it may have fewer rows, and groups of rows that reach beyond the end
		}
		for b, err := range p.src.Scan(ctx, s) {
			switch {
			case err != nil:
				yield(nil, err)
				return
			case b.Begin() >= end:
				return
			case b.Begin()+int64(b.Rows()) > end:
				b = b.Slice(0, int(end-b.Begin()))
			}
			if !yield(b, nil) || b.Begin()+int64(b.Rows()) == end {
				return
			}
		}
	}
}

// Splits implements colstore.Splitter.
func (p *splitPrefix) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	for _, r := range p.splitter.Splits(rows) {
		if r.Begin >= p.rows {
			break
		}
		out = append(out, colstore.Range{Begin: r.Begin, End: min(r.End, p.rows)})
	}
	return out
}
