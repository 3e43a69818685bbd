package source

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

// Records is rows as packed records: the values of a row back to back, without padding, in native byte order.
type Records struct {
	Schema *colstore.Schema // the fields, in order
	Data   []byte           // rows × Schema.RowBytes(), the caller's own
	rows   int
}

// Rows returns the number of records.
func (r *Records) Rows() int { return r.rows }

// Row returns the bytes of record i, without a copy. It panics on a record there is not.
func (r *Records) Row(i int) []byte {
	if i < 0 || i >= r.rows {
		panic(fmt.Sprintf("source: Records.Row(%d) of %d", i, r.rows))
	}
	w := r.Schema.RowBytes()
	return r.Data[i*w : (i+1)*w : (i+1)*w]
}

// Records reads the view into packed records of the caller's own.
func (v *View) Records(ctx context.Context) (*Records, error) {
	b, err := v.Collect(ctx)
	if err != nil {
		return nil, err
	}
	r := &Records{Schema: b.Schema(), rows: b.Rows(), Data: make([]byte, b.Rows()*b.Schema().RowBytes())}
	w := r.Schema.RowBytes()
	tasks := (b.Rows() + gatherRows - 1) / gatherRows
	return r, parallel.Each(tasks, goruntime.GOMAXPROCS(0), func(task int) error {
		begin := task * gatherRows
		end := min(begin+gatherRows, b.Rows())
		part := b.Slice(begin, end)
		cols := make([]colstore.Column, part.Schema().Len())
		for i := range cols {
			cols[i] = part.At(i)
		}
		kernel.Interleave(r.Data[begin*w:end*w], cols)
		return nil
	})
}

// Values reads one column of the view into a slice of the caller's own. T is as in colstore.Values.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for another T, those of reading.
func Values[T colstore.Native](ctx context.Context, v *View, column string) ([]T, error) {
	b, err := v.Select(column).Collect(ctx)
	if err != nil {
		return nil, err
	}
	out, err := colstore.Values[T](b.At(0))
	if errors.Is(err, colstore.ErrNotViewable) { // a bool stored as neither 0 nor 1
		return colstore.CopyOf[T](b.At(0))
	}
	if err != nil {
		return nil, &colstore.Error{Column: column, Err: err}
	}
	return out, nil
}

// Strings reads one column of text or bytes into strings, without their padding.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for a column of another kind, those of reading.
func Strings(ctx context.Context, v *View, column string) ([]string, error) {
	b, err := v.Select(column).Collect(ctx)
	if err != nil {
		return nil, err
	}
	c := b.At(0)
	if !c.Type().IsString() {
		return nil, &colstore.Error{Column: column, Err: fmt.Errorf("%w: %s values are no text", colstore.ErrType, c.Type().Name())}
	}
	out := make([]string, 0, c.Rows())
	for _, s := range c.Strings() {
		out = append(out, s)
	}
	return out, nil
}
