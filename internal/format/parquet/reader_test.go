package parquet_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/source/format"
)

// show prints a table: name, dtype and values of every column.
func show(b *colstore.Batch) map[string]string {
	out := map[string]string{}
	for i, f := range b.Schema().All() {
		cells := []string{f.Type.String()}
		for r := range b.Rows() {
			cells = append(cells, string(text.AppendPlain(nil, b.At(i), r)))
		}
		out[f.Name] = strings.Join(cells, " ")
	}
	return out
}

// Files that only a test makes: what they must give, and what not.
func TestHandmade(t *testing.T) {
	integer := func(bits int8, signed bool) meta.Element {
		return logical(element("c", meta.Int32), meta.Logical{Kind: meta.KindInteger, Bits: bits, Signed: signed})
	}
	fixed := element("c", meta.FixedLenByteArray)
	fixed.Length = 2
	converted := func(t meta.Type, c meta.Converted) meta.Element {
		e := element("c", t)
		e.Converted = c
		return e
	}
	required := element("c", meta.Int32)
	required.Repetition = meta.Required
	tests := []struct {
		name   string
		column handColumn
		want   string // the cells of c, or
		err    error
		text   string
	}{
		{
			name: "unused entries may be wide", want: "<U2 bb a",
			column: handColumn{element: textType, rows: 2, pages: []handPage{dictPage(3, texts("a", "wider than any value", "bb")...), indexPage("11", 2, 2, 0)}},
		},
		{
			name: "unused entries may be no text", want: "<U1 a a",
			column: handColumn{element: textType, rows: 2, pages: []handPage{dictPage(2, texts("a", "\xff\xff")...), indexPage("11", 1, 0, 0)}},
		},
		{
			name: "used entry that is no text", err: colstore.ErrValue, text: `column "c": row 1: bad value: text that is no UTF-8 (byte 0xff)`,
			column: handColumn{element: textType, rows: 2, pages: []handPage{dictPage(2, texts("a", "\xff")...), indexPage("11", 1, 0, 1)}},
		},
		{
			name: "value that is no text", err: colstore.ErrValue, text: `column "c": row 2: bad value: text that is no UTF-8 (byte 0xed)`,
			column: handColumn{element: textType, rows: 3, pages: []handPage{plainPage("111", texts("é", "", "a\xed\xa0\x80")...)}},
		},
		{
			name: "dictionary, then plain", want: "<U4 b äöü bbbb",
			column: handColumn{element: textType, rows: 3, pages: []handPage{dictPage(1, texts("b")...), indexPage("1", 1, 0), plainPage("11", texts("äöü", "bbbb")...)}},
		},
		{
			name: "empty pages", want: "<i4 1 2",
			column: handColumn{element: element("c", meta.Int32), rows: 2, pages: []handPage{plainPage(""), plainPage("1", ints32(1)...), plainPage(""), plainPage("1", ints32(2)...), plainPage("")}},
		},
		{
			name: "null found", err: colstore.ErrNull, text: `column "c": row 3: null value: there is no null in a .cstore file; choose what it becomes (--nulls fill, --nulls mask, --nulls c=VALUE`,
			column: handColumn{element: element("c", meta.Int32), rows: 5, pages: []handPage{plainPage("11", ints32(1, 2)...), plainPage("101", ints32(1, 2)...)}},
		},
		{
			name: "no value at all", want: "<f8 nan nan nan",
			column: handColumn{element: element("c", meta.Int32), rows: 3, pages: []handPage{plainPage("00"), plainPage("0")}},
		},
		{
			name: "no value, says a footer that is wrong", want: "<i4 7",
			column: handColumn{element: element("c", meta.Int32), rows: 1, pages: []handPage{plainPage("1", ints32(7)...)}, change: func(c *meta.Chunk) { c.Statistics.Nulls = 1 }},
		},
		{name: "int8", want: "|i1 -128 127", column: handColumn{element: integer(8, true), rows: 2, pages: []handPage{plainPage("11", ints32(-128, 127)...)}}},
		{
			name: "int8 too large", err: colstore.ErrValue, text: `row 1: bad value: 128 does not fit int8`,
			column: handColumn{element: integer(8, true), rows: 2, pages: []handPage{plainPage("11", ints32(0, 128)...)}},
		},
		{
			name: "uint8 below zero", err: colstore.ErrValue, text: `row 0: bad value: -1 does not fit uint8`,
			column: handColumn{element: integer(8, false), rows: 1, pages: []handPage{plainPage("1", ints32(-1)...)}},
		},
		{
			name: "uint16 too large in an unused entry", want: "<u2 65535",
			column: handColumn{element: integer(16, false), rows: 1, pages: []handPage{dictPage(2, ints32(65535, 65536)...), indexPage("1", 1, 0)}},
		},
		{
			name: "uint16 too large in an entry", err: colstore.ErrValue, text: `row 1: bad value: 65536 does not fit uint16`,
			column: handColumn{element: integer(16, false), rows: 2, pages: []handPage{dictPage(2, ints32(65535, 65536)...), indexPage("11", 1, 0, 1)}},
		},
		{name: "old integer type", want: "<u2 65535", column: handColumn{element: converted(meta.Int32, meta.ConvertedUint16), rows: 1, pages: []handPage{plainPage("1", ints32(65535)...)}}},
		{name: "old date type", want: "<M8[D] 1969-12-31", column: handColumn{element: converted(meta.Int32, meta.ConvertedDate), rows: 1, pages: []handPage{plainPage("1", ints32(-1)...)}}},
		{
			name: "old timestamps have no zone", want: "<M8[us] 1970-01-01T00:00:00.000001",
			column: handColumn{element: converted(meta.Int64, meta.ConvertedTimestampMicros), rows: 1, pages: []handPage{plainPage("1", ticks(1)...)}},
		},
		{name: "old enum", want: "<U1 x", column: handColumn{element: converted(meta.ByteArray, meta.ConvertedEnum), rows: 1, pages: []handPage{plainPage("1", texts("x")...)}}},
		{name: "old BSON is bytes", want: "|S1 x", column: handColumn{element: converted(meta.ByteArray, meta.ConvertedBSON), rows: 1, pages: []handPage{plainPage("1", texts("x")...)}}},
		{
			name: "INT96", want: "<M8[ns] 1969-12-31T23:59:59.999999999 1970-01-02T00:00:00.000000001",
			column: handColumn{element: element("c", meta.Int96), rows: 2, pages: []handPage{plainPage("11", int96(86399999999999, -1, 1, 1)...)}},
		},
		{
			name: "INT96 far away", want: "<M8[us] 9999-12-31T00:00:00.000001 1970-01-01T00:00:00.000000",
			column: handColumn{element: element("c", meta.Int96), rows: 2, pages: []handPage{plainPage("11", int96(1000, 2932896, 0, 0)...)}},
		},
		{
			name: "INT96 far away in a dictionary", want: "<M8[us] 9999-12-31T00:00:00.000000",
			column: handColumn{element: element("c", meta.Int96), rows: 1, pages: []handPage{dictPage(2, int96(1, 0, 0, 2932896)...), indexPage("1", 1, 1)}},
		},
		{
			name: "INT96 far away and fine", err: colstore.ErrValue, text: `column "c": row 1: bad value: an INT96 timestamp has nanoseconds`,
			column: handColumn{element: element("c", meta.Int96), rows: 2, pages: []handPage{plainPage("11", int96(0, 2932896, 1, 0)...)}},
		},
		{
			name: "zone", err: colstore.ErrType, text: `column "c": type error: it holds timestamps that are adjusted to UTC`,
			column: handColumn{element: logical(element("c", meta.Int64), meta.Logical{Kind: meta.KindTimestamp, UTC: true, Unit: meta.Micros}), rows: 1, pages: []handPage{plainPage("1", ticks(1)...)}},
		},
		{
			name: "zone without values", want: "<f8 nan",
			column: handColumn{element: logical(element("c", meta.Int64), meta.Logical{Kind: meta.KindTimestamp, UTC: true, Unit: meta.Micros}), rows: 1, pages: []handPage{plainPage("0")}},
		},
		{
			name: "time of day", err: colstore.ErrType, text: `it holds times of day (TIME)`,
			column: handColumn{element: converted(meta.Int32, meta.ConvertedTimeMillis), rows: 1, pages: []handPage{plainPage("1", ints32(1)...)}},
		},
		{
			name: "decimal", err: colstore.ErrType, text: `it holds DECIMAL numbers; cast to double`,
			column: handColumn{element: converted(meta.Int32, meta.ConvertedDecimal), rows: 1, pages: []handPage{plainPage("1", ints32(1)...)}},
		},
		{
			name: "null type with a value", err: colstore.ErrType, text: `whose type (UNKNOWN) has none`,
			column: handColumn{element: logical(element("c", meta.Int32), meta.Logical{Kind: meta.KindUnknown}), rows: 1, pages: []handPage{plainPage("1", ints32(1)...)}},
		},
		{
			name: "no width", err: colstore.ErrType, text: `it holds values of 0 bytes`,
			column: handColumn{element: element("c", meta.FixedLenByteArray), rows: 1, pages: []handPage{plainPage("1")}},
		},
		{
			name: "index without entry", err: colstore.ErrFormat, text: `column "c": row group 0: format error: a page refers to a dictionary entry that is not among the 2 there are`,
			column: handColumn{element: fixed, rows: 1, pages: []handPage{dictPage(2, 1, 2, 3, 4), indexPage("1", 2, 2)}},
		},
		{
			name: "no dictionary", err: colstore.ErrFormat, text: `a page refers to a dictionary, and there is none`,
			column: handColumn{element: fixed, rows: 1, pages: []handPage{indexPage("1", 2, 2)}},
		},
		{
			name: "two dictionaries", err: colstore.ErrFormat, text: `a second dictionary`,
			column: handColumn{element: fixed, rows: 1, pages: []handPage{dictPage(1, 1, 2), dictPage(1, 1, 2), indexPage("1", 1, 0)}},
		},
		{
			name: "small dictionary", err: colstore.ErrFormat, text: `3 bytes of dictionary for 2 entries of FIXED_LEN_BYTE_ARRAY`,
			column: handColumn{element: fixed, rows: 1, pages: []handPage{dictPage(2, 1, 2, 3), indexPage("1", 1, 0)}},
		},
		{
			name: "huge dictionary", err: colstore.ErrFormat, text: `5 bytes of dictionary for 2147483647 strings`,
			column: handColumn{element: textType, rows: 1, pages: []handPage{dictPage(math.MaxInt32, texts("a")...), indexPage("1", 1, 0)}},
		},
		{
			name: "values missing", err: colstore.ErrFormat, text: `row group 0: format error: a page ends inside its values`,
			column: handColumn{element: fixed, rows: 2, pages: []handPage{plainPage("11", 1, 2, 3)}},
		},
		{
			name: "pages missing", err: colstore.ErrFormat, text: `its pages end with 1 values missing`,
			column: handColumn{element: fixed, rows: 2, pages: []handPage{plainPage("1", 1, 2)}},
		},
		{
			name: "too many values", err: colstore.ErrFormat, text: `its pages hold more than its 1 values`,
			column: handColumn{element: fixed, rows: 1, pages: []handPage{plainPage("11", 1, 2, 3, 4)}},
		},
		{
			name: "encoding of another type", err: colstore.ErrFormat, text: `INT32 values in the encoding DELTA_LENGTH_BYTE_ARRAY`,
			column: handColumn{element: required, rows: 1, pages: []handPage{{meta.Page{Type: meta.DataPage, Values: 1, Encoding: meta.DeltaLengthByteArray}, nil}}},
		},
		{
			name: "unknown encoding", err: colstore.ErrFormat, text: `INT32 values in the encoding number 20`,
			column: handColumn{element: required, rows: 1, pages: []handPage{{meta.Page{Type: meta.DataPage, Values: 1, Encoding: 20}, nil}}},
		},
		{
			name: "other number of values", err: colstore.ErrFormat, text: `it has 3 values for 2 rows`,
			column: handColumn{element: required, rows: 2, pages: []handPage{plainPage("11", ints32(1, 2)...)}, change: func(c *meta.Chunk) { c.Values = 3 }},
		},
		{
			name: "checksum", err: colstore.ErrChecksum, text: `column "c": row group 0: checksum mismatch: page at offset`,
			column: handColumn{element: required, rows: 1, pages: []handPage{{meta.Page{Type: meta.DataPage, Values: 1, HasCRC: true, CRC: 1}, ints32(1)}}},
		},
		{
			name: "codec that is not supported", err: colstore.ErrType, text: `pages compressed with LZO are not supported`,
			column: handColumn{element: required, rows: 1, pages: []handPage{{meta.Page{Type: meta.DataPage, Values: 1}, ints32(1)}}, change: func(c *meta.Chunk) { c.Codec = meta.LZO }},
		},
		{
			name: "damaged compression", err: colstore.ErrFormat, text: `the SNAPPY data of a page are damaged`,
			column: handColumn{element: required, rows: 1, pages: []handPage{{meta.Page{Type: meta.DataPage, Values: 1}, ints32(-1)}}, change: func(c *meta.Chunk) { c.Codec = meta.Snappy }},
		},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			ok := element("ok", meta.Int32)
			row := strings.Repeat("1", c.column.rows)
			path := handmade(t, nil, c.column, handColumn{element: ok, rows: c.column.rows, pages: []handPage{plainPage(row, make([]byte, 4*c.column.rows)...)}})
			for _, batch := range []int{0, 1} {
				got, err := readTable(t, path, format.Nulls{}, format.Projection{}, colstore.Scan{BatchRows: batch})
				if c.err != nil {
					if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), `column "c"`) {
						t.Errorf("%v, want %v with %q", err, c.err, c.text)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(c.want, show(got)["c"]); d != "" {
					t.Error(d)
				}
			}
			// What was not asked for is never an error.
			if _, err := readTable(t, path, format.Nulls{}, format.Projection{Columns: []string{"ok"}}, colstore.Scan{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Columns are found by name, and what cannot be found or stored says why.
func TestColumns(t *testing.T) {
	fixture := func(name string) string { return golden.Path(t, "foreign/parquet/"+name) }
	tests := []struct {
		file    string
		columns []string
		err     error
		text    string
	}{
		{"dupnames.parquet", nil, colstore.ErrDuplicate, `column "a": duplicate column: the file has 2 columns of this name`},
		{"num_groups.parquet", []string{"i8", "i8"}, colstore.ErrDuplicate, `column "i8": duplicate column`},
		{"num_groups.parquet", []string{"i9"}, colstore.ErrNoColumn, `column "i9": no such column; did you mean`},
		{"list.parquet", []string{"c"}, colstore.ErrType, `column "c": type error: it holds nested values (list)`},
		{"map.parquet", []string{"c"}, colstore.ErrType, `it holds nested values (map)`},
		{"struct.parquet", []string{"c"}, colstore.ErrType, `or ask for a part of it, such as "c.a"`},
		{"struct.parquet", []string{"c.z"}, colstore.ErrNoColumn, `column "c.z": no such column`},
		{"list.parquet", []string{"c.list.element"}, colstore.ErrNoColumn, `no such column`},
		{"cols0.parquet", nil, colstore.ErrValue, `the file has no columns`},
		{"bad_empty.parquet", nil, colstore.ErrTruncated, `the file is empty`},
		{"bad_magic.parquet", nil, colstore.ErrFormat, `no Parquet footer at the end`},
		{"bad_truncated.parquet", nil, colstore.ErrFormat, `no Parquet footer at the end; the file is cut or of another format`},
		{"bad_page_crc.parquet", nil, colstore.ErrChecksum, `column "k": row group 0: checksum mismatch`},
		{"bad_page_zstd.parquet", nil, colstore.ErrFormat, `the ZSTD data of a page are damaged`},
		{"ts_tz.parquet", nil, colstore.ErrType, `column "c": type error: it holds timestamps that are adjusted to UTC`},
	}
	for _, c := range tests {
		_, err := readTable(t, fixture(c.file), format.Nulls{}, format.Projection{Columns: c.columns}, colstore.Scan{})
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), c.file) {
			t.Errorf("%s %v: %v", c.file, c.columns, err)
		}
	}
	f, err := openFile(t, fixture("duckdb_odd.parquet"), format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "dec", "t", "iv", "u", "h", "tz", "l", "e"}, f.Names()); d != "" {
		t.Error(d)
	}
}

// Any row range and any division into ranges gives the same rows.
func TestSplits(t *testing.T) {
	for _, name := range []string{"num_groups", "sorted_pages", "types_tinypages", "dict_overflow", "enc_delta_byte_array", "enc_bss", "enc_rle_bool_v2", "duckdb_v2", "types_zstd_v2"} {
		path := golden.Path(t, "foreign/parquet/"+name+".parquet")
		f, err := openFile(t, path, format.Nulls{})
		if err != nil {
			t.Fatal(err)
		}
		src, err := f.Source(t.Context(), format.Projection{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := collect(t, src, colstore.Scan{})
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			begin := rapid.Int64Range(0, src.Rows()).Draw(rt, "begin")
			end := rapid.Int64Range(begin, src.Rows()).Draw(rt, "end")
			if end == 0 {
				return // "to the end"
			}
			got, err := collect(t, src, colstore.Scan{Rows: colstore.Range{Begin: begin, End: end}, BatchRows: rapid.IntRange(0, 500).Draw(rt, "batch"), Threads: 2})
			if err != nil {
				rt.Fatal(err)
			}
			if !equalTables(want.Slice(int(begin), int(end)), got) {
				rt.Fatalf("%s: rows %d to %d differ", name, begin, end)
			}
			// Splits cover all rows, in order.
			next := int64(0)
			most := rapid.IntRange(1, 5000).Draw(rt, "split")
			for _, r := range src.(colstore.Splitter).Splits(most) {
				if r.Begin != next || r.End <= r.Begin {
					rt.Fatalf("%s: split %+v after %d", name, r, next)
				}
				next = r.End
			}
			if next != src.Rows() {
				rt.Fatalf("%s: splits end at %d of %d", name, next, src.Rows())
			}
		})
	}
}

// Row groups are joined up to the rows asked for, and never divided.
func TestSplitSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int8})
	if err := writeTable(t.Context(), path, batchOf(t, s, make([]byte, 95)), map[string]any{"row_group": "10"}, 1); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(t, path, format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[int][]int64{1: {10, 20, 30, 40, 50, 60, 70, 80, 90, 95}, 35: {30, 60, 95}, 40: {40, 80, 95}, 1000: {95}} {
		var ends []int64
		for _, r := range src.(colstore.Splitter).Splits(rows) {
			ends = append(ends, r.End)
		}
		if d := cmp.Diff(want, ends); d != "" {
			t.Errorf("splits of %d rows: %s", rows, d)
		}
	}
}

