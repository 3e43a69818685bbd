package parquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// A witness is a skipper that writes down the bounds of a column and skips the groups it is told to.
type witness struct {
	column string
	seen   []string
	rows   []colstore.Range
	skip   map[int64]bool // by first row
}

func (w *witness) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	w.rows = append(w.rows, rows)
	b, ok := bounds(w.column)
	if !ok {
		w.seen = append(w.seen, "unknown")
	} else {
		text := fmt.Sprintf("%s %x to %x", b.Lo.Type(), b.Lo.At(0), b.Hi.At(0))
		if b.NaN {
			text += " or NaN"
		}
		w.seen = append(w.seen, text)
	}
	return w.skip[rows.Begin]
}

func f64(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }

// What the statistics of a row group tell of a column, by who wrote them.
func TestBoundsOfGroups(t *testing.T) {
	unsigned := logical(element("c", meta.Int32), meta.Logical{Kind: meta.KindInteger, Bits: 32})
	small := logical(element("c", meta.Int32), meta.Logical{Kind: meta.KindInteger, Bits: 8, Signed: true})
	date := logical(element("c", meta.Int32), meta.Logical{Kind: meta.KindDate})
	interval := element("c", meta.FixedLenByteArray)
	interval.Length, interval.Converted = 4, meta.ConvertedInterval
	bounds := func(lo, hi []byte, nulls int64) meta.Statistics {
		return meta.Statistics{Min: lo, Max: hi, Nulls: nulls}
	}
	fill := format.Nulls{Mode: format.NullFill}
	two := []handPage{plainPage("11", ints32(3, 5)...)}
	tests := []struct {
		name    string
		element meta.Element
		pages   []handPage
		stats   meta.Statistics
		nulls   format.Nulls
		want    string
	}{
		{"integers", element("c", meta.Int32), two, bounds(ints32(3), ints32(5), 0), fill, "<i4 03000000 to 05000000"},
		{"no bounds", element("c", meta.Int32), two, meta.Statistics{Nulls: 0}, fill, "unknown"},
		{"one bound", element("c", meta.Int32), two, bounds(ints32(3), nil, 0), fill, "unknown"},
		{"bounds of another width", element("c", meta.Int32), two, bounds([]byte{3}, []byte{5}, 0), fill, "unknown"},
		{"nulls that become 0", element("c", meta.Int32), []handPage{plainPage("101", ints32(3, 5)...)}, bounds(ints32(3), ints32(5), 1), fill, "unknown"},
		{"nulls that are not counted", element("c", meta.Int32), two, bounds(ints32(3), ints32(5), -1), fill, "unknown"},
		{"deprecated bounds, signed", element("c", meta.Int32), two, meta.Statistics{OldMin: ints32(3), OldMax: ints32(5)}, fill, "<i4 03000000 to 05000000"},
		{"deprecated bounds, unsigned", unsigned, two, meta.Statistics{OldMin: ints32(3), OldMax: ints32(5)}, fill, "unknown"},
		{"unsigned", unsigned, two, bounds(ints32(3), ints32(-1), 0), fill, "<u4 03000000 to ffffffff"},
		{"narrow", small, two, bounds(ints32(3), ints32(5), 0), fill, "|i1 03 to 05"},
		{"narrow, beyond the type", small, two, bounds(ints32(3), ints32(500), 0), fill, "unknown"},
		{"dates with nulls", date, []handPage{plainPage("101", ints32(3, 5)...)}, bounds(ints32(3), ints32(5), 1), fill, "<M8[D] 0300000000000000 to 0500000000000000 or NaN"},
		{"dates whose nulls get a value", date, []handPage{plainPage("101", ints32(3, 5)...)}, bounds(ints32(3), ints32(5), 1), format.Nulls{Values: map[string]string{"c": "2000-01-01"}}, "unknown"},
		{"floats", element("c", meta.Double), []handPage{plainPage("1", f64(2)...)}, bounds(f64(2), f64(2), 0), fill, "<f8 0000000000000040 to 0000000000000040 or NaN"},
		{"deprecated bounds of floats", element("c", meta.Double), []handPage{plainPage("1", f64(2)...)}, meta.Statistics{OldMin: f64(2), OldMax: f64(2)}, fill, "unknown"},
		{"text", textType, []handPage{plainPage("11", texts("ab", "é")...)}, bounds([]byte("ab"), []byte("é"), 0), fill, "<U2 6100000062000000 to e900000000000000"},
		{"text that was cut and raised", textType, []handPage{plainPage("11", texts("ab", "b")...)}, bounds([]byte("a"), []byte("czzz"), 0), fill, "<U2 6100000000000000 to 630000007a000000"},
		{"text cut inside a character", textType, []handPage{plainPage("11", texts("ab", "é")...)}, bounds([]byte("ab"), []byte("\xc3"), 0), fill, "unknown"},
		{"deprecated bounds of text", textType, []handPage{plainPage("11", texts("ab", "é")...)}, meta.Statistics{OldMin: []byte("ab"), OldMax: []byte("é")}, fill, "unknown"},
		{"bytes", element("c", meta.ByteArray), []handPage{plainPage("11", texts("ab", "\xff")...)}, bounds([]byte("ab"), []byte("\xff"), 0), fill, "|S2 6162 to ff00"},
		{"bools", element("c", meta.Boolean), []handPage{plainPage("11", 3)}, bounds([]byte{1}, []byte{1}, 0), fill, "|b1 01 to 01"},
		{"intervals", interval, []handPage{plainPage("1", []byte("abcd")...)}, bounds([]byte("abcd"), []byte("abcd"), 0), fill, "unknown"},
		{"INT96", element("c", meta.Int96), []handPage{plainPage("1", int96(0, 0)...)}, bounds(int96(0, 0), int96(0, 0), 0), fill, "unknown"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows := int(test.pages[0].header.Values)
			path := handmade(t, nil, handColumn{element: test.element, rows: rows, pages: test.pages, change: func(c *meta.Chunk) { c.Statistics = test.stats }})
			w := &witness{column: "c"}
			if _, err := readTable(t, path, test.nulls, format.Projection{}, colstore.Scan{Skip: w}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.want}, w.seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Groups that are left out are not read, whatever the batches, and the rows of the others keep their numbers.
func TestGroupsAreLeftOut(t *testing.T) {
	path := golden.Path(t, "foreign/parquet/num_groups.parquet")
	all, err := readTable(t, path, format.Nulls{}, format.Projection{}, colstore.Scan{})
	if err != nil {
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
	defer src.Close()
	groups := &witness{}
	for b, err := range src.Scan(t.Context(), colstore.Scan{Skip: groups}) {
		if err != nil {
			t.Fatal(err)
		}
		_ = b
	}
	if diff := cmp.Diff([]colstore.Range{{Begin: 0, End: 500}, {Begin: 500, End: 1000}, {Begin: 1000, End: 1200}}, groups.rows); diff != "" {
		t.Fatal(diff)
	}
	for _, batch := range []int{0, 1, 7, 1 << 20} {
		for _, skip := range []map[int64]bool{{0: true}, {500: true}, {1000: true}, {0: true, 1000: true}, {0: true, 500: true, 1000: true}} {
			next := int64(0)
			pass := func() {
				for _, g := range groups.rows {
					if skip[g.Begin] && g.Begin == next {
						next = g.End
					}
				}
			}
			for b, err := range src.Scan(t.Context(), colstore.Scan{Skip: &witness{skip: skip}, BatchRows: batch, Threads: 2}) {
				if err != nil {
					t.Fatal(err)
				}
				pass()
				if b.Begin() != next {
					t.Fatalf("batches of %d without %v: a batch at %d instead of %d", batch, skip, b.Begin(), next)
				}
				next += int64(b.Rows())
				for i := range b.Schema().Len() {
					got, _ := b.At(i).Bytes()
					want, _ := all.At(i).Slice(int(b.Begin()), int(next), 1).Copy().Bytes()
					if !bytes.Equal(got, want) {
						t.Fatalf("batches of %d without %v: column %d differs from row %d on", batch, skip, i, b.Begin())
					}
				}
			}
			pass()
			if next != 1200 {
				t.Fatalf("batches of %d without %v: the last row is %d", batch, skip, next)
			}
		}
	}
}

// A null that is an error is one whether or not other columns say that its group is not wanted.
func TestNullsAreNotLeftOut(t *testing.T) {
	path := handmade(t, nil,
		handColumn{element: element("a", meta.Int32), rows: 2, pages: []handPage{plainPage("11", ints32(1, 2)...)}, change: func(c *meta.Chunk) { c.Statistics.Nulls = 0 }},
		handColumn{element: element("b", meta.Int32), rows: 2, pages: []handPage{plainPage("10", ints32(1)...)}},
	)
	skip := &witness{skip: map[int64]bool{0: true}}
	if _, err := readTable(t, path, format.Nulls{}, format.Projection{}, colstore.Scan{Skip: skip}); !errors.Is(err, colstore.ErrNull) {
		t.Errorf("both columns: %v", err)
	}
	b, err := readTable(t, path, format.Nulls{}, format.Projection{Columns: []string{"a"}}, colstore.Scan{Skip: skip})
	if err != nil || b.Rows() != 0 {
		t.Errorf("the one without nulls: %v", err)
	}
}
