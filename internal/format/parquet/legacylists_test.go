package parquet_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/source/format"
)

// listPage returns a page of entries, one character each for the repetition and the definition level.
func listPage(repeats, defs string, defBits int, body ...byte) handPage {
	part := func(levels string, width int) []byte {
		v := make([]uint32, len(levels))
		for i, b := range levels {
			v[i] = uint32(b - '0')
		}
		raw := encoding.AppendHybrid(nil, v, width)
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(raw))), raw...)
	}
	head := append(part(repeats, 1), part(defs, defBits)...)
	return handPage{meta.Page{Type: meta.DataPage, Values: int32(len(defs)), Encoding: meta.Plain, Levels: meta.RLE}, append(head, body...)}
}

func group(name string, r meta.Repetition, children int, converted meta.Converted) meta.Element {
	return meta.Element{Name: name, Type: meta.NoType, Repetition: r, Children: int32(children), Converted: converted}
}

func repeated(name string, t meta.Type) meta.Element {
	e := element(name, t)
	e.Repetition = meta.Repeated
	return e
}

// listFile returns a file of one list of int32 in the given layout: its elements, the leaf last.
func listFile(tb testing.TB, rows int, layout []meta.Element, pages ...handPage) string {
	tb.Helper()
	entries := int64(0)
	for _, p := range pages {
		entries += int64(p.header.Values)
	}
	leaf := layout[len(layout)-1]
	return handmade(tb, func(f *meta.File) {
		f.Schema = append(f.Schema[:1:1], layout...)
	}, handColumn{element: leaf, rows: rows, pages: pages, change: func(c *meta.Chunk) { c.Values = entries }})
}

// rowsOf prints the columns of a file whose lists become columns.
func rowsOf(tb testing.TB, path string, j format.Jagged, rows int) (string, error) {
	tb.Helper()
	f, err := openJagged(tb, path, format.Nulls{Mode: format.NullFill}, j)
	if err != nil {
		return "", err
	}
	defer f.Close()
	src, err := f.Source(tb.Context(), format.Projection{})
	if err != nil {
		return "", err
	}
	columns := make([]string, src.Schema().Len())
	for i, x := range src.Schema().All() {
		columns[i] = x.Name + ":"
	}
	for b, err := range src.Scan(tb.Context(), colstore.Scan{BatchRows: rows}) {
		if err != nil {
			return "", err
		}
		for i := range columns {
			if b.At(i).Type() == colstore.Int64 {
				v, _ := colstore.CopyOf[int64](b.At(i))
				columns[i] += strings.Trim(fmt.Sprint(" ", v), "[]")
				columns[i] = strings.ReplaceAll(columns[i], "[", "")
				continue
			}
			v, err := colstore.CopyOf[int32](b.At(i))
			if err != nil {
				return "", err
			}
			columns[i] += strings.ReplaceAll(strings.Trim(fmt.Sprint(" ", v), "[]"), "[", "")
		}
	}
	return strings.Join(strings.Fields(strings.Join(columns, " ")), " "), nil
}

