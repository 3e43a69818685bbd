package source_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source"
)

// Reads beyond the caches, which are written past them, are the rows of batches that plain loops make: of rows in one piece
// and in several, in one goroutine and in two.
func TestLargeReads(t *testing.T) {
	const rows, wide = 260_000, 84
	schema := colstore.MustSchema(
		colstore.Field{Name: "u1", Type: colstore.Uint8}, colstore.Field{Name: "s1", Type: colstore.Int8},
		colstore.Field{Name: "i2", Type: colstore.Int16}, colstore.Field{Name: "f4", Type: colstore.Float32},
		colstore.Field{Name: "f8", Type: colstore.Float64}, colstore.Field{Name: "id", Type: colstore.Int64},
		colstore.Field{Name: "wide", Type: colstore.BytesOf(wide)}, colstore.Field{Name: "u4", Type: colstore.Uint32},
		colstore.Field{Name: "big", Type: colstore.Float64.Swapped()},
	)
	noise := make([]byte, rows*8+wide+64)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	cols := make([]colstore.Column, schema.Len())
	for i, f := range schema.All() { // of one noise, from different places on
		cols[i] = colstore.RawColumn(f.Type, rows, min(8, f.Type.Size()), unsafe.Pointer(&noise[7*i]))
	}
	whole, err := colstore.NewBatch(schema, cols...)
	if err != nil {
		t.Fatal(err)
	}
	for threads, src := range []colstore.Source{source.Memory(whole), inParts(t, whole, 0, 333, 70_001)} {
		v := source.ViewOf(src)
		for what, v := range map[string]*source.View{"all": v, "third": v.Pick(source.All().By(3)), "native": v.Select(schema.Names()[:8]...)} {
			columns, records := readPlainly(t, v)
			withThreads(t, 1+threads, func() {
				got, err := v.Collect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer got.Release()
				for i, want := range columns {
					if data, _ := got.At(i).Bytes(); !bytes.Equal(data, want) {
						t.Errorf("source %d, %s: column %q differs", threads, what, got.Schema().Field(i).Name)
					}
				}
				packed, err := v.Records(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(packed.Data, records) {
					t.Errorf("source %d, %s: records differ", threads, what)
				}
			})
		}
	}
}

// readPlainly returns the values of a view in native byte order, by columns and as records: by batches and plain loops.
func readPlainly(t *testing.T, v *source.View) (columns [][]byte, records []byte) {
	t.Helper()
	defer kernel.SetLevel(kernel.SetLevel(kernel.LevelGo))
	columns = make([][]byte, v.Schema().Len())
	for b, err := range v.Scan(t.Context(), colstore.Scan{}) {
		if err != nil {
			t.Fatal(err)
		}
		var cols []colstore.Column
		for i := range columns {
			cols = append(cols, b.At(i))
			some := make([]byte, b.Rows()*b.At(i).Type().Size())
			kernel.Load(some, b.At(i))
			columns[i] = append(columns[i], some...)
		}
		some := make([]byte, b.Rows()*v.Schema().RowBytes())
		kernel.Interleave(some, cols)
		records = append(records, some...)
	}
	return columns, records
}

// Of a column that is shown backwards, memory before its first value is read and none behind it, which the race detector's
// build holds.
func TestReadsBackwards(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i)
	}
	b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap(values).Slice(len(values)-1, -1, -1)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := source.Values[float64](t.Context(), source.ViewOf(source.Memory(b)), "x")
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(got)
	if !slices.Equal(got, values) {
		t.Error("the values are others")
	}
}
