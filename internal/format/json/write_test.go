package json_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/json"
	"github.com/colstore/colstore-go/source/format"
)

// writing says how a batch is written.
type writing struct {
	lines     bool
	orient    string
	nonfinite string
	rows      int // of a write; 0 is all
	threads   int
}

func (w writing) open(path string, s *colstore.Schema) (colstore.Sink, error) {
	d := json.Descriptor
	given := map[string]any{}
	if w.lines {
		d = json.Lines
	} else if w.orient != "" {
		given["orient"] = w.orient
	}
	if w.nonfinite != "" {
		given["nonfinite"] = w.nonfinite
	}
	o, err := format.CheckOptions("writing json", d.Write.Options, given)
	if err != nil {
		return nil, err
	}
	return d.Write.Create(context.Background(), &format.CreateRequest{Path: path, Schema: s, Options: o, Replace: true, Threads: w.threads})
}

func (w writing) store(path string, b *colstore.Batch) (err error) {
	ctx := context.Background()
	s, err := w.open(path, b.Schema())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Abort()) }()
	rows := w.rows
	if rows == 0 {
		rows = max(1, b.Rows())
	}
	for at := 0; at < b.Rows(); at += rows {
		if err := s.Write(ctx, b.Slice(at, min(at+rows, b.Rows()))); err != nil {
			return err
		}
	}
	return s.Commit(ctx)
}