// Every layout of lists that the specification knows is one, and what only looks like one is refused.
func TestListLayouts(t *testing.T) {
	noConverted := meta.NoConverted
	list := func(name string, r meta.Repetition) meta.Element { return group(name, r, 1, meta.ConvertedList) }
	required := element("element", meta.Int32)
	required.Repetition = meta.Required
	optional := element("element", meta.Int32)
	tests := []struct {
		name   string
		layout []meta.Element
		page   handPage
		rows   int
		want   string
	}{
		{
			"three levels",
			[]meta.Element{list("x", meta.Optional), group("list", meta.Repeated, 1, noConverted), optional},
			listPage("000101", "013232", 2, ints32(7, 8)...), 4, "x_0: 0 0 7 8 x_1: 0 0 0 0 x_n: 0 0 2 2",
		},
		{
			"required values",
			[]meta.Element{list("x", meta.Optional), group("bag", meta.Repeated, 1, noConverted), required},
			listPage("00010", "01222", 2, ints32(7, 8, 9)...), 4, "x_0: 0 0 7 9 x_1: 0 0 8 0 x_n: 0 0 2 1",
		},
		{
			"a required list",
			[]meta.Element{list("x", meta.Required), group("list", meta.Repeated, 1, noConverted), optional},
			listPage("0001", "0212", 2, ints32(7, 8)...), 3, "x_0: 0 7 0 x_1: 0 0 8 x_n: 0 1 2",
		},
		{
			"two levels",
			[]meta.Element{list("x", meta.Optional), repeated("element", meta.Int32)},
			listPage("00010", "01222", 2, ints32(7, 8, 9)...), 4, "x_0: 0 0 7 9 x_1: 0 0 8 0 x_n: 0 0 2 1",
		},
		{
			"a repeated column",
			[]meta.Element{repeated("x", meta.Int32)},
			listPage("001100", "011111", 1, ints32(1, 2, 3, 4, 5)...), 4, "x_0: 0 1 4 5 x_1: 0 2 0 0 x_2: 0 3 0 0 x_n: 0 3 1 1",
		},
		{
			"a structure named array",
			[]meta.Element{list("x", meta.Optional), group("array", meta.Repeated, 1, noConverted), optional},
			listPage("0", "0", 2), 1, "nested values (list of lists or of structures)",
		},
		{
			"a structure named tuple",
			[]meta.Element{list("x", meta.Optional), group("x_tuple", meta.Repeated, 1, noConverted), optional},
			listPage("0", "0", 2), 1, "nested values (list of lists or of structures)",
		},
		{
			"a repeated group",
			[]meta.Element{group("x", meta.Repeated, 1, noConverted), optional},
			listPage("0", "0", 2), 1, "nested values (list of lists or of structures)",
		},
		{
			"a list of lists",
			[]meta.Element{list("x", meta.Optional), group("list", meta.Repeated, 1, noConverted), list("element", meta.Optional), repeated("array", meta.Int32)},
			listPage("0", "0", 2), 1, "nested values (list of lists or of structures)",
		},
		{
			"a list in a structure",
			[]meta.Element{group("s", meta.Optional, 1, noConverted), list("x", meta.Optional), group("list", meta.Repeated, 1, noConverted), optional},
			listPage("00001", "01243", 3, ints32(7)...), 4, "s.x_0: 0 0 0 7 s.x_1: 0 0 0 0 s.x_n: 0 0 0 2",
		},
	}
	for _, c := range tests {
		path := listFile(t, c.rows, c.layout, c.page)
		for _, rows := range []int{1, 3, 0} {
			got, err := rowsOf(t, path, format.Jagged{Mode: format.JaggedExplode}, rows)
			if err != nil {
				got = err.Error()
			}
			if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
				t.Errorf("%s, batches of %d: %s\nwant %s", c.name, rows, got, c.want)
				break
			}
		}
	}
}

// A row may go on in the next pages; levels that contradict themselves are refused.
func TestListPages(t *testing.T) {
	layout := []meta.Element{repeated("x", meta.Int32)}
	page := func(repeats, defs string, values ...int32) handPage {
		return listPage(repeats, defs, 1, ints32(values...)...)
	}
	tests := []struct {
		name  string
		rows  int
		pages []handPage
		want  string
	}{
		{"a row over three pages", 2, []handPage{page("01", "11", 1, 2), page("1", "1", 3), page("10", "11", 4, 5)}, "x_0: 1 5 x_1: 2 0 x_2: 3 0 x_3: 4 0 x_n: 4 1"},
		{"an empty page", 1, []handPage{page("0", "1", 1), page("", "")}, "x_0: 1 x_n: 1"},
		{"a beginning inside a row", 1, []handPage{page("11", "11", 1, 2)}, "begins inside a row"},
		{"too many rows", 1, []handPage{page("00", "11", 1, 2)}, "more rows than the row group"},
		{"too few rows", 3, []handPage{page("001", "111", 1, 2, 3)}, "1 rows fewer than the row group"},
		{"an empty list that goes on", 1, []handPage{page("01", "10", 1)}, "goes on without a value"},
		{"values that are missing", 1, []handPage{page("01", "11", 1)}, "ends inside its values"},
	}
	for _, c := range tests {
		path := listFile(t, c.rows, layout, c.pages...)
		got, err := rowsOf(t, path, format.Jagged{Mode: format.JaggedExplode}, 0)
		if err != nil {
			got = err.Error()
			if !errors.Is(err, colstore.ErrFormat) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
	// What is cut off is passed over, also where it is in other pages.
	path := listFile(t, 2, layout, page("0111", "1111", 1, 2, 3, 4), page("11", "11", 5, 6), page("0", "1", 7))
	if got, err := rowsOf(t, path, format.Jagged{Mode: format.JaggedPad, Width: 2}, 1); err != nil || got != "x_0: 1 7 x_1: 2 0 x_n: 6 1" {
		t.Errorf("padded: %s %v", got, err)
	}
}
