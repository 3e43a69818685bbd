package meta_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

var flat = []columnar.Type{
	{Kind: columnar.Bool, Name: "bool"},
	{Kind: columnar.Int, Size: 1, Signed: true, Name: "int8"},
	{Kind: columnar.Int, Size: 8, Name: "uint64"},
	{Kind: columnar.Float, Size: 2, Name: "float16"},
	{Kind: columnar.Float, Size: 8, Name: "float64"},
	{Kind: columnar.Text, Name: "utf8"},
	{Kind: columnar.FixedBinary, Size: 12, Name: "fixed_size_binary[12]"},
	{Kind: columnar.Date32, Name: "date32"},
	{Kind: columnar.Timestamp, Unit: colstore.Nanosecond, Name: "timestamp[ns]"},
	{Kind: columnar.Duration, Unit: colstore.Second, Name: "duration[s]"},
}

// drawn are the fields and metadata of some schema.
func drawn(t *rapid.T) (fields []meta.Field, pairs []meta.Pair, values map[string]string) {
	values = map[string]string{}
	for range rapid.IntRange(0, 6).Draw(t, "fields") {
		f := meta.Field{Name: rapid.String().Draw(t, "name"), Type: rapid.SampledFrom(flat).Draw(t, "type"), Nullable: true, Nodes: 1, Buffers: 2}
		if f.Type.Kind == columnar.Text {
			f.Buffers = 3
		}
		fields = append(fields, f)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "pairs") {
		p := meta.Pair{Key: fmt.Sprint("key ", i), Value: rapid.String().Draw(t, "value")}
		pairs = append(pairs, p)
		values[p.Key] = p.Value
	}
	return fields, pairs, values
}

// body returns a message without its prefix.
func body(t *rapid.T, message []byte) []byte {
	prefix, n, err := meta.Prefix(message)
	if err != nil || prefix+n != int64(len(message)) || len(message)%8 != 0 {
		t.Fatalf("a prefix of %d, metadata of %d in %d bytes: %v", prefix, n, len(message), err)
	}
	return message[prefix:]
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, pairs, values := drawn(t)
		want := &meta.Schema{Fields: fields, Values: values}
		m, err := meta.ParseMessage(body(t, meta.SchemaMessage(fields, pairs)))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(&meta.Message{Schema: want}, m); d != "" {
			t.Fatal(d)
		}
		blocks := make([]meta.Block, rapid.IntRange(0, 5).Draw(t, "blocks"))
		for i := range blocks {
			blocks[i] = meta.Block{Offset: rapid.Int64().Draw(t, "offset"), Meta: int64(rapid.Int32().Draw(t, "meta")), Body: rapid.Int64().Draw(t, "body")}
		}
		f, err := meta.ParseFooter(meta.FooterBytes(fields, pairs, blocks))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(&meta.Footer{Schema: want, Dictionaries: []meta.Block{}, Batches: blocks}, f); d != "" {
			t.Fatal(d)
		}
		b := &meta.Batch{Rows: rapid.Int64Range(0, 1<<40).Draw(t, "rows"), Codec: meta.Codec(rapid.IntRange(-1, 1).Draw(t, "codec")), Variadic: []int64{}}
		b.Nodes, b.Buffers = make([]meta.Node, rapid.IntRange(0, 4).Draw(t, "nodes")), make([]meta.Buffer, rapid.IntRange(0, 9).Draw(t, "buffers"))
		at, length := rapid.Int64Range(0, 1<<40).Draw(t, "at"), rapid.Int64().Draw(t, "length")
		at = at / 8 * 8
		size := len(meta.BatchMessage(b, 0, at, 64))
		for i := range b.Nodes {
			b.Nodes[i] = meta.Node{Rows: rapid.Int64().Draw(t, "rows"), Nulls: rapid.Int64().Draw(t, "nulls")}
		}
		for i := range b.Buffers {
			b.Buffers[i] = meta.Buffer{Offset: rapid.Int64().Draw(t, "offset"), Bytes: rapid.Int64().Draw(t, "bytes")}
		}
		message := meta.BatchMessage(b, length, at, 64)
		if len(message) != size || (at+int64(size))%64 != 0 {
			t.Fatalf("%d bytes at %d, before %d", len(message), at, size)
		}
		if m, err = meta.ParseMessage(body(t, message)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(&meta.Message{Batch: b, Body: length}, m); d != "" {
			t.Fatal(d)
		}
	})
}

// Every prefix of metadata is refused, or is all that was meant.
func TestCut(t *testing.T) {
	fields := []meta.Field{{Name: "a", Type: flat[1]}, {Name: "b", Type: flat[5]}}
	whole := meta.FooterBytes(fields, []meta.Pair{{Key: "k", Value: "v"}}, []meta.Block{{Offset: 8, Meta: 8, Body: 8}})
	for n := range whole[:len(whole)-8] {
		if _, err := meta.ParseFooter(whole[:n]); !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// endless returns a footer whose only field has itself as its parts, twice: without bounds it has 2^64 of them.
func endless() []byte {
	b := make([]byte, 128)
	put16 := func(at int, v ...uint16) {
		for i, n := range v {
			binary.LittleEndian.PutUint16(b[at+2*i:], n)
		}
	}
	put32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	put32(0, 16)                                       // the root
	put16(4, 8, 12, 0, 4)                              // its vtable: a schema, in slot 1
	put32(16, 12)                                      // the footer table
	put32(20, 40-20)                                   // its schema
	put16(28, 8, 8, 0, 4)                              // vtable of the schema: fields, in slot 1
	put32(40, 12)                                      // the schema table
	put32(44, 48-44)                                   // its fields
	put32(48, 1)                                       // one
	put32(52, 80-52)                                   // the field
	put16(60, 16, 8, 0, 0, 0, 0, 0, 4)                 // vtable of the field: parts, in slot 5
	put32(80, 20)                                      // the field table
	put32(84, 88-84)                                   // its parts
	put32(88, 2)                                       // two
	binary.LittleEndian.PutUint32(b[92:], ^uint32(11)) // 80-92: the field itself
	binary.LittleEndian.PutUint32(b[96:], ^uint32(15))
	return b
}

func TestEndless(t *testing.T) {
	if _, err := meta.ParseFooter(endless()); !errors.Is(err, colstore.ErrFormat) {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(meta.FooterBytes([]meta.Field{{Name: "a", Type: flat[1]}}, nil, []meta.Block{{Offset: 8}}))
	f.Add(meta.SchemaMessage([]meta.Field{{Name: "a", Type: flat[8]}}, nil)[meta.PrefixBytes:])
	f.Add(endless())
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = meta.ParseFooter(data)
		_, _ = meta.ParseMessage(data) // must end, and not panic
		_, _, _ = meta.Prefix(data)
	})
}
