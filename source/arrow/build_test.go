package arrow_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// A checked allocator that fails the test when something that was built is not released.
func checked(t *testing.T) memory.Allocator {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// build returns an array of typ of the JSON values.
func build(t *testing.T, typ arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(checked(t), typ, strings.NewReader(values))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// record returns a record of nullable columns "a", "b", …, which the test's end releases. The arrays are released.
func record(t *testing.T, metadata map[string]string, columns ...arrow.Array) arrow.Record {
	t.Helper()
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: c.DataType(), Nullable: true}
	}
	meta := arrow.MetadataFrom(metadata)
	rec := array.NewRecord(arrow.NewSchema(fields, &meta), columns, -1)
	for _, c := range columns {
		c.Release()
	}
	t.Cleanup(rec.Release)
	return rec
}

// shown prints a batch: "a <i4: 1 2; b |S2: x y".
func shown(b *colstore.Batch) string {
	parts := make([]string, b.Schema().Len())
	for i, f := range b.Schema().All() {
		part := []byte(f.Name + " " + f.Type.String() + ":")
		for row := range b.Rows() {
			part = text.AppendPlain(append(part, ' '), b.At(i), row)
		}
		parts[i] = string(part)
	}
	return strings.Join(parts, "; ")
}
