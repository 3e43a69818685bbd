package arrow

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/fault"
)

// Schema returns the Arrow schema of batches of schema s. All fields are nullable, as those of other writers are; its
// metadata hold the dtypes.
//
// Errors: colstore.ErrType for a dtype that Arrow has no type for, naming the column.
func Schema(s *colstore.Schema) (*arrow.Schema, error) {
	fields := make([]arrow.Field, s.Len())
	keys, codes := make([]string, s.Len()), make([]string, s.Len())
	for i, f := range s.All() {
		t, err := typeOf(f.Type)
		if err != nil {
			return nil, &colstore.Error{Op: opWrite, Column: f.Name, Err: err}
		}
		fields[i] = arrow.Field{Name: f.Name, Type: t, Nullable: true}
		keys[i], codes[i] = columnar.DTypeKey+f.Name, f.Type.Native().String()
	}
	meta := arrow.NewMetadata(keys, codes)
	return arrow.NewSchema(fields, &meta), nil
}

// What was being done, for errors.
const (
	opWrite = "to arrow"
	opRead  = "from arrow"
)

// An Encoder makes records of the batches of one schema. It is immutable.
type Encoder struct {
	batches *colstore.Schema
	schema  *arrow.Schema
}

// NewEncoder returns the encoder of batches of schema s, in either byte order.
//
// Errors: those of [Schema].
func NewEncoder(s *colstore.Schema) (*Encoder, error) {
	schema, err := Schema(s)
	if err != nil {
		return nil, err
	}
	return &Encoder{s, schema}, nil
}

// Schema returns the schema of the records.
func (e *Encoder) Schema() *arrow.Schema { return e.schema }

// Record returns the rows of b as a record, which the caller releases.
//
// Memory: columns that [isShared] are views; their buffers hold b until they are released.
// Errors: colstore.ErrMismatch for a batch of another schema; colstore.ErrValue for a value that Arrow cannot hold,
// naming column and row; colstore.ErrTruncated for a mapped file that was cut.
func (e *Encoder) Record(b *colstore.Batch) (rec arrow.Record, err error) {
	if err := e.fits(b.Schema()); err != nil {
		return nil, err
	}
	columns := make([]arrow.Array, 0, b.Schema().Len())
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	err = fault.Guard(func() error {
		for i, f := range e.batches.All() {
			c, err := encode(b, b.At(i), e.schema.Field(i).Type)
			if bad, ok := errors.AsType[*columnar.BadValue](err); ok {
				return &colstore.Error{Op: opWrite, Column: f.Name, Row: colstore.At(b.Begin() + int64(bad.At)), Err: bad.Err}
			}
			if err != nil {
				return &colstore.Error{Op: opWrite, Column: f.Name, Err: err}
			}
			columns = append(columns, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return array.NewRecord(e.schema, columns, int64(b.Rows())), nil
}

// fits checks that a batch has the columns of the encoder's schema.
func (e *Encoder) fits(s *colstore.Schema) error {
	if s.Len() != e.batches.Len() {
		return &colstore.Error{Op: opWrite, Err: fmt.Errorf("%w: %d columns, the first batch has %d", colstore.ErrMismatch, s.Len(), e.batches.Len())}
	}
	for i, f := range s.All() {
		if want := e.batches.Field(i); f.Name != want.Name || f.Type.Native() != want.Type.Native() {
			return &colstore.Error{Op: opWrite, Column: f.Name, Err: fmt.Errorf("%w: column %d is %s, the schema has %q %s",
				colstore.ErrMismatch, i, f.Type, want.Name, want.Type)}
		}
	}
	return nil
}

// encode returns a column of b as an array of type t.
//
// Errors: a *columnar.BadValue.
func encode(b *colstore.Batch, c colstore.Column, t arrow.DataType) (arrow.Array, error) {
	e, err := columnar.Encode(c)
	if err != nil {
		return nil, err
	}
	buffers := make([]*memory.Buffer, len(e.Buffers))
	for i, data := range e.Buffers {
		switch {
		case e.Shared && i == len(e.Buffers)-1:
			buffers[i] = show(b, data)
		case i > 0 || data != nil:
			buffers[i] = memory.NewBufferBytes(data)
		}
	}
	data := array.NewData(t, c.Rows(), buffers, nil, e.Nulls, 0)
	defer data.Release()
	for _, buf := range buffers {
		if buf != nil {
			buf.Release() // the array has its own hold
		}
	}
	return array.MakeFromData(data), nil
}

// A hold is the allocator of a buffer that shows memory of a batch: freeing the buffer releases the batch.
type hold struct {
	memory.Allocator
	b *colstore.Batch
}

func (h hold) Free([]byte) { h.b.Release() }

// show returns bytes of b as a buffer that holds b.
func show(b *colstore.Batch, data []byte) *memory.Buffer {
	b.Retain()
	return memory.NewBufferWithAllocator(data, hold{memory.DefaultAllocator, b})
}
