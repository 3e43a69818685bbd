package source

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// CollectInto writes the view's rows to the front of dst, a column for each of the view in native byte order, all of one
// length, and returns their number: [colstore.Wrap] makes a column of a slice. Of a bool that is stored as neither 0 nor 1
// all but 0 is true, as a slice of Go's bools needs.
//
//	price, qty := make([]float64, n), make([]int32, n)
//	rows, err := view.CollectInto(ctx, colstore.Wrap(price), colstore.Wrap(qty))
//
// Memory: dst must not overlap the source. Of a view of [View.Prepare] nothing is allocated, but some hundred bytes for each
// goroutine of a large read and for each file that is asked whether it was cut. What is behind the rows is as it was, after
// an error of any content.
// Errors: those of [View.Collect]; colstore.ErrRange, with the number of rows, if dst is too short; colstore.ErrMismatch
// and colstore.ErrNotViewable for columns that cannot take the rows.
func (v *View) CollectInto(ctx context.Context, dst ...colstore.Column) (rows int, err error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return 0, err
	}
	rows = int(w.rows.len())
	if len(dst) != w.columns.Len() {
		return 0, fmt.Errorf("%w: %d columns to write, for a view of %d", colstore.ErrMismatch, len(dst), w.columns.Len())
	}
	c := copyings.Get().(*copying)
	defer c.free()
	for i, d := range dst {
		f := w.columns.Field(i)
		t := f.Type.Native()
		switch {
		case d.Type() != t:
			return 0, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: the values are %s, the column to write is %s", colstore.ErrMismatch, t, d.Type())}
		case !d.IsDense() || d.Stride() == 0 && d.Rows() > 0:
			return 0, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: values to write lie %d bytes apart", colstore.ErrNotViewable, d.Stride())}
		case d.Rows() != dst[0].Rows():
			return 0, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: room for %d rows, the columns before it have %d", colstore.ErrMismatch, d.Rows(), dst[0].Rows())}
		case d.Rows() < rows:
			return rows, errRoom(rows, d.Rows())
		}
		c.dst = append(c.dst, kernel.RawOut(d)[:rows*t.Size()])
	}
	if err := w.copyInto(ctx, c, w.columns); err != nil {
		return 0, err
	}
	for i, d := range dst {
		if d.Type() == colstore.Bool {
			kernel.Truths(c.dst[i])
		}
	}
	return rows, nil
}

// errRoom tells that a view has more rows than there is room for.
func errRoom(rows, room int) error {
	return fmt.Errorf("%w: %d rows, of which the columns to write hold %d", colstore.ErrRange, rows, room)
}

// ValuesInto writes one column of the view to the front of dst and returns the number of values. T is as in
// colstore.Values.
//
// Memory: as of [View.CollectInto].
// Errors: colstore.ErrRange, with the number of rows, if dst is too short; those of [Values].
func ValuesInto[T colstore.Native](ctx context.Context, v *View, column string, dst []T) (int, error) {
	w, s, err := typed[T](ctx, v, column)
	if err != nil {
		return 0, err
	}
	rows := int(w.rows.len())
	if rows > len(dst) {
		return rows, &colstore.Error{Column: column, Err: errRoom(rows, len(dst))}
	}
	if err := valuesInto(ctx, w, s, dst[:rows]); err != nil {
		return 0, err
	}
	return rows, nil
}

// typed returns the evaluated view and the schema of a column that a T can hold.
func typed[T colstore.Native](ctx context.Context, v *View, column string) (*View, *colstore.Schema, error) {
	if v = v.orNone(); v.err != nil {
		return nil, nil, v.err
	}
	s, err := v.columns.Select(column)
	if err != nil {
		return nil, nil, err
	}
	t := s.Field(0).Type
	if _, err := colstore.Values[T](colstore.RawColumn(t.Native(), 0, t.Size(), nil)); err != nil {
		return nil, nil, &colstore.Error{Column: column, Err: err}
	}
	w, err := v.Evaluate(ctx)
	return w, s, err
}

// valuesInto sets dst to the rows of an evaluated view, of the one column of a schema.
func valuesInto[T colstore.Native](ctx context.Context, v *View, s *colstore.Schema, dst []T) error {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)*s.RowBytes())
	c := copyings.Get().(*copying)
	defer c.free()
	c.dst = append(c.dst, raw)
	if err := v.copyInto(ctx, c, s); err != nil {
		return err
	}
	if reflect.TypeFor[T]().Kind() == reflect.Bool {
		kernel.Truths(raw)
	}
	return nil
}

var copyings = sync.Pool{New: func() any { return new(copying) }}

// free gives a copying back.
func (c *copying) free() {
	clear(c.dst)
	*c = copying{columns: c.columns[:0], dst: c.dst[:0]}
	copyings.Put(c)
}

// readInto copies the columns of a schema of an evaluated view into buffers, in native byte order.
func (v *View) readInto(ctx context.Context, s *colstore.Schema, dst [][]byte) error {
	c := copyings.Get().(*copying)
	defer c.free()
	c.dst = append(c.dst, dst...)
	return v.copyInto(ctx, c, s)
}

// copyInto does what c has buffers for: all rows of an evaluated view, of the columns of a schema, in native byte order.
func (v *View) copyInto(ctx context.Context, c *copying, s *colstore.Schema) error {
	n := v.rows.len()
	if n == 0 {
		return nil
	}
	c.schema = s
	a, ok, err := v.access(s)
	if err != nil {
		return err
	}
	if ok {
		defer a.close()
		c.ctx, c.memory, c.columns = ctx, a.memory, a.memory.columnsOf(c.columns[:0], s)
		c.rows, c.begin, c.end, c.native = v.rows, 0, n, true
		return c.run(cores())
	}
	switch {
	case c.records != nil:
		return v.packScanned(ctx, s, c.records)
	case c.structs != nil:
		return v.setScanned(ctx, c, s)
	}
	if r, stretch := isStretch(v.rows); stretch {
		err = copyStretch(ctx, v.src, s, c.dst, r)
	} else {
		err = v.scanInto(ctx, s, c.dst, 0, n)
	}
	if err != nil {
		return err
	}
	for i, f := range s.All() {
		swapNative(c.dst[i], f.Type)
	}
	return nil
}
