package meta_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// footer has every field that is written.
func footer() *meta.File {
	f := &meta.File{
		Version: 2, Rows: 30, CreatedBy: "a test", TypeOrder: []bool{true, true, true}, KeyValues: []meta.KeyValue{{Key: "k", Value: "v"}, {Key: "", Value: ""}},
		Schema: []meta.Element{{Name: "schema", Type: meta.NoType, Converted: meta.NoConverted, Children: 3}},
	}
	logicals := []meta.Logical{{Kind: meta.KindInteger, Bits: 16, Signed: true}, {Kind: meta.KindTimestamp, UTC: true, Unit: meta.Nanos}, {}}
	for i, l := range logicals {
		f.Schema = append(f.Schema, meta.Element{
			Name: string(rune('a' + i)), Type: meta.FixedLenByteArray, Length: 7, Repetition: meta.Optional,
			Converted: meta.ConvertedUTF8, Logical: l,
		})
	}
	at := int64(5)
	for range 20 {
		g := meta.Group{Rows: 2, Bytes: 5, Compressed: 9}
		for range logicals {
			g.Columns = append(g.Columns, meta.Chunk{
				Type: meta.FixedLenByteArray, Codec: meta.Zstd, Encodings: meta.Encodings(0).With(meta.RLE).With(meta.Plain),
				Values: 2, Bytes: 1 << 40, Compressed: 3, Data: at, Dictionary: at - 1,
				Statistics: meta.Statistics{Min: []byte{1}, Max: []byte{}, Nulls: 1, MinExact: true}, Pages: meta.Encodings(0).With(meta.Plain), KnownPages: true,
				Bounds: meta.Region{Offset: 1 << 33, Length: 7}, Places: meta.Region{Offset: 99, Length: 1 << 20},
			})
			at += 3
		}
		f.Groups = append(f.Groups, g)
	}
	return f
}

// withCounts adds what is only for writing.
func withCounts(f *meta.File) *meta.File {
	for _, g := range f.Groups {
		for i := range g.Columns {
			g.Columns[i].Path = []string{"a", "b"}
			g.Columns[i].PageCounts = []meta.PageCount{{Type: meta.DataPage, Encoding: meta.Plain, Count: 1}, {Type: meta.DictionaryPage, Encoding: meta.RLE, Count: 1}}
		}
	}
	return f
}

