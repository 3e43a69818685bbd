package source

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/colstore/colstore-go"
	results "github.com/colstore/colstore-go/internal/memory"
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
	r := &Records{}
	if err := v.RecordsInto(ctx, r); err != nil {
		return nil, err
	}
	return r, nil
}

// RecordsInto is [View.Records] into records that are used again: r.Data is kept where it is large enough. The zero Records
// is ready to use; a program may also bring memory of its own as r.Data.
//
// Memory: what r held before is overwritten.
// Errors: those of Records; r has no rows after one.
func (v *View) RecordsInto(ctx context.Context, r *Records) error {
	if r == nil {
		return fmt.Errorf("%w: no records to read into", colstore.ErrValue)
	}
	r.rows = 0
	w, err := v.Evaluate(ctx)
	if err != nil {
		return err
	}
	native, err := nativeSchema(w.columns)
	if err != nil {
		return err
	}
	if r.Schema == nil || r.Schema != native && !r.Schema.Equal(native) {
		r.Schema = native
	}
	rows := int(w.rows.len())
	need := rows * native.RowBytes()
	if cap(r.Data) < need || r.Data == nil {
		r.Data = results.Get(need)
	}
	r.Data = r.Data[:need]
	c := copyings.Get().(*copying)
	defer c.free()
	c.records, c.width = r.Data, native.RowBytes()
	if err := w.copyInto(ctx, c, w.columns); err != nil {
		return err
	}
	r.rows = rows
	return nil
}

// packedBytes is what the columns of the rows that are gathered before they are packed take: half of the first-level cache.
const packedBytes = 16 << 10

// pack sets the records of rows from to to of the view: straight from where they lie if they follow each other there, else
// a few at a time by way of memory that stays in the cache.
func (c *copying) pack(s *scratch, from, to int64) error {
	at := func(row int64) []byte { return c.records[int(row-c.begin)*c.width:] }
	if r, ok := c.rows.(run); ok {
		for r = r.part(from, to); r.n > 0; {
			part, rows := c.memory.leading(r)
			s.columns = s.columns[:0]
			for _, column := range c.columns {
				s.columns = append(s.columns, c.memory.sliced(column, part, rows))
			}
			c.interleave(at(from)[:int(rows.n)*c.width], s.columns)
			from += rows.n
			r = r.part(rows.n, r.n)
		}
		return nil
	}
	for some := c.some(); from < to; from += some {
		some = min(some, to-from)
		if err := c.few(s, from, int(some)); err != nil {
			return err
		}
		c.interleave(at(from)[:int(some)*c.width], s.columns)
	}
	return nil
}

func (c *copying) interleave(records []byte, columns []colstore.Column) {
	if c.past {
		kernel.InterleavePast(records, columns)
	} else {
		kernel.Interleave(records, columns)
	}
}

// some returns how many rows are gathered before they are put into records or structs.
func (c *copying) some() int64 {
	return int64(min(max(packedBytes/max(c.width, 1)/64*64, 64), numberedRows))
}

// few sets s.columns to n rows of the view from a row on, as they are stored, in memory that stays in the cache.
func (c *copying) few(s *scratch, from int64, n int) error {
	s.split(c.schema, n)
	return c.fill(s, s.dst, c.columns, from, from+int64(n))
}

// columnAlign is where the columns of split may begin: every number is aligned then.
const columnAlign = 8

// split makes s.dst and s.columns room for n rows of a schema.
func (s *scratch) split(schema *colstore.Schema, n int) {
	if need := n*schema.RowBytes() + columnAlign*schema.Len(); len(s.block) < need {
		s.block = make([]byte, need)
	}
	s.dst, s.columns = s.dst[:0], s.columns[:0]
	block := s.block
	for _, f := range schema.All() {
		size := f.Type.Size()
		s.dst = append(s.dst, block[:n*size])
		s.columns = append(s.columns, colstore.RawColumn(f.Type, n, size, unsafe.Pointer(unsafe.SliceData(block))))
		block = block[(n*size+columnAlign-1)/columnAlign*columnAlign:]
	}
}

// packScanned sets the records of a source that must be read in order.
func (v *View) packScanned(ctx context.Context, s *colstore.Schema, records []byte) error {
	done := 0
	for b, err := range v.Scan(ctx, colstore.Scan{Columns: s.Names(), Threads: cores()}) {
		if err != nil {
			return err
		}
		cols := make([]colstore.Column, s.Len())
		for i := range cols {
			cols[i] = b.At(i)
		}
		n := b.Rows() * s.RowBytes()
		kernel.Interleave(records[done:done+n], cols)
		done += n
	}
	return nil
}

// Values reads one column of the view into a slice of the caller's own. T is as in colstore.Values; of a bool column that
// is stored as neither 0 nor 1, all but 0 is true.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for another T, those of reading.
func Values[T colstore.Native](ctx context.Context, v *View, column string) ([]T, error) {
	w, s, err := typed[T](ctx, v, column)
	if err != nil {
		return nil, err
	}
	out := results.Make[T](int(w.rows.len()))
	if err := valuesInto(ctx, w, s, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Strings reads one column of text or bytes into strings, without their padding.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for a column of another kind, those of reading.
func Strings(ctx context.Context, v *View, column string) ([]string, error) {
	b, err := v.orNone().Select(column).Collect(ctx)
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
