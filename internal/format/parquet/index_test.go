package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/source/format"
)

// writeTable writes a table with options and returns the file's path.
func writeTable(t *testing.T, b *colstore.Batch, options map[string]any) string {
	t.Helper()
	o, err := format.CheckOptions("", Descriptor.Write.Options, options)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	w, err := create(t.Context(), &format.CreateRequest{Path: path, Schema: b.Schema(), Options: o})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// readFooter returns the open file.
func openWritten(t *testing.T, path string) *file {
	t.Helper()
	opened, err := open(t.Context(), &format.OpenRequest{Path: path, Nulls: format.Nulls{Mode: format.NullFill}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened.(*file)
}

// indexOf writes one column, in pages of two rows, and returns its page index.
func indexOf(t *testing.T, dt colstore.DType, data []byte) *pageIndex {
	t.Helper()
	c, err := colstore.NewColumn(dt, len(data)/dt.Size(), data)
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "c", Type: dt}), c)
	if err != nil {
		t.Fatal(err)
	}
	f := openWritten(t, writeTable(t, b, map[string]any{"page": "2"}))
	g := f.groups[0]
	w := new(workspace)
	if places := f.offsetIndex(&g.Columns[0], g.Rows, w); len(places) == 0 {
		t.Error("no offset index")
	}
	return f.pageIndex(&g.Columns[0], g.Rows, w)
}

// The bounds of pages that are written.
func TestWrittenIndex(t *testing.T) {
	nan := math.NaN()
	long := bytes.Repeat([]byte("a"), 70)
	texts := func(width int, v ...string) (out []byte) {
		for _, s := range v {
			cell := colstore.AppendText(nil, s)
			out = append(append(out, cell...), make([]byte, 4*width-len(cell))...)
		}
		return out
	}
	ticks := func(v ...int64) (out []byte) {
		for _, x := range v {
			out = binary.LittleEndian.AppendUint64(out, uint64(x))
		}
		return out
	}
	tests := []struct {
		name  string
		typ   colstore.DType
		data  []byte
		pages []string
		order meta.Order
	}{
		{"integers", colstore.Int8, []byte{1, 2, 0xff, 3, 5, 5}, []string{"01000000 02000000", "ffffffff 03000000", "05000000 05000000"}, meta.Unordered},
		{"rising", colstore.Int8, []byte{0xff, 2, 1, 2, 5, 5}, []string{"ffffffff 02000000", "01000000 02000000", "05000000 05000000"}, meta.Ascending},
		{"falling", colstore.Uint8, []byte{0xff, 2, 1, 1}, []string{"02000000 ff000000", "01000000 01000000"}, meta.Descending},
		{"zeros and NaN", colstore.Float64, floats64(0, nan, nan, nan, math.Copysign(0, -1), 1), []string{
			"0000000000000080 0000000000000000", "000000000000f0ff 000000000000f07f", "0000000000000080 000000000000f03f",
		}, meta.Unordered},
		{"half floats", colstore.Float16, []byte{0, 0x3c, 0, 0x7e, 0, 0x7e, 0, 0x7e}, []string{"003c 003c", "00fc 007c"}, meta.Unordered},
		{"text that is cut", colstore.TextOf(70), texts(70, string(long), "", "b", "é"), []string{
			fmt.Sprintf(" %x62", long[:63]), "62 c3a9",
		}, meta.Ascending},
		{"text without an upper bound", colstore.TextOf(70), texts(70, string(bytes.Repeat([]byte("\U0010ffff"), 70)), "a"), nil, 0},
		{"bytes", colstore.BytesOf(2), []byte("b\x00\xff\x01a\x00a\x00"), []string{"6200 ff01", "6100 6100"}, meta.Descending},
		{"long bytes", colstore.BytesOf(70), long, nil, 0},
		{"bools", colstore.Bool, []byte{0, 0, 2, 0}, []string{"00 00", "00 01"}, meta.Ascending},
		{"times", colstore.DatetimeOf(colstore.Nanosecond), ticks(slices.Concat([]int64{1}, slices.Repeat([]int64{colstore.NaT}, 127), []int64{7, 2})...), []string{
			"0100000000000000 0100000000000000 with 63 nulls", "64 nulls", "0200000000000000 0700000000000000",
		}, meta.Ascending},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := indexOf(t, test.typ, test.data)
			if x == nil || test.pages == nil {
				if x != nil || test.pages != nil {
					t.Fatalf("index %+v", x)
				}
				return
			}
			var got []string
			for i := range x.places {
				text := fmt.Sprintf("%x %x", x.bounds.Min[i], x.bounds.Max[i])
				switch n := x.bounds.Nulls[i]; {
				case x.bounds.AllNull[i]:
					text = fmt.Sprintf("%d nulls", n)
				case n > 0:
					text += fmt.Sprintf(" with %d nulls", n)
				}
				got = append(got, text)
			}
			if d := cmp.Diff(test.pages, got); d != "" {
				t.Error(d)
			}
			if x.bounds.Order != test.order {
				t.Errorf("order %d", x.bounds.Order)
			}
		})
	}
}