// An allocator that has a share is asked for every batch, given everything back, and its end is ErrBudget.
func TestAllocator(t *testing.T) {
	path := golden.Path(t, "foreign/parquet/num_groups.parquet")
	f, err := openFile(t, path, format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	mem := &counted{left: 100 * src.Schema().RowBytes()}
	if _, err := collect(t, src, colstore.Scan{Mem: mem, BatchRows: 100}); err != nil {
		t.Fatal(err)
	}
	if mem.gets == 0 || mem.out != 0 {
		t.Errorf("%d buffers taken, %d not given back", mem.gets, mem.out)
	}
	if _, err := collect(t, src, colstore.Scan{Mem: mem, BatchRows: 101}); !errors.Is(err, colstore.ErrBudget) || mem.out != 0 {
		t.Errorf("%v, %d buffers not given back", err, mem.out)
	}
	cost := src.(colstore.Coster).Cost(nil)
	one := src.(colstore.Coster).Cost([]string{"f64"})
	if cost.Fixed <= one.Fixed || one.Fixed < 400*8 || cost.Row != src.Schema().RowBytes() || one.Row != 8 || cost.Rescan {
		t.Errorf("costs %+v and %+v", cost, one)
	}
}

type counted struct{ left, out, gets int }

func (c *counted) Get(n int) []byte {
	if n > c.left {
		return nil
	}
	c.left -= n
	c.gets++
	c.out++
	return make([]byte, n)
}

func (c *counted) Put(b []byte) {
	c.left += cap(b)
	c.out--
}

// A scan ends at once when it is cancelled, and after its file is closed.
func TestScanEnds(t *testing.T) {
	f, err := openFile(t, golden.Path(t, "foreign/parquet/num_groups.parquet"), format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	batches := 0
	for _, err := range src.Scan(ctx, colstore.Scan{BatchRows: 10}) {
		if batches++; batches == 3 {
			cancel(cause)
		}
		if err != nil {
			if !errors.Is(err, cause) || batches != 4 {
				t.Errorf("batch %d: %v", batches, err)
			}
		}
	}
	for _, bad := range []colstore.Scan{{Rows: colstore.Range{Begin: -1, End: 2}}, {Rows: colstore.Range{Begin: 0, End: 1201}}, {Rows: colstore.Range{Begin: 3, End: 2}}} {
		if _, err := collect(t, src, bad); !errors.Is(err, colstore.ErrRange) {
			t.Errorf("%+v: %v", bad.Rows, err)
		}
	}
	for _, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{"nope"}}) {
		if !errors.Is(err, colstore.ErrNoColumn) {
			t.Error(err)
		}
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t, src, colstore.Scan{}); !errors.Is(err, colstore.ErrClosed) {
		t.Error(err)
	}
	if _, err := f.Source(t.Context(), format.Projection{}); !errors.Is(err, colstore.ErrClosed) {
		t.Error(err)
	}
}

