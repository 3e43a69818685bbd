package root_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// streamed returns a string as ROOT writes it.
func streamed(s string) []byte {
	if len(s) < 255 {
		return append([]byte{byte(len(s))}, s...)
	}
	return slices.Concat([]byte{255}, be(4, int64(len(s))), []byte(s))
}

// stringFile returns a file of one column of strings in baskets of the given numbers of rows.
func stringFile(values []string, baskets []int, offsets bool) *madeFile {
	b := &madeBranch{class: "TBranch", name: "s", offsetBytes: 1000, leaves: []*madeLeaf{{class: "TLeafC", name: "s", len: 1, size: 1}}}
	at := 0
	for _, n := range baskets {
		k := &madeBasket{rows: int32(n), codec: "zlib"}
		for _, s := range values[at : at+n] {
			if offsets {
				k.offsets = append(k.offsets, int32(len(k.values)))
			}
			k.values = append(k.values, streamed(s)...)
		}
		b.baskets = append(b.baskets, k)
		at += n
	}
	return &madeFile{magic: "root", trees: []*madeTree{{
		class: "TTree", name: "t", cycle: 1, version: 20, entries: int64(len(values)), branches: []*madeBranch{b},
	}}}
}

// texts returns a column of text as strings.
func texts(c colstore.Column) []string {
	out := make([]string, c.Rows())
	width := c.Type().Width()
	data, _ := c.Bytes()
	for i := range out {
		var points []rune
		for k := range width {
			var p rune
			for _, b := range native(data[4*(i*width+k):][:4], 4) {
				p = p<<8 | rune(b)
			}
			points = append(points, p)
		}
		out[i] = strings.TrimRight(string(points), "\x00")
	}
	return out
}

func TestStringsOfFixtures(t *testing.T) {
	for path, want := range map[string][]string{
		golden.Path(t, "foreign/root/strings.root"): {"one", "two", "three"},
		"testdata/leaves.root":                      {"str-0", "str-1", "str-2", "str-3", "str-4", "str-5", "str-6", "str-7", "str-8", "str-9"},
	} {
		name := "s"
		if strings.Contains(path, "leaves") {
			name = "Str"
		}
		got, _, err := readTable(path, reading{columns: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(texts(got.At(0)), want) {
			t.Errorf("%q, want %q", texts(got.At(0)), want)
		}
		if all, _, err := readTable(path, reading{}); err != nil || slices.Contains(all.Schema().Names(), name) {
			t.Errorf("strings are read though nobody named them: %v", err)
		}
		if _, _, err := readTable(path, reading{jagged: "error"}); !errors.Is(err, colstore.ErrType) {
			t.Errorf("strings are no error: %v", err)
		}
		if _, _, err := readTable(path, reading{jagged: "error", columns: []string{name}}); !errors.Is(err, colstore.ErrType) {
			t.Errorf("strings that are named are no error: %v", err)
		}
	}
}

// Strings of any length come back, whatever the baskets and the batches.
func TestStrings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strings.root")
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.OneOf(rapid.StringMatching(`[a-z]{0,5}`), rapid.StringMatching(`[aé日😀]{0,9}`), rapid.StringMatching(`x{250,260}`))
		values := rapid.SliceOfN(value, 1, 30).Draw(rt, "values")
		var baskets []int
		for left := len(values); left > 0; left -= baskets[len(baskets)-1] {
			baskets = append(baskets, rapid.IntRange(1, left).Draw(rt, "basket"))
		}
		if err := os.WriteFile(path, stringFile(values, baskets, rapid.Bool().Draw(rt, "offsets")).bytes(), 0o666); err != nil {
			rt.Fatal(err)
		}
		begin := rapid.IntRange(0, len(values)-1).Draw(rt, "begin")
		got, _, err := readTable(path, reading{columns: []string{"s"}, scan: colstore.Scan{
			BatchRows: rapid.IntRange(0, 9).Draw(rt, "batch"), Rows: colstore.Range{Begin: int64(begin), End: int64(len(values))},
		}})
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(texts(got.At(0)), values[begin:]) {
			rt.Fatalf("%q, want %q", texts(got.At(0)), values[begin:])
		}
	})
}

func TestDamagedStrings(t *testing.T) {
	for name, c := range map[string]struct {
		change func(k *madeBasket)
		want   string
	}{
		"length beyond": {func(k *madeBasket) { k.values[0] = 200 }, "a string of 200 bytes where"},
		"long length":   {func(k *madeBasket) { k.values[0] = 255 }, "a string of"},
		"no UTF-8":      {func(k *madeBasket) { k.values[4] = 0xff }, `row 1: tree "t": bad value: text that is no UTF-8`},
		"offsets":       {func(k *madeBasket) { k.offsets[1] = 1 }, "string 1 begins at byte 3, by the table at 1"},
		"rest":          {func(k *madeBasket) { k.values = append(k.values, 0) }, "1 bytes behind the last string"},
		"short":         {func(k *madeBasket) { k.values = k.values[:3] }, "string without its length"},
		"many":          {func(k *madeBasket) { k.rows = 1 << 20; k.offsets = nil }, "1048576 strings in 6 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			m := stringFile([]string{"ab", "cd"}, []int{2}, true)
			k := m.trees[0].branches[0].baskets[0]
			c.change(k)
			m.trees[0].entries = int64(k.rows)
			_, _, err := readTable(m.write(t), reading{columns: []string{"s"}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A width that was declared is kept, and a value that is longer is an error that names its row.
func TestDeclaredWidth(t *testing.T) {
	path := stringFile([]string{"a", "bcd"}, []int{1, 1}, false).write(t)
	f, err := openFile(path, reading{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for typ, want := range map[colstore.DType]string{
		colstore.TextOf(5): "", colstore.TextOf(2): "row 1", colstore.BytesOf(5): "not read as",
	} {
		src, err := f.Source(t.Context(), format.Projection{Columns: []string{"s"}, Types: map[string]colstore.DType{"s": typ}})
		if err == nil {
			if got := src.(format.Flexible).Freedom("s"); got != format.Wider {
				t.Errorf("freedom %d", got)
			}
			for _, err = range src.Scan(t.Context(), colstore.Scan{}) {
			}
		}
		if fmt.Sprint(err) != "<nil>" && want == "" || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", typ.Name(), err, want)
		}
	}
}