// A zone is a skipper that leaves out what lies within some rows, and asks about a column.
type zone struct {
	column string
	out    []colstore.Range
}

func (z zone) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	bounds(z.column)
	return slices.ContainsFunc(z.out, func(r colstore.Range) bool { return r.Begin <= rows.Begin && rows.End <= r.End })
}

// manyPages returns a table whose columns have pages of different rows, dictionaries, text and nulls.
func manyPages(t *testing.T, rows int) *colstore.Batch {
	t.Helper()
	id, few, when, name := make([]int64, rows), make([]float32, rows), make([]int64, rows), []byte(nil)
	for i := range rows {
		id[i], few[i], when[i] = int64(i*i%1000), float32(i%7), int64(i)
		if i%5 == 0 {
			when[i] = colstore.NaT
		}
		name = append(name, fmt.Sprintf("%06x", i*7919)[:6]...)
	}
	names, err := colstore.NewColumn(colstore.BytesOf(6), rows, name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(
		colstore.Field{Name: "id", Type: colstore.Int64}, colstore.Field{Name: "few", Type: colstore.Float32},
		colstore.Field{Name: "when", Type: colstore.DatetimeOf(colstore.Second)}, colstore.Field{Name: "name", Type: names.Type()},
	), colstore.Wrap(id), colstore.Wrap(few), colstore.Wrap(when).As(colstore.DatetimeOf(colstore.Second)), names)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// scanned checks that a scan yields rows with the values of the table, those wanted among them, and returns the others.
func scanned(t *testing.T, path string, table *colstore.Batch, skip zone, batch int) (extra int, err error) {
	t.Helper()
	opened, err := open(t.Context(), &format.OpenRequest{Path: path, Nulls: format.Nulls{Mode: format.NullFill}})
	if err != nil {
		return 0, err
	}
	defer opened.Close()
	src, err := opened.Source(t.Context(), format.Projection{})
	if err != nil {
		return 0, err
	}
	seen := make([]bool, table.Rows())
	for b, err := range src.Scan(t.Context(), colstore.Scan{Skip: skip, BatchRows: batch}) {
		if err != nil {
			return 0, err
		}
		for i := range b.Schema().Len() {
			got, _ := b.At(i).Bytes()
			want, _ := table.At(i).Slice(int(b.Begin()), int(b.Begin())+b.Rows(), 1).Copy().Bytes()
			if !bytes.Equal(got, want) {
				t.Fatalf("column %d differs from row %d on", i, b.Begin())
			}
		}
		for r := range b.Rows() {
			seen[int(b.Begin())+r] = true
		}
	}
	for r, seen := range seen {
		out := slices.ContainsFunc(skip.out, func(z colstore.Range) bool { return z.Begin <= int64(r) && int64(r) < z.End })
		switch {
		case !seen && !out:
			t.Fatalf("row %d is missing", r)
		case seen && out:
			extra++
		}
	}
	return extra, nil
}

// Pages that are left out change no value of the others, whatever the pages and batches.
func TestPagesAreLeftOut(t *testing.T) {
	table := manyPages(t, 1500)
	zones := []colstore.Range{{Begin: 3, End: 4}, {Begin: 90, End: 500}, {Begin: 501, End: 502}, {Begin: 690, End: 1000}, {Begin: 1100, End: 1500}}
	for _, page := range []string{"1", "64", "100", "40 B", "800 B", "4 KiB", "0"} {
		for _, compression := range []string{"none", "snappy"} {
			path := writeTable(t, table, map[string]any{"page": page, "row_group": "700", "compression": compression})
			for _, column := range table.Schema().Names() {
				for _, batch := range []int{1, 50, 1 << 20} {
					extra, err := scanned(t, path, table, zone{column, zones}, batch)
					if err != nil {
						t.Fatal(err)
					}
					if page == "1" && column == "id" && extra != 0 {
						t.Errorf("pages of %s, %q in batches of %d: %d rows that were not wanted", page, column, batch, extra)
					}
				}
			}
		}
	}
}

// An index that contradicts itself or the pages costs only time: no error, no wrong value, no missing row.
func TestWrongIndexIsNotTrusted(t *testing.T) {
	table := manyPages(t, 300)
	path := writeTable(t, table, map[string]any{"page": "160 B", "compression": "none"})
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := openWritten(t, path)
	begin := f.groups[0].Columns[0].Bounds.Offset
	skip := zone{"id", []colstore.Range{{Begin: 30, End: 130}, {Begin: 170, End: 290}}}
	if extra, err := scanned(t, path, table, skip, 64); err != nil || extra > 100 {
		t.Fatalf("%d rows that were not wanted, %v", extra, err)
	}
	damaged := filepath.Join(t.TempDir(), "x.parquet")
	for at := begin; at < f.end; at++ {
		for _, change := range []byte{1, 2, 0x40, 0xff} {
			wrong := slices.Clone(raw)
			wrong[at] ^= change
			if err := os.WriteFile(damaged, wrong, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := scanned(t, damaged, table, skip, 64); err != nil {
				t.Fatalf("byte %d of the index ^ %d: %v", at-begin, change, err)
			}
		}
	}
}

// A place of the index that is beyond the file, or of a size that cannot be, is not looked at.
func TestIndexOutOfPlace(t *testing.T) {
	table := manyPages(t, 300)
	path := writeTable(t, table, map[string]any{"page": "10"})
	f := openWritten(t, path)
	g := f.groups[0]
	c := g.Columns[0]
	w := new(workspace)
	if f.pageIndex(&c, g.Rows, w) == nil {
		t.Fatal("no index to begin with")
	}
	for _, change := range []func(c *meta.Chunk){
		func(c *meta.Chunk) { c.Bounds.Length = 0 },
		func(c *meta.Chunk) { c.Bounds.Length = -1 },
		func(c *meta.Chunk) { c.Bounds.Length = maxIndex + 1 },
		func(c *meta.Chunk) { c.Bounds.Offset = f.end - 1 },
		func(c *meta.Chunk) { c.Bounds.Offset = math.MaxInt64 },
		func(c *meta.Chunk) { c.Bounds.Offset = -5 },
		func(c *meta.Chunk) { c.Places.Offset = math.MinInt64 },
		func(c *meta.Chunk) { c.Places = c.Bounds },
		func(c *meta.Chunk) { c.Bounds = c.Places },
		func(c *meta.Chunk) { c.Statistics.Nulls = 1 },
		func(c *meta.Chunk) { c.Values++ },
		func(c *meta.Chunk) { c.Data += 4 },
	} {
		c := c
		if change(&c); f.pageIndex(&c, g.Rows, w) != nil {
			t.Errorf("%+v has an index", c)
		}
	}
	if f.pageIndex(&c, g.Rows+1, w) != nil || f.pageIndex(&c, g.Rows-50, w) != nil {
		t.Error("of another number of rows")
	}
}

// A listener is a skipper that keeps everything and writes down what it is told of a column.
type listener struct {
	column string
	heard  []string
}

func (l *listener) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	text := fmt.Sprintf("%d to %d: ", rows.Begin, rows.End)
	if b, ok := bounds(l.column); ok {
		text += fmt.Sprintf("%x to %x", b.Lo.At(0), b.Hi.At(0))
		if b.NaN {
			text += " or NaN"
		}
	} else {
		text += "unknown"
	}
	l.heard = append(l.heard, text)
	return false
}

// What is told of pages of which some have nulls, or nothing else.
func TestBoundsOfPagesWithNulls(t *testing.T) {
	days := slices.Concat(slices.Repeat([]int64{3, 5}, 32), slices.Repeat([]int64{colstore.NaT}, 64), []int64{4, colstore.NaT})
	table, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "c", Type: colstore.DatetimeOf(colstore.Day)}), colstore.Wrap(days).As(colstore.DatetimeOf(colstore.Day)))
	if err != nil {
		t.Fatal(err)
	}
	path := writeTable(t, table, map[string]any{"page": "1"})
	day := func(n byte) string { return fmt.Sprintf("%02x00000000000000", n) }
	tests := []struct {
		name   string
		nulls  format.Nulls
		column string
		want   []string
	}{
		{"fill", format.Nulls{Mode: format.NullFill}, "c", []string{
			"0 to 130: " + day(3) + " to " + day(5) + " or NaN", "0 to 64: " + day(3) + " to " + day(5),
			"64 to 128: " + day(0) + " to " + day(0) + " or NaN", "128 to 130: " + day(4) + " to " + day(4) + " or NaN",
		}},
		{"a value", format.Nulls{Values: map[string]string{"c": "1970-01-08"}}, "c", []string{
			"0 to 130: unknown", "0 to 64: " + day(3) + " to " + day(5), "64 to 128: " + day(7) + " to " + day(7), "128 to 130: unknown",
		}},
		{"mask", format.Nulls{Mode: format.NullMask}, "c" + format.MaskSuffix, []string{
			"0 to 130: unknown", "0 to 64: 01 to 01", "64 to 128: 00 to 00", "128 to 130: unknown",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opened, err := open(t.Context(), &format.OpenRequest{Path: path, Nulls: test.nulls})
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			src, err := opened.Source(t.Context(), format.Projection{})
			if err != nil {
				t.Fatal(err)
			}
			l := &listener{column: test.column}
			for _, err := range src.Scan(t.Context(), colstore.Scan{Skip: l}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(test.want, l.heard); d != "" {
				t.Error(d)
			}
		})
	}
}

