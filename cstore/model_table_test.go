package cstore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// kind is a schema of the model's tables, with how to draw rows of it.
type kind struct {
	schema *colstore.Schema
	size   int // bytes of a row
}

var kinds = []kind{
	newKind("a", colstore.Int32),
	newKind("x", colstore.Float64, "n", colstore.Int16, "s", colstore.BytesOf(3)),
	newKind("b", colstore.Bool, "u", colstore.Uint64, "t", colstore.DatetimeOf(colstore.Second), "w", colstore.TextOf(1), "h", colstore.Float16),
}

func newKind(namesAndTypes ...any) kind {
	var fields []colstore.Field
	for i := 0; i < len(namesAndTypes); i += 2 {
		fields = append(fields, colstore.Field{Name: namesAndTypes[i].(string), Type: namesAndTypes[i+1].(colstore.DType)})
	}
	s := colstore.MustSchema(fields...)
	return kind{s, s.RowBytes()}
}

// draw returns n rows, value after value.
func (k kind) draw(r *rand.Rand, n int) []byte {
	var out []byte
	for range n {
		for _, f := range k.schema.All() {
			var b [8]byte
			bits := r.Uint64() >> r.IntN(64)
			switch f.Type.Kind() {
			case colstore.KindBool:
				bits &= 1
			case colstore.KindFloat:
				v := []float64{0, math.Copysign(0, -1), 1.5, -2, 7, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(9)]
				if bits = math.Float64bits(v); f.Type.Size() == 2 {
					bits = []uint64{0, 0x8000, 0x3e00, 0xc000, 0x4700, 0x7bff, 0x7e00, 0x7c00, 0xfc00}[r.IntN(9)]
				}
			case colstore.KindText:
				bits &= 0x7f
			}
			binary.LittleEndian.PutUint64(b[:], bits)
			out = append(out, b[:f.Type.Size()]...)
		}
	}
	return out
}

// column returns the bytes of a column of rows.
func (k kind) column(rows []byte, c int) []byte {
	at := 0
	for i := range c {
		at += k.schema.Field(i).Type.Size()
	}
	size := k.schema.Field(c).Type.Size()
	out := make([]byte, 0, len(rows)/k.size*size)
	for ; at < len(rows); at += k.size {
		out = append(out, rows[at:at+size]...)
	}
	return out
}

func (k kind) batch(rows []byte) *colstore.Batch {
	cols := make([]colstore.Column, k.schema.Len())
	for i := range cols {
		var err error
		if cols[i], err = colstore.NewColumn(k.schema.Field(i).Type, len(rows)/k.size, k.column(rows, i)); err != nil {
			panic(err)
		}
	}
	b, err := colstore.NewBatch(k.schema, cols...)
	if err != nil {
		panic(err)
	}
	return b
}

// table is what a file must hold. Tables are not changed once made.
type table struct {
	kind     int
	rows     []byte
	records  []int // rows of each; nil for whatever they are
	stats    bool  // it has usable statistics
	anyStats bool  // or it may have
}

func (t *table) len() int { return len(t.rows) / kinds[t.kind].size }

// arrange turns the rows of writes into those of records. A file that is made has at least one.
func (t *table) arrange(o *cstore.WriteOptions, made bool) {
	n := t.len()
	switch {
	case o.Layout == cstore.LayoutPerWrite:
	case n == 0:
		t.records = nil
	case o.Layout == cstore.LayoutSingle:
		t.records = []int{n}
	default:
		t.records = nil
		for size := int(o.BlockRows); n > 0; n -= size {
			t.records = append(t.records, min(n, size))
		}
	}
	if made && len(t.records) == 0 {
		t.records = []int{0}
	}
}

// plus returns the rows of both.
func (t *table) plus(o *table) *table {
	return &table{kind: t.kind, rows: slices.Concat(t.rows, o.rows), records: slices.Concat(t.records, o.records)}
}

// same compares an open file with the table, byte for byte.
func (t *table) same(r *cstore.Reader) error {
	k := kinds[t.kind]
	if !r.Schema().Equal(k.schema) || r.Rows() != int64(t.len()) {
		return fmt.Errorf("it has %d rows of %s, and should have %d of %s", r.Rows(), r.Schema(), t.len(), k.schema)
	}
	if t.records != nil {
		var got []int
		for i := range r.Records() {
			got = append(got, int(r.RecordRows(i).Rows()))
		}
		if !slices.Equal(got, t.records) {
			return fmt.Errorf("it has records of %d rows, and should have some of %d", got, t.records)
		}
	}
	return t.sameRows(r, 0)
}

// fits compares an open file with the table, statistics included, which it may have lost.
func (t *table) fits(r *cstore.Reader, lost bool) error {
	if err := t.same(r); err != nil {
		return err
	}
	if got := r.HasStatistics(); got != t.stats && !(got && t.anyStats) && !(!got && lost) {
		return fmt.Errorf("statistics: %v, and it should be %v", got, t.stats)
	}
	return nil
}

// sameRows compares the rows of a source with the table.
func (t *table) sameRows(src colstore.Source, batchRows int) error {
	k := kinds[t.kind]
	at := 0
	for b, err := range src.Scan(context.Background(), colstore.Scan{BatchRows: batchRows}) {
		if err != nil {
			return err
		}
		if at+b.Rows() > t.len() {
			return fmt.Errorf("there are more than the %d rows it should have", t.len())
		}
		if err := k.sameBatch(b, t.rows[at*k.size:(at+b.Rows())*k.size]); err != nil {
			return fmt.Errorf("from row %d on: %w", at, err)
		}
		at += b.Rows()
	}
	if at != t.len() {
		return fmt.Errorf("there are %d rows, and there should be %d", at, t.len())
	}
	return nil
}

func (k kind) sameBatch(b *colstore.Batch, rows []byte) error {
	for i, f := range k.schema.All() {
		got, ok := b.At(i).Bytes()
		if want := k.column(rows, i); !ok || !bytes.Equal(got, want) {
			return fmt.Errorf("column %s is %x, and should be %x", f.Name, got, want)
		}
	}
	return nil
}
