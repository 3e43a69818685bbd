package source

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Buffers is memory that views are read into again and again: [View.CollectInto]. The zero Buffers is ready to use and
// grows as needed; a program may also bring memory of its own.
//
// Concurrency: one read at a time.
type Buffers struct {
	// Columns holds a buffer a column. One that is too small is replaced.
	Columns [][]byte

	of    *colstore.Schema // what was collected last
	batch *colstore.Batch
}

// grow makes room for rows of a schema.
func (b *Buffers) grow(s *colstore.Schema, rows int) {
	for len(b.Columns) < s.Len() {
		b.Columns = append(b.Columns, nil)
	}
	for i, f := range s.All() {
		need := rows * f.Type.Size()
		if cap(b.Columns[i]) < need {
			b.Columns[i] = fresh(need)
		}
		b.Columns[i] = b.Columns[i][:need]
	}
}

// shows reports whether the batch of the last read is that of the next.
func (b *Buffers) shows(s *colstore.Schema, rows int) bool {
	if b.batch == nil || b.of != s || b.batch.Rows() != rows {
		return false
	}
	for i := range s.Len() {
		if data, _, _ := b.batch.At(i).Raw(); rows > 0 && data != unsafe.Pointer(unsafe.SliceData(b.Columns[i])) {
			return false
		}
	}
	return true
}

// fresh returns memory for a result, which is written as a whole.
func fresh(n int) []byte { return make([]byte, n) }

// CollectInto is [View.Collect] into memory that is used again.
//
//	var buf source.Buffers
//	for _, view := range views {
//		b, err := view.CollectInto(ctx, &buf)
//		…
//	}
//
// Memory: the batch shows the buffers, and is valid until they are read into again. Of a view of [View.Prepare] nothing is
// allocated once they have grown.
// Errors: those of Collect.
func (v *View) CollectInto(ctx context.Context, buf *Buffers) (*colstore.Batch, error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	rows := int(w.rows.len())
	buf.grow(w.columns, rows)
	if err := w.readInto(ctx, w.columns, buf.Columns[:w.columns.Len()]); err != nil {
		return nil, err
	}
	if !buf.shows(w.columns, rows) {
		b, err := nativeBatch(w.columns, buf.Columns[:w.columns.Len()], rows)
		if err != nil {
			return nil, err
		}
		buf.of, buf.batch = w.columns, b
	}
	return buf.batch, nil
}

// ValuesInto reads one column of the view into dst and returns the number of values: those of [Values], in memory of the
// caller's.
//
// Shapes: dst has room for the view's rows; what lies behind them is left as it is.
// Errors: colstore.ErrMismatch if dst is too short, naming the rows; those of Values. dst is undefined after one.
func ValuesInto[T colstore.Native](ctx context.Context, v *View, column string, dst []T) (int, error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return 0, err
	}
	schema, err := w.columns.Select(column)
	if err != nil {
		return 0, err
	}
	rows := int(w.rows.len())
	if rows > len(dst) {
		return 0, &colstore.Error{Column: column, Err: fmt.Errorf("%w: room for %d values, the view has %d rows", colstore.ErrMismatch, len(dst), rows)}
	}
	t := schema.Field(0).Type
	if _, err := colstore.Values[T](colstore.RawColumn(t.Native(), 0, t.Size(), nil)); err != nil {
		return 0, &colstore.Error{Column: column, Err: err}
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), rows*t.Size())
	c := copyings.Get().(*copying)
	defer c.free()
	c.dst = append(c.dst, raw)
	if err := w.copyInto(ctx, c, schema); err != nil {
		return 0, err
	}
	if reflect.TypeFor[T]().Kind() == reflect.Bool {
		for i, b := range raw {
			if b > 1 {
				raw[i] = 1 // another Go bool is undefined
			}
		}
	}
	return rows, nil
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
	if c.records != nil {
		return v.packScanned(ctx, s, c.records)
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