// What a scan leaves out is counted, also by one that reads nothing.
func TestSkippedIsCounted(t *testing.T) {
	path := writeTable(t, manyPages(t, 300), map[string]any{"page": "10", "row_group": "100"})
	src, err := openWritten(t, path).Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	skip := zone{"id", []colstore.Range{{Begin: 0, End: 100}, {Begin: 115, End: 140}}}
	for _, dry := range []bool{false, true} {
		var counted colstore.Skipped
		rows := 0
		for b, err := range src.Scan(t.Context(), colstore.Scan{Skip: skip, Skipped: &counted, Dry: dry, Rows: colstore.Range{Begin: 50, End: 290}}) {
			if err != nil {
				t.Fatal(err)
			}
			rows += b.Rows()
		}
		want := colstore.SkipCounts{Groups: 0, AllGroups: 2, Pages: 2, AllPages: 19, Rows: 70, AllRows: 240}
		if d := cmp.Diff(want, counted.Counts()); d != "" || rows != map[bool]int{false: 170, true: 0}[dry] {
			t.Errorf("%d rows, %s", rows, d)
		}
		if got := counted.Counts().String(); got != "0 of 2 groups of rows, 2 of 19 pages in the others, 70 of 240 rows" {
			t.Error(got)
		}
	}
}
