package colstore

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unicode/utf8"
	"unsafe"
)

// A Named is a column and its name.
type Named struct {
	Name   string
	Column Column
}

// Name gives a column a name, for [BatchOf].
func Name(name string, c Column) Named { return Named{name, c} }

// BatchOf returns columns of a program's own as a batch, which shows them without a copy: what is written with the
// one-shot functions, or read as a source.
//
//	b, err := colstore.BatchOf(
//		colstore.Name("pt", colstore.Wrap([]float64{31, 8, 44})),
//		colstore.Name("region", colstore.TextColumn([]string{"SR", "CR", "SR"})),
//	)
//
// Memory: the batch dies with the columns, which must not change before.
// Errors: [ErrValue] for no column at all, [ErrType] for values too wide for any dtype, [ErrDuplicate], [ErrMismatch] for a
// column of another length than the first; they name the column.
func BatchOf(columns ...Named) (*Batch, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("%w: a table needs a column", ErrValue)
	}
	fields, cols := make([]Field, len(columns)), make([]Column, len(columns))
	for i, c := range columns {
		if !c.Column.typ.Valid() {
			return nil, &Error{Column: c.Name, Err: fmt.Errorf("%w: the column has no dtype; its values are wider than a column can be", ErrType)}
		}
		fields[i], cols[i] = Field{c.Name, c.Column.typ}, c.Column
	}
	s, err := NewSchema(fields...)
	if err != nil {
		return nil, err
	}
	return NewBatch(s, cols...)
}

// TextColumn returns a copy of v as a text column as wide as its longest value in code points, at least one. Bytes that are
// no UTF-8 become U+FFFD, one each. NULs at the end of a value are not kept.
//
// Units: a row takes four bytes a code point of the longest value.
func TextColumn(v []string) Column {
	width := 1
	for _, s := range v {
		width = max(width, utf8.RuneCountInString(s))
	}
	t := TextOf(width)
	if !t.Valid() {
		return Column{}
	}
	data := make([]byte, 0, len(v)*t.Size())
	for i, s := range v {
		data = AppendText(data, s)
		data = data[:(i+1)*t.Size()] // the rest is zero
	}
	return RawColumn(t, len(v), t.Size(), unsafe.Pointer(unsafe.SliceData(data)))
}

// BytesColumn returns a copy of v as a bytes column as wide as its longest value, at least one. NULs at the end of a value
// are not kept.
func BytesColumn[T ~string | ~[]byte](v []T) Column {
	width := 1
	for _, s := range v {
		width = max(width, len(s))
	}
	t := BytesOf(width)
	if !t.Valid() {
		return Column{}
	}
	data := make([]byte, len(v)*width)
	for i, s := range v {
		copy(data[i*width:], s)
	}
	return RawColumn(t, len(v), width, unsafe.Pointer(unsafe.SliceData(data)))
}

// TimeColumn returns v as a column of datetime64[ns]. The zero time is NaT, and so are times before 1677 and after 2262,
// which nanoseconds do not reach; ticks of another unit are a column of int64 [Column.As] the dtype [DatetimeOf] the unit.
func TimeColumn(v []time.Time) Column {
	t := DatetimeOf(Nanosecond)
	data := make([]byte, 0, len(v)*8)
	for _, at := range v {
		data = binary.LittleEndian.AppendUint64(data, uint64(nanoseconds(at)))
	}
	return RawColumn(t, len(v), 8, unsafe.Pointer(unsafe.SliceData(data)))
}

var (
	firstNanosecond = time.Unix(0, math.MinInt64+1)
	lastNanosecond  = time.Unix(0, math.MaxInt64)
)

func nanoseconds(t time.Time) int64 {
	if t.Before(firstNanosecond) || t.After(lastNanosecond) {
		return NaT // the zero time is one of them
	}
	return t.UnixNano()
}
