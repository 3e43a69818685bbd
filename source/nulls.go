package source

import (
	"context"
	"errors"

	"github.com/colstore/colstore-go"
)

// firstNull returns the error for the first row of a scan that has a null where none is allowed, and of those of that row
// the first column's. A format decodes column by column and batch by batch, and reports what it meets first; err is that.
func firstNull(ctx context.Context, src colstore.Source, s colstore.Scan, err error) error {
	if !errors.Is(err, colstore.ErrNull) || len(s.Columns) < 2 {
		return err
	}
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok {
		return err
	}
	last, known := e.Row.Get()
	if !known {
		return err
	}
	first := error(nil)
	for _, column := range s.Columns {
		one := s
		one.Columns, one.Mem, one.Once, one.BatchRows, one.Skipped = []string{column}, nil, false, 1024, nil
		if src.Rows() >= 0 { // else it can only be read from its beginning
			one.Rows.End = min(last+1, src.Rows())
		}
		found := nullIn(ctx, src, one)
		if found == nil {
			continue
		}
		if row, ok := found.Row.Get(); ok && (row < last || row == last && first == nil) {
			last, first = row, found
		}
	}
	if first == nil {
		return err
	}
	return first
}

// nullIn returns the error for the first null of a scan, nil if there is none.
func nullIn(ctx context.Context, src colstore.Source, s colstore.Scan) *colstore.Error {
	for _, err := range src.Scan(ctx, s) {
		if err == nil {
			continue
		}
		if e, ok := errors.AsType[*colstore.Error](err); ok && errors.Is(err, colstore.ErrNull) {
			return e
		}
		return nil
	}
	return nil
}