func (w writing) text(t *testing.T, b *colstore.Batch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.json")
	if err := w.store(path, b); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func batch(tb testing.TB, names []string, cols ...colstore.Column) *colstore.Batch {
	tb.Helper()
	fields := make([]colstore.Field, len(names))
	for i, n := range names {
		fields[i] = colstore.Field{Name: n, Type: cols[i].Type()}
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// texts returns a column of texts.
func texts(tb testing.TB, width int, values ...string) colstore.Column {
	tb.Helper()
	data := make([]byte, 0, 4*width*len(values))
	for i, v := range values {
		data = colstore.AppendText(data, v)
		data = append(data, make([]byte, 4*width*(i+1)-len(data))...)
	}
	c, err := colstore.NewColumn(colstore.TextOf(width), len(values), data)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestWritten(t *testing.T) {
	b := batch(t, []string{"a", "b \"é"}, colstore.Wrap([]float64{1, 0.1}), texts(t, 3, "x\n", "日/"))
	empty := b.Slice(0, 0)
	tests := []struct {
		how         writing
		want, empty string
	}{
		{writing{orient: "records"}, "[{\"a\":1.0,\"b \\\"é\":\"x\\n\"},\n{\"a\":0.1,\"b \\\"é\":\"日/\"}]\n", "[]\n"},
		{writing{lines: true}, "{\"a\":1.0,\"b \\\"é\":\"x\\n\"}\n{\"a\":0.1,\"b \\\"é\":\"日/\"}\n", ""},
		{writing{orient: "values"}, "[[1.0,\"x\\n\"],\n[0.1,\"日/\"]]\n", "[]\n"},
		{writing{orient: "index"}, "{\"0\":{\"a\":1.0,\"b \\\"é\":\"x\\n\"},\n\"1\":{\"a\":0.1,\"b \\\"é\":\"日/\"}}\n", "{}\n"},
		{writing{orient: "split"}, "{\"columns\":[\"a\",\"b \\\"é\"],\"data\":[[1.0,\"x\\n\"],\n[0.1,\"日/\"]]}\n", "{\"columns\":[\"a\",\"b \\\"é\"],\"data\":[]}\n"},
		{writing{orient: "columns"}, "{\"a\":{\"0\":1.0,\"1\":0.1},\n\"b \\\"é\":{\"0\":\"x\\n\",\"1\":\"日/\"}}\n", "{\"a\":{},\n\"b \\\"é\":{}}\n"},
		{
			writing{orient: "table"},
			"{\"schema\":{\"fields\":[{\"name\":\"a\",\"type\":\"number\",\"colstore.dtype\":\"<f8\"},{\"name\":\"b \\\"é\",\"type\":\"string\",\"colstore.dtype\":\"<U3\"}]}," +
				"\"data\":[{\"a\":1.0,\"b \\\"é\":\"x\\n\"},\n{\"a\":0.1,\"b \\\"é\":\"日/\"}]}\n",
			"{\"schema\":{\"fields\":[{\"name\":\"a\",\"type\":\"number\",\"colstore.dtype\":\"<f8\"},{\"name\":\"b \\\"é\",\"type\":\"string\",\"colstore.dtype\":\"<U3\"}]},\"data\":[]}\n",
		},
	}
	for _, test := range tests {
		t.Run(test.how.orient, func(t *testing.T) {
			for _, rows := range []int{0, 1} {
				how := test.how
				how.rows = rows
				if d := cmp.Diff(test.want, how.text(t, b)); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			}
			if d := cmp.Diff(test.empty, test.how.text(t, empty)); d != "" {
				t.Errorf("without rows (-want +got)\n%s", d)
			}
		})
	}
}

// What JSON has no word for.
func TestSpecials(t *testing.T) {
	inf := math.Inf(1)
	times := []int64{0, colstore.NaT}
	b := batch(t, []string{"f", "g", "t", "d"}, colstore.Wrap([]float64{math.NaN(), -inf}), colstore.Wrap([]float32{float32(inf), -0.5}),
		colstore.Wrap(times).As(colstore.DatetimeOf(colstore.Millisecond)), colstore.Wrap(times).As(colstore.TimedeltaOf(colstore.Second)))
	null := `{"f":null,"g":null,"t":"1970-01-01T00:00:00.000","d":0}` + "\n" + `{"f":null,"g":-0.5,"t":"NaT","d":null}` + "\n"
	literal := `{"f":NaN,"g":Infinity,"t":"1970-01-01T00:00:00.000","d":0}` + "\n" + `{"f":-Infinity,"g":-0.5,"t":"NaT","d":null}` + "\n"
	if d := cmp.Diff(null, writing{lines: true}.text(t, b)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(literal, writing{lines: true, nonfinite: "literal"}.text(t, b)); d != "" {
		t.Error(d)
	}
	for _, how := range []writing{{lines: true}, {lines: true, nonfinite: "literal"}, {orient: "columns"}} {
		w, err := how.open(filepath.Join(t.TempDir(), "f.json"), b.Schema())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(t.Context(), b), w.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		if got := w.(colstore.Warner).Warnings(); (len(got) == 1 && strings.Contains(got[0], "2 infinite")) != (how.nonfinite == "") {
			t.Errorf("%+v: warnings %q", how, got)
		}
	}
}

func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.json")
	bytesOf := func(s string) colstore.Column {
		c, err := colstore.NewColumn(colstore.BytesOf(2), len(s)/2, []byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	surrogate, err := colstore.NewColumn(colstore.TextOf(1), 1, []byte{0, 0xd8, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, orient := range []string{"records", "columns"} {
		for name, c := range map[string]colstore.Column{`row 1`: bytesOf("ok\xff\x00"), `row 0`: surrogate} {
			err := writing{orient: orient}.store(path, batch(t, []string{"a"}, c))
			if !errors.Is(err, colstore.ErrValue) || !strings.Contains(err.Error(), `column "a": `+name) {
				t.Errorf("%s: %v", orient, err)
			}
		}
	}
	for _, s := range []*colstore.Schema{colstore.MustSchema(), colstore.MustSchema(colstore.Field{Name: "\xff", Type: colstore.Int8})} {
		if _, err := (writing{}).open(path, s); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("%v: %v", s, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

var orients = []string{"records", "columns", "split", "index", "values", "table", "lines"}

func (w *writing) choose(orient string) *writing {
	w.lines = orient == "lines"
	if !w.lines {
		w.orient = orient
	}
	return w
}

func (r *reading) choose(orient string) *reading {
	r.lines = orient == "lines"
	if !r.lines && orient != "records" {
		r.orient = orient
	}
	return r
}

var everyType = []colstore.DType{
	colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16, colstore.Uint32, colstore.Uint64,
	colstore.Float16, colstore.Float32, colstore.Float64, colstore.BytesOf(1), colstore.BytesOf(9), colstore.TextOf(1), colstore.TextOf(6),
	colstore.DatetimeOf(colstore.Day), colstore.DatetimeOf(colstore.Nanosecond), colstore.TimedeltaOf(colstore.Attosecond),
	colstore.Int16.Swapped(), colstore.Float64.Swapped(), colstore.TextOf(3).Swapped(),
}

// anyBatch returns rows of values of some dtypes that JSON can hold; every other column repeats one value.
func anyBatch(tb rapid.TB, types []colstore.DType, rows int, seed uint64) *colstore.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	fields, cols := make([]colstore.Field, len(types)), make([]colstore.Column, len(types))
	for i, t := range types {
		fields[i] = colstore.Field{Name: fmt.Sprintf("c%d \\é", i), Type: t.Native()}
		data := make([]byte, 0, rows*t.Size())
		for range rows {
			data = appendValue(data, t, r)
		}
		c, err := colstore.NewColumn(t.Native(), rows, data)
		if err != nil {
			tb.Fatal(err)
		}
		if i%2 == 1 {
			p, n, _ := c.Raw()
			c = colstore.RawColumn(c.Type(), n, 0, p)
		}
		cols[i] = c
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// appendValue appends a value of a dtype, in native byte order.
func appendValue(data []byte, t colstore.DType, r *rand.Rand) []byte {
	at := len(data)
	data = append(data, make([]byte, t.Size())...)
	v := data[at:]
	switch t.Kind() {
	case colstore.KindBool:
		v[0] = byte(r.IntN(2))
	case colstore.KindBytes:
		for i := range r.IntN(len(v) + 1) {
			v[i] = byte(r.IntN(utf8.RuneSelf))
		}
	case colstore.KindText:
		alphabet := []rune("ab\"\\/\n\x00\x01\x7fé日😀\ufeff\ufffd")
		for i := range r.IntN(t.Width() + 1) {
			copy(v[4*i:], colstore.AppendText(nil, string(alphabet[r.IntN(len(alphabet))])))
		}
	case colstore.KindFloat:
		// Half of the exponents are near that of 1. A NaN has one spelling only.
		for i := range v {
			v[i] = byte(r.Uint32())
		}
		if v[len(v)-1]&0x7c == 0x7c || r.IntN(2) == 0 {
			v[len(v)-1] = v[len(v)-1]&0x80 | 0x3b
		}
	default:
		for i := range v {
			v[i] = byte(r.Uint32())
		}
		if t == colstore.DatetimeOf(colstore.Day) {
			copy(v[3:], []byte{0, 0, 0, 0, 0}) // years of four digits
		}
	}
	return data
}

// A table keeps its dtypes and all values. A file has the same bytes however its rows arrive, and reads back the same
// whatever the batches.
func TestTableRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom(everyType), 1, 5).Draw(t, "types")
		rows := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 6_000)).Draw(t, "rows")
		b := anyBatch(t, types, rows, rapid.Uint64().Draw(t, "seed"))
		how := writing{orient: "table", nonfinite: "literal"}
		back := reading{orient: "table"}
		roundTrip(t, dir, b, how, back, b)
	})
}

// In the other layouts whole numbers, floats, bools and text come back with the dtype that their values have.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	widest := []colstore.DType{colstore.Bool, colstore.Int64, colstore.Float64}
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom(widest), 1, 5).Draw(t, "types")
		rows := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(1, 6_000)).Draw(t, "rows")
		b := anyBatch(t, types, rows, rapid.Uint64().Draw(t, "seed"))
		orient := rapid.SampledFrom(orients).Draw(t, "orient")
		how, back := writing{nonfinite: "literal"}, reading{}
		want := b
		if orient == "values" {
			want = batchNamed(t, b)
		}
		roundTrip(t, dir, b, *how.choose(orient), *back.choose(orient), want)
	})
}

// batchNamed returns a batch whose columns have numbers for names.
func batchNamed(tb rapid.TB, b *colstore.Batch) *colstore.Batch {
	fields, cols := make([]colstore.Field, b.Schema().Len()), make([]colstore.Column, b.Schema().Len())
	for i, f := range b.Schema().All() {
		fields[i], cols[i] = colstore.Field{Name: fmt.Sprint(i), Type: f.Type}, b.At(i)
	}
	out, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func roundTrip(t *rapid.T, dir string, b *colstore.Batch, how writing, back reading, want *colstore.Batch) {
	rows := b.Rows()
	var first []byte
	for i := range 3 {
		how.rows = max(rapid.IntRange(1, max(1, rows)).Draw(t, "write"), rows/100)
		path := filepath.Join(dir, "f.json")
		if err := how.store(path, b); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = data
		} else if !bytes.Equal(data, first) {
			t.Fatalf("%+v gives other bytes", how)
		}
		back.scan = colstore.Scan{BatchRows: max(rapid.IntRange(0, max(1, rows)).Draw(t, "batch"), rows/100), Threads: i}
		back.text = rapid.SampledFrom([]int{0, 1, 1000}).Draw(t, "text")
		back.cells = rapid.IntRange(1, 1000).Draw(t, "cells")
		part := want
		if rows > 0 && rapid.Bool().Draw(t, "part") {
			begin := rapid.IntRange(0, rows-1).Draw(t, "begin")
			end := rapid.IntRange(begin+1, rows).Draw(t, "end")
			back.scan.Rows = colstore.Range{Begin: int64(begin), End: int64(end)}
			part = want.Slice(begin, end)
		}
		got, err := back.read(path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, part)
	}
}

// A stream gets the lines of a file.
func TestStream(t *testing.T) {
	b := anyBatch(t, []colstore.DType{colstore.Int32, colstore.TextOf(2)}, 3000, 1)
	o, err := format.CheckOptions("writing jsonl", json.Lines.Write.Options, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := json.Lines.Write.Stream(t.Context(), &out, &format.CreateRequest{Schema: b.Schema(), Options: o})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(t.Context(), b), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if out.String() != (writing{lines: true}).text(t, b) {
		t.Error("the stream differs from the file")
	}
}
