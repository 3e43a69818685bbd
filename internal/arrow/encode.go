package arrow

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// dtypeKey begins the keys of an Arrow schema's metadata that hold the dtype codes of its columns: "colstore.dtype:pt" =
// "<f4". They are those of Parquet files, which readers of such files hand on.
const dtypeKey = "colstore.dtype:"

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
		keys[i], codes[i] = dtypeKey+f.Name, f.Type.Native().String()
	}
	meta := arrow.NewMetadata(keys, codes)
	return arrow.NewSchema(fields, &meta), nil
}

// What was being done, for errors.
const (
	opWrite = "to arrow"
	opRead  = "from arrow"
)

var numberTypes = map[colstore.DType]arrow.DataType{
	colstore.Bool: arrow.FixedWidthTypes.Boolean,
	colstore.Int8: arrow.PrimitiveTypes.Int8, colstore.Int16: arrow.PrimitiveTypes.Int16,
	colstore.Int32: arrow.PrimitiveTypes.Int32, colstore.Int64: arrow.PrimitiveTypes.Int64,
	colstore.Uint8: arrow.PrimitiveTypes.Uint8, colstore.Uint16: arrow.PrimitiveTypes.Uint16,
	colstore.Uint32: arrow.PrimitiveTypes.Uint32, colstore.Uint64: arrow.PrimitiveTypes.Uint64,
	colstore.Float16: arrow.FixedWidthTypes.Float16, colstore.Float32: arrow.PrimitiveTypes.Float32,
	colstore.Float64: arrow.PrimitiveTypes.Float64,
}

var unitTypes = map[colstore.Unit]arrow.TimeUnit{
	colstore.Second: arrow.Second, colstore.Millisecond: arrow.Millisecond,
	colstore.Microsecond: arrow.Microsecond, colstore.Nanosecond: arrow.Nanosecond,
}

// typeOf returns the Arrow type of a dtype in either byte order.
func typeOf(t colstore.DType) (arrow.DataType, error) {
	unit, hasUnit := unitTypes[t.Unit()]
	switch t.Kind() {
	case colstore.KindBytes:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.Size()}, nil
	case colstore.KindText:
		return arrow.BinaryTypes.String, nil
	case colstore.KindDatetime:
		if t.Unit() == colstore.Day {
			return arrow.FixedWidthTypes.Date32, nil
		}
		if hasUnit {
			return &arrow.TimestampType{Unit: unit}, nil
		}
		return nil, fmt.Errorf("%w: Arrow has no timestamp of unit %s; cast the column to datetime in D, s, ms, us or ns first", colstore.ErrType, t.Unit())
	case colstore.KindTimedelta:
		if hasUnit {
			return &arrow.DurationType{Unit: unit}, nil
		}
		return nil, fmt.Errorf("%w: Arrow has no duration of unit %s; cast the column to timedelta in s, ms, us or ns first", colstore.ErrType, t.Unit())
	default:
		return numberTypes[t.Native()], nil
	}
}

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
			if bad, ok := errors.AsType[*badValue](err); ok {
				return &colstore.Error{Op: opWrite, Column: f.Name, Row: colstore.At(b.Begin() + int64(bad.at)), Err: bad.err}
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

// A badValue is the error for a value, with the number of its row in the batch.
type badValue struct {
	at  int
	err error
}

func (b *badValue) Error() string { return b.err.Error() }
func (b *badValue) Unwrap() error { return b.err }

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