// A file that is cut while it is read is an error.
func TestCutWhileOpen(t *testing.T) {
	path := golden.Copy(t, "foreign/parquet/num_groups.parquet")
	f, err := openFile(t, path, format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t, src, colstore.Scan{}); !errors.Is(err, colstore.ErrTruncated) {
		t.Error(err)
	}
}

// Sizes that a file declares are checked before anything is allocated.
func TestLimits(t *testing.T) {
	small := format.Limits{Expand: 200, Page: 100}
	path := golden.Path(t, "foreign/parquet/num_groups.parquet")
	open := func(path string, limits format.Limits) error {
		f, err := parquetOpen(t, path, limits)
		if err != nil {
			return err
		}
		defer f.Close()
		src, err := f.Source(t.Context(), format.Projection{})
		if err != nil {
			return err
		}
		_, err = collect(t, src, colstore.Scan{})
		return err
	}
	if err := open(path, small); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), "limits.page") {
		t.Error(err)
	}
	footer := []byte("PAR1")
	footer = binary.LittleEndian.AppendUint32(footer, math.MaxUint32)
	bad := filepath.Join(t.TempDir(), "bad.parquet")
	if err := os.WriteFile(bad, append(footer, "PAR1"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := open(bad, small); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), "a footer of 4294967295 bytes in a file of 12") {
		t.Error(err)
	}
}

// Scans may run at the same time, inside one another, and be left early.
func TestConcurrentScans(t *testing.T) {
	f, err := openFile(t, golden.Path(t, "foreign/parquet/types_zstd_v2.parquet"), format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := collect(t, src, colstore.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for range src.Scan(t.Context(), colstore.Scan{BatchRows: 10}) {
				got, err := collect(t, src, colstore.Scan{BatchRows: 20 + i, Threads: 3})
				if err != nil || !equalTables(want, got) {
					t.Errorf("other values: %v", err)
				}
				break
			}
		})
	}
	wait.Wait()
}
