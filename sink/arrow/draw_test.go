package arrow_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// exportable are the dtypes that Arrow has a type for.
var exportable = []colstore.DType{
	colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16,
	colstore.Uint32, colstore.Uint64, colstore.Float16, colstore.Float32, colstore.Float64,
	colstore.BytesOf(1), colstore.BytesOf(5), colstore.TextOf(1), colstore.TextOf(7),
	colstore.DatetimeOf(colstore.Day), colstore.DatetimeOf(colstore.Second), colstore.DatetimeOf(colstore.Millisecond),
	colstore.DatetimeOf(colstore.Microsecond), colstore.DatetimeOf(colstore.Nanosecond),
	colstore.TimedeltaOf(colstore.Second), colstore.TimedeltaOf(colstore.Millisecond),
	colstore.TimedeltaOf(colstore.Microsecond), colstore.TimedeltaOf(colstore.Nanosecond),
}

// drawValue draws the native bytes of a value that Arrow can hold.
func drawValue(t *rapid.T, typ colstore.DType) []byte {
	switch {
	case typ.Kind() == colstore.KindText:
		return colstore.AppendText(nil, string(rapid.SliceOfN(rapid.SampledFrom([]rune("a\x00é日😀")), 0, typ.Width()).Draw(t, "text")))
	case typ == colstore.DatetimeOf(colstore.Day):
		day := int64(rapid.Int32().Draw(t, "day"))
		if rapid.IntRange(0, 3).Draw(t, "nat") == 0 {
			day = colstore.NaT
		}
		return binary.LittleEndian.AppendUint64(nil, uint64(day))
	case typ.IsTime() && rapid.IntRange(0, 3).Draw(t, "nat") == 0:
		return binary.LittleEndian.AppendUint64(nil, 1<<63)
	default:
		return rapid.SliceOfN(rapid.Byte(), typ.Size(), typ.Size()).Draw(t, "raw")
	}
}

// drawColumn draws a column of typ, in either byte order, of any layout.
func drawColumn(t *rapid.T, typ colstore.DType, rows int) colstore.Column {
	layout := rapid.SampledFrom([]string{"plain", "odd", "strided", "backwards", "repeated"}).Draw(t, "layout")
	big := rapid.Bool().Draw(t, "big")
	values, size := rows, typ.Size()
	if layout == "repeated" {
		values = min(rows, 1)
	}
	raw := make([]byte, values*size)
	for i := range values {
		copy(raw[i*size:], drawValue(t, typ))
	}
	if big {
		word := size
		if typ.Kind() == colstore.KindText {
			word = 4
		}
		typ = typ.Swapped()
		if typ.BigEndian() {
			kernel.Swap(raw, word)
		}
	}
	if rows == 0 {
		return colstore.RawColumn(typ, 0, size, nil)
	}
	apart := size
	switch layout {
	case "odd", "strided", "backwards":
		if layout != "odd" {
			apart += 3
		}
		wide := make([]byte, 1+values*apart)
		for i := range values {
			copy(wide[1+i*apart:], raw[i*size:(i+1)*size])
		}
		raw = wide[1:]
	case "repeated":
		apart = 0
	}
	c := colstore.RawColumn(typ, rows, apart, unsafe.Pointer(&raw[0]))
	if layout == "backwards" {
		c = c.Slice(rows-1, -1, -1)
	}
	return c
}

// drawBatch draws a batch of any exportable columns, with an owner. released tells whether it was released.
func drawBatch(t *rapid.T, schema *colstore.Schema, rows int) (b *colstore.Batch, released *bool) {
	fields, columns := make([]colstore.Field, schema.Len()), make([]colstore.Column, schema.Len())
	for i, f := range schema.All() {
		columns[i] = drawColumn(t, f.Type, rows)
		fields[i] = colstore.Field{Name: f.Name, Type: columns[i].Type()}
	}
	released = new(bool)
	b, err := colstore.NewOwnedBatch(colstore.MustSchema(fields...), colstore.Range{Begin: 5, End: 5 + int64(rows)}, func() { *released = true }, columns...)
	if err != nil {
		t.Fatal(err)
	}
	return b, released
}

// drawSchema draws native fields.
func drawSchema(t *rapid.T) *colstore.Schema {
	types := rapid.SliceOfN(rapid.SampledFrom(exportable), 0, 5).Draw(t, "types")
	fields := make([]colstore.Field, len(types))
	for i, typ := range types {
		fields[i] = colstore.Field{Name: fmt.Sprintf("c%d", i), Type: typ}
	}
	return colstore.MustSchema(fields...)
}

// same fails unless both batches have the same columns; a bool byte other than 0 is as good as 1.
func same(t interface{ Fatalf(string, ...any) }, got, want *colstore.Batch) {
	if !got.Schema().Equal(want.Schema()) || got.Rows() != want.Rows() {
		t.Fatalf("%d rows of %v, want %d of %v", got.Rows(), got.Schema(), want.Rows(), want.Schema())
	}
	for i, f := range want.Schema().All() {
		g, w := native(got.At(i)), native(want.At(i))
		if !bytes.Equal(g, w) {
			t.Fatalf("%s %s:\n%x, want\n%x", f.Name, f.Type, g, w)
		}
	}
}

func native(c colstore.Column) []byte {
	data, _ := c.Copy().Bytes()
	if c.Type() == colstore.Bool {
		for i, b := range data {
			data[i] = min(b, 1)
		}
	}
	return data
}

// floats returns a batch of one column "x".
func floats(t *testing.T, v ...float64) *colstore.Batch {
	t.Helper()
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Float64}), colstore.Wrap(v))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var nan = math.NaN()
