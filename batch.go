package colstore

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/colstore/colstore-go/internal/invariants"
)

// A Range is a half-open interval of rows.
type Range struct{ Begin, End int64 }

// Rows returns the number of rows.
func (r Range) Rows() int64 { return r.End - r.Begin }

// A Batch is a number of rows of some columns. It is immutable and safe for concurrent reading; who holds it must keep
// it alive by [Batch.Retain].
type Batch struct {
	schema *Schema
	cols   []Column
	rows   int
	begin  int64
	owner  *owner
}

// owner counts the holders of a batch's memory.
type owner struct {
	refs    atomic.Int64
	release func()
}

// NewBatch returns the columns as a batch that owes nothing: its memory is on the Go heap or outlives it. Without
// columns it has no rows; see [NewOwnedBatch] for rows without columns.
//
// Errors: [ErrMismatch] when columns and schema differ in number, dtype or length; [ErrValue] for no schema.
func NewBatch(s *Schema, cols ...Column) (*Batch, error) {
	rows := 0
	if len(cols) > 0 {
		rows = cols[0].rows
	}
	return NewOwnedBatch(s, Range{0, int64(rows)}, nil, cols...)
}

// NewOwnedBatch returns a batch of the rows at whose begin is a global row number, over memory that release gives back:
// it is called once, at the last Release. The batch starts with one holder, the caller.
//
// Errors: [ErrMismatch] when columns, schema and range differ, [ErrValue] for no schema; release is not called then.
func NewOwnedBatch(s *Schema, at Range, release func(), cols ...Column) (*Batch, error) {
	if s == nil {
		return nil, errNoSchema
	}
	if len(cols) != s.Len() {
		return nil, fmt.Errorf("%w: %d columns for a schema of %d", ErrMismatch, len(cols), s.Len())
	}
	rows := int(at.Rows())
	if err := checkColumns(s, rows, cols); err != nil {
		return nil, err
	}
	b := &Batch{schema: s, cols: cols, rows: rows, begin: at.Begin}
	if release != nil {
		b.owner = &owner{release: release}
		b.owner.refs.Store(1)
		invariants.Batches.Add(1)
	}
	return b, nil
}

// errNoSchema tells of a nil where columns are described.
var errNoSchema = fmt.Errorf("%w: a batch of no schema", ErrValue)

// checkColumns tells of columns, one for each of a schema, that are not its.
func checkColumns(s *Schema, rows int, cols []Column) error {
	for i, c := range cols {
		if f := s.Field(i); f.Type != c.typ {
			return &Error{Column: f.Name, Err: fmt.Errorf("%w: values are %s, the schema says %s", ErrMismatch, c.typ, f.Type)}
		} else if c.rows != rows {
			return &Error{Column: f.Name, Err: fmt.Errorf("%w: %d rows, expected %d", ErrMismatch, c.rows, rows)}
		}
	}
	return nil
}

// Schema returns the names and dtypes.
func (b *Batch) Schema() *Schema { return b.schema }

// Rows returns the number of rows.
func (b *Batch) Rows() int { return b.rows }

// Begin returns the global number of row 0 in the source that the batch was read from. A batch that a filter shortened
// keeps it.
func (b *Batch) Begin() int64 { return b.begin }

// At returns the i-th column.
func (b *Batch) At(i int) Column { return b.cols[i] }

// Column returns the column of that name.
//
// Errors: [ErrNoColumn].
func (b *Batch) Column(name string) (Column, error) {
	i, ok := b.schema.Index(name)
	if !ok {
		return Column{}, b.schema.NoColumn(name)
	}
	return b.cols[i], nil
}

// Retain adds a holder, who owes one [Batch.Release].
func (b *Batch) Retain() {
	if b.owner != nil {
		if n := b.owner.refs.Add(1); n <= 1 && invariants.Enabled {
			panic("colstore: Batch.Retain after the last Release")
		}
	}
}

// Release ends the caller's hold; at the last one the memory goes back to its owner and the columns are dead.
func (b *Batch) Release() {
	if b.owner == nil {
		return
	}
	switch n := b.owner.refs.Add(-1); {
	case n == 0:
		invariants.Batches.Add(-1)
		b.owner.release()
	case n < 0 && invariants.Enabled:
		panic("colstore: Batch.Release without a hold")
	}
}

// Lend yields the batch and releases it when the loop body ends, however it ends: a body that reads a mapping may panic.
// It is how a source's Scan hands out what it holds.
func (b *Batch) Lend(yield func(*Batch, error) bool) bool {
	defer b.Release()
	return yield(b, nil)
}

// Detach returns the same rows on the Go heap, dense and in native byte order: a batch that owes nothing. The receiver
// is not released.
func (b *Batch) Detach() *Batch {
	cols := make([]Column, len(b.cols))
	fields := make([]Field, len(b.cols))
	for i, c := range b.cols {
		cols[i] = c.Copy()
		fields[i] = Field{b.schema.Field(i).Name, cols[i].typ}
	}
	s := b.schema
	if fs := MustSchema(fields...); !fs.Equal(s) {
		s = fs
	}
	return &Batch{schema: s, cols: cols, rows: b.rows, begin: b.begin}
}

// Slice returns rows begin to end, sharing memory and holders with the receiver: it needs no Release of its own and
// dies with it. It panics on rows the batch does not have.
func (b *Batch) Slice(begin, end int) *Batch {
	if begin < 0 || end < begin || end > b.rows {
		panic(fmt.Sprintf("colstore: Batch.Slice [%d:%d] of %d rows", begin, end, b.rows))
	}
	cols := make([]Column, len(b.cols))
	for i, c := range b.cols {
		data := c.data
		if end > begin { // a pointer past the last row must not even be computed
			data = unsafe.Add(data, begin*c.stride)
		}
		cols[i] = RawColumn(c.typ, end-begin, c.stride, data)
	}
	return &Batch{schema: b.schema, cols: cols, rows: end - begin, begin: b.begin + int64(begin), owner: b.owner}
}

// WithBegin returns the same rows with another global number of row 0, sharing memory and holders like [Batch.Slice].
func (b *Batch) WithBegin(begin int64) *Batch {
	c := *b
	c.begin = begin
	return &c
}

// Stack returns the rows of batches of schema s one below the other, on the Go heap, dense and in native byte order.
// Without batches it has no rows.
//
// Errors: [ErrMismatch] for a batch of another schema, [ErrValue] for a nil.
func Stack(s *Schema, batches ...*Batch) (*Batch, error) {
	if s == nil {
		return nil, errNoSchema
	}
	rows := 0
	for i, b := range batches {
		if b == nil {
			return nil, fmt.Errorf("%w: batch %d of a stack is nil", ErrValue, i)
		}
		if !b.schema.Equal(s) {
			return nil, fmt.Errorf("%w: a batch of %s in a stack of %s", ErrMismatch, b.schema, s)
		}
		rows += b.rows
	}
	fields, cols := make([]Field, s.Len()), make([]Column, s.Len())
	for i, f := range s.All() {
		t := f.Type.Native()
		data := make([]byte, rows*t.Size())
		at := 0
		for _, b := range batches {
			b.cols[i].copyTo(data[at : at+b.rows*t.Size()])
			at += b.rows * t.Size()
		}
		fields[i], cols[i] = Field{f.Name, t}, RawColumn(t, rows, t.Size(), unsafe.Pointer(unsafe.SliceData(data)))
	}
	native, err := NewSchema(fields...)
	if err != nil {
		return nil, err
	}
	return NewOwnedBatch(native, Range{0, int64(rows)}, nil, cols...)
}
