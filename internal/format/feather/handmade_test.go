package feather_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/source/format"
)

var int64Field = meta.Field{Name: "bad", Type: columnar.Type{Kind: columnar.Int, Size: 8, Signed: true}}

var textField = meta.Field{Name: "bad", Type: columnar.Type{Kind: columnar.Text}}

// stream returns a stream of one record batch.
func stream(field meta.Field, b meta.Batch, body []byte) []byte {
	out := meta.SchemaMessage([]meta.Field{field}, nil)
	out = append(out, meta.BatchMessage(&b, int64(len(body)), int64(len(out)), 8)...)
	return append(append(out, body...), meta.EndOfStream()...)
}

// file returns a file of one record batch, whose blocks the footer tells.
func file(b meta.Batch, body []byte, blocks func(real meta.Block) []meta.Block) []byte {
	fields := []meta.Field{int64Field}
	out := append([]byte("ARROW1\x00\x00"), meta.SchemaMessage(fields, nil)...)
	message := meta.BatchMessage(&b, int64(len(body)), int64(len(out)), 8)
	footer := meta.FooterBytes(fields, nil, blocks(meta.Block{Offset: int64(len(out)), Meta: int64(len(message)), Body: int64(len(body))}))
	out = append(append(append(append(out, message...), body...), meta.EndOfStream()...), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "ARROW1"...)
}

func put(tb testing.TB, data []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "f.arrow")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

// packed returns a compressed buffer that declares a size.
func packed(tb testing.TB, data []byte, declared int64, options ...zstd.EOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, options...)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = w.Write(data) // to memory
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(declared)), b.Bytes()...)
}

// Numbers that the bytes do not bear out are one clear error, before memory is taken for them.
func TestHostile(t *testing.T) {
	eight := make([]byte, 64)
	node := func(rows, nulls int64) []meta.Node { return []meta.Node{{Rows: rows, Nulls: nulls}} }
	bufs := func(b ...int64) []meta.Buffer {
		var out []meta.Buffer
		for i := 0; i < len(b); i += 2 {
			out = append(out, meta.Buffer{Offset: b[i], Bytes: b[i+1]})
		}
		return out
	}
	offsets := func(v ...uint32) []byte {
		var out []byte
		for _, n := range v {
			out = binary.LittleEndian.AppendUint32(out, n)
		}
		return append(out, make([]byte, 64)...)
	}
	z := packed(t, eight, 64)
	zlen := int64(len(z))
	short := packed(t, eight[:32], 64)
	long := packed(t, eight, 56)
	huge := packed(t, eight, 1<<40)
	wide := packed(t, make([]byte, 1<<20), 1<<20, zstd.WithWindowSize(128<<20), zstd.WithSingleSegment(false))
	flipped := bytes.Clone(z)
	flipped[len(flipped)-1] ^= 1
	tests := []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"fine", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 0, 64), Codec: meta.Stored}, eight), nil, ""},
		{"more rows than bytes", stream(int64Field, meta.Batch{Rows: 9, Nodes: node(9, 0), Buffers: bufs(0, 0, 0, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, "a buffer of 64 bytes for 9 rows"},
		{"rows beyond reason", stream(int64Field, meta.Batch{Rows: 1 << 60, Nodes: node(1<<60, 1<<60), Buffers: bufs(0, 0, 0, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, "more than there can be"},
		{"rows of nothing", stream(int64Field, meta.Batch{Rows: 1 << 40, Nodes: node(1<<40, 1<<40), Buffers: bufs(0, 0, 0, 0), Codec: meta.Stored}, eight), colstore.ErrFormat, "more than there can be"},
		{"other rows in the column", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(7, 0), Buffers: bufs(0, 0, 0, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, `column "bad" has 7 rows`},
		{"more nulls than rows", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 9), Buffers: bufs(0, 0, 0, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, "9 of them null"},
		{"a buffer outside", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 8, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, "in a body of 64"},
		{"a buffer far outside", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 1<<62, 1<<62), Codec: meta.Stored}, eight), colstore.ErrFormat, "in a body of 64"},
		{"a negative buffer", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, -8, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, "in a body of 64"},
		{"too few buffers", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, "the schema asks for 2"},
		{"no bitmap", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 1), Buffers: bufs(0, 0, 0, 64), Codec: meta.Stored}, eight), colstore.ErrFormat, "none is told"},
		{"compressed", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 0, zlen), Codec: meta.Zstd}, z), nil, ""},
		{"fewer bytes than declared", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 0, int64(len(short))), Codec: meta.Zstd}, short), colstore.ErrFormat, "holds fewer"},
		{"more bytes than declared", stream(int64Field, meta.Batch{Rows: 7, Nodes: node(7, 0), Buffers: bufs(0, 0, 0, int64(len(long))), Codec: meta.Zstd}, long), colstore.ErrFormat, "holds more"},
		{"more than can be", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 0, int64(len(huge))), Codec: meta.Zstd}, huge), colstore.ErrFormat, "more than they can hold"},
		{"a window beyond reason", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 0, int64(len(wide))), Codec: meta.Zstd}, wide), colstore.ErrFormat, "asks for a window"},
		{"a wrong checksum", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 0, zlen), Codec: meta.Zstd}, flipped), colstore.ErrFormat, "damaged"},
		{"another codec's bytes", stream(int64Field, meta.Batch{Rows: 8, Nodes: node(8, 0), Buffers: bufs(0, 0, 0, zlen), Codec: meta.LZ4Frame}, z), colstore.ErrFormat, "bad magic number"},
		{"offsets that go back", stream(textField, meta.Batch{Rows: 2, Nodes: node(2, 0), Buffers: bufs(0, 0, 0, 12, 12, 60), Codec: meta.Stored}, offsets(0, 5, 4)), colstore.ErrFormat, "row 1: format error: the value lies outside"},
		{"offsets beyond the end", stream(textField, meta.Batch{Rows: 2, Nodes: node(2, 0), Buffers: bufs(0, 0, 0, 12, 12, 60), Codec: meta.Stored}, offsets(0, 5, 61)), colstore.ErrFormat, "row 1: format error: the value lies outside"},
		{"an offset below 0", stream(textField, meta.Batch{Rows: 2, Nodes: node(2, 0), Buffers: bufs(0, 0, 0, 12, 12, 60), Codec: meta.Stored}, offsets(0xffffffff, 5, 6)), colstore.ErrFormat, "ends before its rows do"},
		{"no text", stream(textField, meta.Batch{Rows: 2, Nodes: node(2, 0), Buffers: bufs(0, 0, 0, 12, 12, 60), Codec: meta.Stored}, append(offsets(0, 1, 2)[:12], bytes.Repeat([]byte{0xff}, 64)...)), colstore.ErrValue, "row 0"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			path := put(t, c.data)
			for _, batch := range []int{0, 1} {
				_, err := readTable(path, reading{scan: colstore.Scan{BatchRows: batch}})
				if c.want == nil && err == nil {
					continue
				}
				e, ok := errors.AsType[*colstore.Error](err)
				if !ok || c.want == nil || !errors.Is(err, c.want) || e.Path != path || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%v; want %v with %q, naming the file", err, c.want, c.text)
				}
			}
		})
	}
}

