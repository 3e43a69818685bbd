package format

import (
	"context"
	"errors"
	"iter"

	"github.com/colstore/colstore-go"
)

// Project returns src with only the named columns, in that order; nil is src itself. Closing the result does not close
// src. The result has the powers of src: splits, costs, warnings.
//
// Errors: colstore.ErrNoColumn, colstore.ErrDuplicate, naming path.
func Project(src colstore.Source, path string, columns []string) (colstore.Source, error) {
	if columns == nil {
		return projected{src, src.Schema()}, nil
	}
	s, err := src.Schema().Select(columns...)
	if err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); ok {
			e.Path = path
		}
		return nil, err
	}
	return projected{src, s}, nil
}

type projected struct {
	src    colstore.Source
	schema *colstore.Schema
}

func (p projected) Schema() *colstore.Schema { return p.schema }
func (p projected) Rows() int64              { return p.src.Rows() }
func (p projected) Close() error             { return nil }

// Parts returns the source that has all columns.
func (p projected) Parts() []colstore.Source { return []colstore.Source{p.src} }

func (p projected) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	if s.Columns == nil {
		s.Columns = p.schema.Names()
	}
	return p.src.Scan(ctx, s)
}

func (p projected) Splits(rows int) []colstore.Range {
	if s, ok := p.src.(colstore.Splitter); ok {
		return s.Splits(rows)
	}
	return []colstore.Range{{Begin: 0, End: p.src.Rows()}}
}

func (p projected) Cost(columns []string) colstore.Cost {
	c, ok := p.src.(colstore.Coster)
	if !ok {
		return colstore.Cost{}
	}
	if columns == nil {
		columns = p.schema.Names()
	}
	return c.Cost(columns)
}

// Map implements colstore.Mapper where the source does.
func (p projected) Map(columns []string) ([]*colstore.Batch, error) {
	if columns == nil {
		columns = p.schema.Names()
	}
	if m, ok := p.src.(colstore.Mapper); ok {
		return m.Map(columns)
	}
	return nil, colstore.ErrNotViewable
}

func (p projected) Warnings() []string {
	if w, ok := p.src.(colstore.Warner); ok {
		return w.Warnings()
	}
	return nil
}
