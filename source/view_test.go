package source_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

// link is one step of a golden chain of selections.
type link struct {
	Int   *int64   `json:"int"`
	Slice []*int64 `json:"slice"`
	Fancy []int64  `json:"fancy"`
	Mask  *string  `json:"mask"`
}

func (l link) selection(tb testing.TB) source.Selection {
	tb.Helper()
	switch {
	case l.Int != nil:
		return source.Row(*l.Int)
	case l.Mask != nil:
		keep := make([]bool, len(*l.Mask))
		for i, c := range *l.Mask {
			keep[i] = c == '1'
		}
		return source.Mask(keep)
	case l.Slice != nil:
		text := ""
		for i, p := range l.Slice {
			if i > 0 {
				text += ":"
			}
			if p != nil {
				text += fmt.Sprint(*p)
			}
		}
		s, err := source.ParseSelection(text)
		if err != nil {
			tb.Fatal(err)
		}
		return s
	default:
		return source.Rows(l.Fancy...)
	}
}

// openGolden opens the source of a case as one table.
func openGolden(tb testing.TB, name any) colstore.Source {
	tb.Helper()
	if file, ok := name.(string); ok {
		name = []any{file}
	}
	src, err := source.Open(tb.Context(), source.Spec{Paths: paths(tb, name)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { src.Close() })
	return src
}

func TestGoldenSelections(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t).Cases {
		if c.Kind != "index" && c.Kind != "index_error" {
			continue
		}
		n++
		t.Run(c.ID, func(t *testing.T) {
			var chain []link
			golden.Decode(t, c.Chain, &chain)
			v := source.ViewOf(openGolden(t, c.Source))
			for _, l := range chain {
				v = v.Pick(l.selection(t))
			}
			got, err := v.Select(c.Column).Collect(t.Context())
			if c.ID == "c583" { // NumPy refuses "negative dimensions" in the reference; everywhere else such a slice is empty
				if err != nil || got.Rows() != 0 {
					t.Fatalf("%v, %v", got, err)
				}
				return
			}
			if c.Kind == "index_error" {
				want := colstore.ErrRange
				if c.Error == "ValueError" {
					want = colstore.ErrValue
				}
				if !errors.Is(err, want) {
					t.Fatalf("error %v, want %v", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var want golden.ArrayExpect
			golden.Decode(t, c.Expect, &want)
			raw, _ := got.At(0).Bytes()
			sum := sha256.Sum256(raw)
			if got.Rows() != want.N || got.At(0).Type().String() != want.DType || hex.EncodeToString(sum[:]) != want.SHA {
				t.Errorf("%d rows of %s, sum %x; want %d of %s, %s", got.Rows(), got.At(0).Type(), sum, want.N, want.DType, want.SHA)
			}
		})
	}
	if n != 112 {
		t.Errorf("%d cases, the manifest has 112", n)
	}
}

// numbered writes files of a few records that hold rows 0, 1, 2, … in columns of several widths, and returns their paths.
func numbered(tb testing.TB, format string, files ...[]int) []string {
	tb.Helper()
	dir := tb.TempDir()
	s := colstore.MustSchema(
		colstore.Field{Name: "i", Type: colstore.Int64}, colstore.Field{Name: "h", Type: colstore.Int16},
		colstore.Field{Name: "t", Type: colstore.BytesOf(3)}, colstore.Field{Name: "w", Type: colstore.BytesOf(16)},
	)
	var out []string
	next := 0
	for f, records := range files {
		path := filepath.Join(dir, fmt.Sprintf("f%d%s", f, format))
		write := func(rows int) *colstore.Batch {
			var i []int64
			var h []int16
			var t, w []byte
			for range rows {
				i, h = append(i, int64(next)), append(h, int16(next))
				t = append(t, fmt.Sprintf("%03d", next)...)
				w = append(w, fmt.Sprintf("%016d", next)...)
				next++
			}
			col := func(t colstore.DType, b []byte) colstore.Column {
				c, err := colstore.NewColumn(t, rows, b)
				if err != nil {
					tb.Fatal(err)
				}
				return c
			}
			b, err := colstore.NewBatch(s, colstore.Wrap(i), colstore.Wrap(h), col(colstore.BytesOf(3), t), col(colstore.BytesOf(16), w))
			if err != nil {
				tb.Fatal(err)
			}
			return b
		}
		var w colstore.Sink
		var err error
		if format == ".cstore" {
			w, err = cstore.Create(path, s, &cstore.WriteOptions{Layout: cstore.LayoutPerWrite})
		} else {
			w, err = sink.Create(tb.Context(), sink.Spec{Path: path, Schema: s})
		}
		if err != nil {
			tb.Fatal(err)
		}
		for _, rows := range records {
			if err := w.Write(tb.Context(), write(rows)); err != nil {
				tb.Fatal(err)
			}
		}
		if err := w.Commit(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}

// drawSelection draws a selection and what it takes of rows.
func drawSelection(t *rapid.T, rows []int64) (source.Selection, []int64) {
	n := int64(len(rows))
	bound := rapid.Int64Range(-n-3, n+3)
	switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
	case kind == 0 && n > 0:
		i := rapid.Int64Range(-n, n-1).Draw(t, "row")
		return source.Row(i), []int64{rows[(i+n)%n]}
	case kind == 1 && n > 0:
		list := rapid.SliceOfN(rapid.Int64Range(-n, n-1), 0, 20).Draw(t, "list")
		var out []int64
		for _, i := range list {
			out = append(out, rows[(i+n)%n])
		}
		return source.Rows(list...), out
	case kind == 2:
		keep := rapid.SliceOfN(rapid.Bool(), int(n), int(n)).Draw(t, "mask")
		var out []int64
		for i, k := range keep {
			if k {
				out = append(out, rows[i])
			}
		}
		return source.Mask(keep), out
	case kind == 3:
		limit := rapid.Int64Range(-1, 130).Draw(t, "limit")
		var out []int64
		for _, r := range rows {
			if r < limit {
				out = append(out, r)
			}
		}
		return source.Where(frame.Col("i").Lt(limit)), out
	}
	step := rapid.SampledFrom([]int64{1, 1, 1, 2, 3, 7, 1000, -1, -2, -5, -1000}).Draw(t, "step")
	s := source.All()
	var begin, end *int64
	switch rapid.IntRange(0, 3).Draw(t, "bounds") {
	case 1:
		begin = new(bound.Draw(t, "begin"))
		s = source.From(*begin)
	case 2:
		end = new(bound.Draw(t, "end"))
		s = source.To(*end)
	case 3:
		begin, end = new(bound.Draw(t, "begin")), new(bound.Draw(t, "end"))
		s = source.Slice(*begin, *end)
	}
	var out []int64
	for i := range rows { // the rows of Python's slice, by its definition
		at := int64(i)
		first, last := int64(0), n
		if step < 0 {
			first, last = n-1, -1
		}
		norm := func(v int64) int64 {
			if v < 0 {
				v += n
			}
			if step < 0 {
				return min(max(v, -1), n-1)
			}
			return min(max(v, 0), n)
		}
		if begin != nil {
			first = norm(*begin)
		}
		if end != nil {
			last = norm(*end)
		}
		if step > 0 && at >= first && at < last && (at-first)%step == 0 || step < 0 && at <= first && at > last && (first-at)%-step == 0 {
			out = append(out, rows[i])
		}
	}
	if step < 0 {
		slices.Reverse(out)
	}
	return s.By(step), out
}

// TestViewModel compares chains of selections with a slice of row numbers, over one file, many, a format that is decoded,
// and batches in memory; read at once, in batches of any size, in ranges, and without a copy.
func TestViewModel(t *testing.T) {
	one := numbered(t, ".cstore", []int{100})
	many := numbered(t, ".cstore", []int{10, 1, 0, 30}, nil, []int{25, 25}, []int{9})
	parquet := numbered(t, ".parquet", []int{60}, []int{40})
	csv := numbered(t, ".csv", []int{100})
	var sources []colstore.Source
	for _, p := range [][]string{one, many, parquet, csv} {
		src, err := source.Open(t.Context(), source.Spec{Paths: p})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		sources = append(sources, src)
	}
	whole, err := source.ViewOf(sources[1]).Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	memory := source.Memory(whole)
	defer memory.Close()
	sources = append(sources, memory)
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SampledFrom(sources).Draw(t, "source")
		want := make([]int64, 100)
		for i := range want {
			want[i] = int64(i)
		}
		v := source.ViewOf(src)
		for range rapid.IntRange(0, 4).Draw(t, "links") {
			var s source.Selection
			s, want = drawSelection(t, want)
			v = v.Pick(s)
		}
		got, err := source.Values[int64](t.Context(), v, "i")
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("collected %v, %v; want %v", got, err, want)
		}
		if n, err := v.Count(t.Context()); err != nil || n != int64(len(want)) {
			t.Fatalf("counted %d, %v; want %d", n, err, len(want))
		}
		if at, err := v.Positions(t.Context()); err != nil || !slices.Equal(at, want) {
			t.Fatalf("positions %v, %v; want %v", at, err, want)
		}
		if last, at, err := frame.From(v).Where(frame.Col("h").Ge(50)).Last(t.Context(), 3); err != nil {
			t.Fatal(err)
		} else if kept := slices.DeleteFunc(slices.Clone(want), func(r int64) bool { return r < 50 }); !slices.Equal(at, kept[max(0, len(kept)-3):]) {
			t.Fatalf("the last rows are %v, %v of %v", at, last, kept)
		}
		fixed, err := v.Evaluate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rows := colstore.Range{}
		if n := int64(len(want)); n > 0 {
			rows.Begin = rapid.Int64Range(0, n-1).Draw(t, "begin")
			rows.End = rapid.Int64Range(rows.Begin+1, n).Draw(t, "end")
		}
		checkScan(t, fixed, colstore.Scan{BatchRows: rapid.IntRange(0, 40).Draw(t, "batch"), Rows: rows, Once: rapid.Bool().Draw(t, "once")}, want)
		checkZeroCopy(t, fixed, want)
		if b, err := frame.From(v).Where(frame.Col("h").Ge(20)).Collect(t.Context()); err != nil {
			t.Fatal(err)
		} else if n := len(slices.DeleteFunc(slices.Clone(want), func(r int64) bool { return r < 20 })); b.Rows() != n {
			t.Fatalf("a frame over the view kept %d rows of %d", b.Rows(), n)
		}
	})
}

func checkScan(t *rapid.T, v *source.View, s colstore.Scan, want []int64) {
	if s.Rows.End > 0 {
		want = want[s.Rows.Begin:s.Rows.End]
	}
	var got []int64
	var texts []string
	next := s.Rows.Begin
	for b, err := range v.Scan(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Begin() != next || s.BatchRows > 0 && b.Rows() > s.BatchRows || b.Rows() == 0 {
			t.Fatalf("a batch of %d rows at %d, expected one at %d of at most %d", b.Rows(), b.Begin(), next, s.BatchRows)
		}
		next += int64(b.Rows())
		i, err := colstore.CopyOf[int64](b.At(0))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, i...)
		for _, text := range b.At(2).Strings() {
			texts = append(texts, text)
		}
		for j, w := range b.At(3).Strings() {
			if w != fmt.Sprintf("%016d", i[j]) {
				t.Fatalf("row %d has %q", i[j], w)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("scanned %v, want %v", got, want)
	}
	for i, text := range texts {
		if text != fmt.Sprintf("%03d", want[i]) && text != fmt.Sprint(want[i]) { // CSV takes digits for numbers
			t.Fatalf("row %d has the text %q", want[i], text)
		}
	}
}

func checkZeroCopy(t *rapid.T, v *source.View, want []int64) {
	b, err := v.ZeroCopy()
	if errors.Is(err, colstore.ErrNotViewable) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	got, err := colstore.CopyOf[int64](b.At(0))
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("shown %v, %v; want %v", got, err, want)
	}
}

// TestZeroCopy says for what a view without a copy is granted.
func TestZeroCopy(t *testing.T) {
	open := func(files ...[]int) *source.View {
		src, err := source.Open(t.Context(), source.Spec{Paths: numbered(t, ".cstore", files...)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { src.Close() })
		return source.ViewOf(src)
	}
	one, records, files := open([]int{100}), open([]int{50, 50}), open([]int{50}, []int{50})
	foreign, err := source.Open(t.Context(), source.Spec{Paths: numbered(t, ".parquet", []int{10})})
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	big := source.ViewOf(openGolden(t, "handmade_big_endian.cstore"))
	for _, c := range []struct {
		name    string
		v       *source.View
		granted bool
	}{
		{"all", one, true},
		{"a row", one.Pick(source.Row(-1)), true},
		{"a slice", one.Pick(source.Slice(3, 90)), true},
		{"a stride", one.Pick(source.Slice(3, 90).By(7)), true},
		{"backwards", one.Pick(source.All().By(-1)), true},
		{"a slice of a slice", one.Pick(source.All().By(2)).Pick(source.From(5)), true},
		{"nothing", one.Pick(source.To(0)), true},
		{"a list", one.Pick(source.Rows(1, 2)), false},
		{"a mask", one.Pick(source.Mask(make([]bool, 100))), false},
		{"a predicate", one.Pick(source.Where(frame.MustParse("i > 3"))), false},
		{"two records", records, false},
		{"inside a record", records.Pick(source.Slice(50, 100)), true},
		{"over a border of records", records.Pick(source.Slice(49, 51)), false},
		{"two files", files, false},
		{"inside a file", files.Pick(source.From(50)), true},
		{"a row of two files", files.Pick(source.Row(70)), true},
		{"nothing of two files", files.Pick(source.Slice(3, 3)), true},
		{"decoded", source.ViewOf(foreign), false},
		{"big-endian", big, false},
	} {
		b, err := c.v.ZeroCopy()
		switch {
		case c.granted && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case !c.granted && !errors.Is(err, colstore.ErrNotViewable):
			t.Errorf("%s: granted, or %v", c.name, err)
		case err == nil:
			b.Release()
		}
	}
}

// TestViewOutlivesClose reads what was shown before its source was closed and its file removed.
func TestViewOutlivesClose(t *testing.T) {
	path := numbered(t, ".cstore", []int{100})[0]
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := source.ViewOf(r)
	shown, err := v.Pick(source.Slice(10, 20)).ZeroCopy()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	got, err := colstore.Values[int64](shown.At(0))
	if err != nil || !slices.Equal(got, []int64{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}) {
		t.Errorf("%v, %v", got, err)
	}
	shown.Release()
	if _, err := v.Collect(t.Context()); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("reading a closed reader: %v", err)
	}
	if v.Rows() != 100 || v.Schema().Len() != 4 {
		t.Error("a closed reader forgot its columns")
	}
}

func TestViewColumns(t *testing.T) {
	v := source.ViewOf(openGolden(t, "expr.cstore"))
	for _, c := range []struct {
		name string
		v    *source.View
		want error
	}{
		{"unknown", v.Select("nope"), colstore.ErrNoColumn},
		{"twice", v.Select("i4", "i4"), colstore.ErrDuplicate},
		{"none", v.Select(), colstore.ErrValue},
		{"projected away", v.Select("i4").Select("f8"), colstore.ErrNoColumn},
		{"drop unknown", v.Drop("nope"), colstore.ErrNoColumn},
		{"an error sticks", v.Select("nope").Drop("i4").Pick(source.Row(0)), colstore.ErrNoColumn},
		{"a predicate of what is not visible", v.Select("i4").Pick(source.Where(frame.MustParse("f8 > 0"))), colstore.ErrNoColumn},
		{"no condition", v.Pick(source.Where(frame.MustParse("i4 + 1"))), colstore.ErrType},
		{"no predicate", v.Pick(source.Where(nil)), colstore.ErrValue},
		{"step 0", v.Pick(source.All().By(0)), colstore.ErrValue},
		{"the step of a list", v.Pick(source.Rows(1).By(2)), colstore.ErrValue},
	} {
		if err := c.v.Err(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := c.v.Collect(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: collected: %v", c.name, err)
		}
	}
	if diff := cmp.Diff([]string{"i4", "f8"}, v.Select("f8", "i4", "i8").Drop("i8", "i8").Select("i4", "f8").Schema().Names()); diff != "" {
		t.Error(diff)
	}
	all := v.Drop(v.Schema().Names()...)
	if b, err := all.Collect(t.Context()); err != nil || b.Rows() != int(v.Rows()) || b.Schema().Len() != 0 {
		t.Errorf("a view without columns: %v rows, %v", b, err)
	}
	// A predicate keeps its columns when they are projected away.
	kept := v.Pick(source.Where(frame.MustParse("f8 > 0"))).Select("i4").Pick(source.To(3))
	if !kept.IsLazy() || kept.Rows() != -1 {
		t.Error("a predicate was evaluated too early")
	}
	got, err := source.Values[int32](t.Context(), kept, "i4")
	if err != nil || len(got) != 3 {
		t.Errorf("%v, %v", got, err)
	}
}

// Inner is embedded in a struct that is read into.
type Inner struct {
	S string `colstore:"t"`
}

func TestRecordsOfView(t *testing.T) {
	src, err := source.Open(t.Context(), source.Spec{Paths: numbered(t, ".cstore", []int{60, 40})})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	v := source.ViewOf(src).Pick(source.Rows(99, 0, 60)).Select("h", "t", "i")
	r, err := v.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, n := range []int{99, 0, 60} {
		want = binary.LittleEndian.AppendUint16(want, uint16(n))
		want = append(want, fmt.Sprintf("%03d", n)...)
		want = binary.LittleEndian.AppendUint64(want, uint64(n))
	}
	if !bytes.Equal(r.Data, want) || r.Rows() != 3 || !bytes.Equal(r.Row(1), want[13:26]) {
		t.Errorf("%x, want %x", r.Data, want)
	}
	type row struct {
		Number int64 `colstore:"i"`
		H      int16 `colstore:"h"`
		Text   string
		Skip   []int `colstore:"-"`
	}
	if _, err := source.Structs[row](t.Context(), v); !errors.Is(err, colstore.ErrNoColumn) {
		t.Errorf("a field without a column: %v", err)
	}
	type right struct {
		Number int64  `colstore:"i"`
		H      int16  `colstore:"h"`
		Text   string `colstore:"t"`
		Skip   []int  `colstore:"-"`
	}
	got, err := source.Structs[right](t.Context(), v)
	if diff := cmp.Diff([]right{{99, 99, "099", nil}, {0, 0, "000", nil}, {60, 60, "060", nil}}, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
	type inner struct{ H int16 }
	type embedded struct {
		*inner
		Number int64 `colstore:"i"`
	}
	type promoted struct {
		Inner
		Number int64 `colstore:"i"`
	}
	if _, err := source.Structs[embedded](t.Context(), v); !errors.Is(err, colstore.ErrType) {
		t.Errorf("an embedded pointer: %v", err)
	}
	if _, err := source.Structs[promoted](t.Context(), v); !errors.Is(err, colstore.ErrType) {
		t.Errorf("a promoted field: %v", err)
	}
	type wrong struct {
		Number int32 `colstore:"i"`
	}
	if _, err := source.Structs[wrong](t.Context(), v); !errors.Is(err, colstore.ErrType) {
		t.Errorf("a field of another size: %v", err)
	}
}

// TestViewOfManyRecords gathers over 1,024 records: more than one bucket of runs, empty ones among them.
func TestViewOfManyRecords(t *testing.T) {
	var sizes []int
	for i := range 1024 {
		sizes = append(sizes, i%3*(i%7))
	}
	src, err := source.Open(t.Context(), source.Spec{Paths: numbered(t, ".cstore", sizes)})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var rows []int64
	for i := range int64(5000) {
		rows = append(rows, i*7919%src.Rows())
	}
	for _, v := range []*source.View{source.ViewOf(src).Pick(source.Rows(rows...)), source.ViewOf(src).Pick(source.All().By(-3))} {
		want, err := v.Positions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := source.Values[int64](t.Context(), v, "i")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("wrong rows: %v", err)
		}
		wide, err := source.Strings(t.Context(), v, "w")
		if err != nil || len(wide) != len(want) || wide[len(wide)-1] != fmt.Sprintf("%016d", want[len(want)-1]) {
			t.Errorf("wrong texts: %v", err)
		}
	}
}

func TestParseSelection(t *testing.T) {
	for text, want := range map[string]string{
		"10": "10", " -1 ": "-1", "2:9:3": "2:9:3", "::-1": "::-1", ":": ":", "1_000:": "1000:", "[5,0,5]": "[5,0,5]", "[]": "[]",
		"[ True , false ]": "[true,false]", ": 3": ":3",
	} {
		s, err := source.ParseSelection(text)
		if err != nil || s.String() != want {
			t.Errorf("%q: %v, %v; want %s", text, s, err, want)
		}
	}
	for _, text := range []string{"", "x", "1:2:3:4", "[1", "[1,true]", "[1.5]", "1.0", "9223372036854775808", "[,]"} {
		if _, err := source.ParseSelection(text); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

var (
	_ colstore.Source    = (*source.View)(nil)
	_ colstore.Splitter  = (*source.View)(nil)
	_ colstore.Mapper    = (*source.View)(nil)
	_ colstore.Predicate = frame.Expr{}
)