// The structure of a file is checked when it is opened.
func TestBadFiles(t *testing.T) {
	b := meta.Batch{Rows: 8, Nodes: []meta.Node{{Rows: 8}}, Buffers: []meta.Buffer{{}, {Bytes: 64}}, Codec: meta.Stored}
	body := make([]byte, 64)
	one := func(change func(b *meta.Block)) func(meta.Block) []meta.Block {
		return func(real meta.Block) []meta.Block {
			change(&real)
			return []meta.Block{real}
		}
	}
	fine := file(b, body, one(func(*meta.Block) {}))
	noFooter := append(bytes.Clone(fine[:len(fine)-10]), fine[len(fine)-6:]...)
	tests := []struct {
		name string
		data []byte
		text string
	}{
		{"fine", fine, ""},
		{"the same block twice", file(b, body, func(real meta.Block) []meta.Block { return []meta.Block{real, real} }), "which is not there"},
		{"a block outside", file(b, body, one(func(b *meta.Block) { b.Offset = 1 << 40 })), "which is not there"},
		{"a negative block", file(b, body, one(func(b *meta.Block) { b.Offset = -8 })), "which is not there"},
		{"a body outside", file(b, body, one(func(b *meta.Block) { b.Body = 1 << 40 })), "which is not there"},
		{"a schema as a batch", file(b, body, one(func(b *meta.Block) { b.Offset = 8 })), "no record batch at offset 8"},
		{"nothing as a batch", file(b, body, one(func(b *meta.Block) { b.Offset += b.Meta + b.Body; b.Meta, b.Body = 8, 0 })), "no record batch"},
		{"a footer of another length", noFooter, "footer"},
		{"an empty file", nil, "it is empty"},
		{"text", []byte("a,b,c\n1,2,3\n4,5,6\n"), "it looks like text"},
		{"a Parquet file", []byte("PAR1 and more"), "it looks like a Parquet file"},
		{"no columns", meta.SchemaMessage(nil, nil), "a table needs one"},
	}
	for _, c := range tests {
		path := put(t, c.data)
		f, err := openFile(path, format.Nulls{})
		if err == nil {
			f.Close()
		}
		if c.text == "" && err == nil {
			continue
		}
		if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != path || c.text == "" || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want %q", c.name, err, c.text)
		}
	}
	if _, err := openFile(t.TempDir(), format.Nulls{}); err == nil {
		t.Error("a folder opens")
	}
}

// counting is an allocator that counts.
type counting struct{ out, most, limit int }

func (c *counting) Get(n int) []byte {
	if c.limit > 0 && c.out+n > c.limit {
		return nil
	}
	c.out += n
	c.most = max(c.most, c.out)
	return make([]byte, n)
}
func (c *counting) Put(b []byte) { c.out -= len(b) }

// Batches are in the memory of the scan, and only there; a column that is not asked for takes none.
func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.feather")
	if err := store(path, anyBatch(t, []colstore.DType{colstore.Int64, colstore.TextOf(6), colstore.Int32}, 1000, 1), writing{}); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(path, format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	name := src.Schema().Field(0).Name
	if c := src.(colstore.Coster).Cost([]string{name}); c.Row != 8 || c.Fixed < 8000 || c.Fixed > 8000+2<<10 {
		t.Errorf("the cost of a column of int64 in LZ4: %+v", c)
	}
	mem := &counting{}
	scan := colstore.Scan{Columns: []string{name}, BatchRows: 100, Mem: mem}
	for _, err := range src.Scan(t.Context(), scan) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if mem.out != 0 || mem.most != 800 {
		t.Errorf("%d bytes are out, at most %d were", mem.out, mem.most)
	}
	scan.Columns, mem.limit = nil, 2000
	for _, err := range src.Scan(t.Context(), scan) {
		if !errors.Is(err, colstore.ErrBudget) {
			t.Errorf("a budget that is too small: %v", err)
		}
	}
	if mem.out != 0 {
		t.Errorf("%d bytes are out", mem.out)
	}
	if err := errors.Join(src.Close(), f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, err := range src.Scan(t.Context(), colstore.Scan{}) {
		if !errors.Is(err, colstore.ErrClosed) {
			t.Errorf("a scan of a closed file: %v", err)
		}
	}
}