func TestFooterRoundTrip(t *testing.T) {
	got, err := meta.ParseFile(withCounts(footer()).Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(footer(), got); d != "" {
		t.Error(d)
	}
}

func TestPageRoundTrip(t *testing.T) {
	pages := []meta.Page{
		{Type: meta.DataPage, Size: 1 << 30, Compressed: 7, CRC: 0xdeadbeef, HasCRC: true, Values: 9, Encoding: meta.DeltaBinaryPacked, Levels: meta.RLE, Repeats: meta.RLE},
		{Type: meta.DictionaryPage, Size: 1, Values: 3},
	}
	for _, p := range pages {
		raw := p.Append(nil)
		for n := range raw {
			if _, _, short, err := meta.ParsePage(raw[:n]); err == nil || !short {
				t.Errorf("%d of %d bytes: short %v, %v", n, len(raw), short, err)
			}
		}
		got, size, short, err := meta.ParsePage(append(raw, 1, 2, 3))
		if err != nil || short || size != len(raw) {
			t.Fatalf("size %d of %d, short %v, %v", size, len(raw), short, err)
		}
		if d := cmp.Diff(p, got); d != "" {
			t.Error(d)
		}
	}
}

// Footers that contradict themselves are refused.
func TestCheck(t *testing.T) {
	tests := []struct {
		name   string
		change func(f *meta.File)
		text   string
	}{
		{"rows", func(f *meta.File) { f.Rows++ }, "the row groups have 40 rows, the file says 31"},
		{"negative rows", func(f *meta.File) { f.Groups[1].Rows = -1 }, "row group 1 has -1 rows"},
		{"columns", func(f *meta.File) { f.Groups[3].Columns = f.Groups[3].Columns[1:] }, "row group 3 has 2 columns, the schema 3"},
		{"type", func(f *meta.File) { f.Groups[0].Columns[1].Type = meta.Double }, `row group 0: column "b" is DOUBLE, the schema says FIXED_LEN_BYTE_ARRAY`},
		{"size", func(f *meta.File) { f.Groups[0].Columns[1].Compressed = -1 }, `column "b" has a negative size`},
		{"place", func(f *meta.File) { f.Groups[0].Columns[2].Compressed = 1 << 40 }, `column "c" lies outside the file`},
		{"before the file", func(f *meta.File) { f.Groups[0].Columns[2].Data = -9 }, `column "c" lies outside the file`},
		{"children", func(f *meta.File) { f.Schema[0].Children = 9 }, "the tree of the schema does not hold together"},
		{"negative children", func(f *meta.File) { f.Schema[0].Children = -1 }, "the tree of the schema does not hold together"},
		{"too few children", func(f *meta.File) { f.Schema[0].Children = 2 }, "outside its tree"},
		{"no schema", func(f *meta.File) { f.Schema = nil }, "the schema is empty"},
	}
	for _, c := range tests {
		f := footer()
		f.Rows = 40
		if err := f.Check(1 << 20); err != nil {
			t.Fatal(err)
		}
		if c.name == "rows" {
			f.Rows = 30
		}
		c.change(f)
		if err := f.Check(1 << 20); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Metadata cannot make the parser allocate or recurse beyond them.
func TestBombs(t *testing.T) {
	bombs := map[string][]byte{
		"a list of two billion":       {0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07},
		"a string of two billion":     {0x68, 0xff, 0xff, 0xff, 0xff, 0x07},
		"structures, nested":          slices.Repeat([]byte{0xfc}, 1<<20),
		"lists, nested":               append([]byte{0xf9}, slices.Repeat([]byte{0x19}, 1<<20)...),
		"lists of maps, nested":       append([]byte{0xf9}, slices.Repeat([]byte{0x1b, 0x01, 0xbb}, 1<<18)...),
		"empty elements":              append([]byte{0x29, 0xfc, 0x80, 0x80, 0x40}, make([]byte, 1<<20)...),
		"a map of two billion":        {0xfb, 0xff, 0xff, 0xff, 0xff, 0x07, 0x11},
		"a number of too many bits":   slices.Repeat([]byte{0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 3),
		"a field of an unknown type":  {0xff, 0x0f},
		"an integer beyond its bits":  {0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		"a physical type of no name":  {0x29, 0x1c, 0x15, 0x40, 0x48, 0x01, 'a', 0, 0},
		"a footer without row groups": {0x15, 0x04, 0x00},
	}
	for name, raw := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := meta.ParseFile(raw); !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, _, err := meta.ParsePage(raw); !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("%s: page: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d KiB allocated", name, n>>10)
		}
	}
}

// The parts of a page index come back, and those of another number of pages are refused.
func TestIndexRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 2, 14, 15, 300} {
		bounds, places := &meta.ColumnIndex{Order: meta.Descending}, meta.OffsetIndex(nil)
		for i := range n {
			bounds.AllNull = append(bounds.AllNull, i%3 == 1)
			bounds.Min, bounds.Max = append(bounds.Min, make([]byte, i)), append(bounds.Max, []byte{byte(i)})
			bounds.Nulls = append(bounds.Nulls, int64(i)<<30)
			places = append(places, meta.PageLocation{Offset: int64(i) << 40, Size: int32(i + 1), FirstRow: int64(i)})
		}
		got, err := meta.ParseColumnIndex(bounds.Append(nil), n)
		if n > 0 {
			if d := cmp.Diff(bounds, got); err != nil || d != "" {
				t.Error(err, d)
			}
		}
		if got, err := meta.ParseOffsetIndex(places.Append(nil)); err != nil || cmp.Diff(places, got) != "" {
			t.Error(err, cmp.Diff(places, got))
		}
		for _, other := range []int{n - 1, n + 1} {
			if _, err := meta.ParseColumnIndex(bounds.Append(nil), other); !errors.Is(err, colstore.ErrFormat) {
				t.Errorf("%d pages for %d: %v", n, other, err)
			}
		}
		for cut := range min(100, len(bounds.Append(nil))) {
			if _, err := meta.ParseColumnIndex(bounds.Append(nil)[:cut], n); !errors.Is(err, colstore.ErrFormat) {
				t.Errorf("%d of its bytes: %v", cut, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(withCounts(footer()).Append(nil))
	f.Add((&meta.Page{Type: meta.DataPage, HasCRC: true}).Append(nil))
	f.Add(meta.OffsetIndex{{Offset: 4, Size: 5}, {Offset: 9, Size: 5, FirstRow: 6}}.Append(nil))
	f.Add((&meta.ColumnIndex{AllNull: make([]bool, 3), Min: make([][]byte, 3), Max: make([][]byte, 3), Nulls: make([]int64, 3)}).Append(nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		meta.ParsePage(raw)
		if places, err := meta.ParseOffsetIndex(raw); err == nil {
			places.Check(&meta.Chunk{Compressed: 1 << 20}, 1<<20)
			places.Page(0)
		}
		meta.ParseColumnIndex(raw, 3)
		if file, err := meta.ParseFile(raw); err == nil {
			file.Check(1 << 20)
		}
	})
}
