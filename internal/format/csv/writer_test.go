package csv_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/csv"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/source/format"
)

// create starts an output with the options given.
func create(d *format.Descriptor, path string, s *colstore.Schema, replace bool, options map[string]any) (colstore.Sink, error) {
	o, err := format.CheckOptions("writing "+d.Name, d.Write.Options, options)
	if err != nil {
		return nil, err
	}
	return d.Write.Create(context.Background(), &format.CreateRequest{Path: path, Schema: s, Options: o, Replace: replace})
}

// store writes b in batches of rows rows, or at once for 0.
func store(d *format.Descriptor, path string, b *colstore.Batch, rows int, options map[string]any) (err error) {
	w, err := create(d, path, b.Schema(), true, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if rows == 0 {
		rows = max(1, b.Rows())
	}
	for at := 0; at < b.Rows(); at += rows {
		if err := w.Write(context.Background(), b.Slice(at, min(at+rows, b.Rows()))); err != nil {
			return err
		}
	}
	return w.Commit(context.Background())
}

// columnOf returns values as a column of dtype t; each is the bytes of a number, or a string.
func columnOf(tb rapid.TB, t colstore.DType, values []any) colstore.Column {
	var data []byte
	for _, v := range values {
		at := len(data)
		switch v := v.(type) {
		case uint64:
			data = binary.LittleEndian.AppendUint64(data, v)[:at+t.Size()]
		case string:
			if t.Kind() == colstore.KindText {
				data = colstore.AppendText(data, v)
			} else {
				data = append(data, v...)
			}
			data = append(data, make([]byte, at+t.Size()-len(data))...)
		}
	}
	c, err := colstore.NewColumn(t, len(values), data)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func batchOf(tb rapid.TB, fields []colstore.Field, columns ...colstore.Column) *colstore.Batch {
	s, err := colstore.NewSchema(fields...)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := colstore.NewBatch(s, columns...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

var everyType = []colstore.DType{
	colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16, colstore.Uint32, colstore.Uint64,
	colstore.Float16, colstore.Float32, colstore.Float64, colstore.BytesOf(9), colstore.TextOf(6),
	colstore.DatetimeOf(colstore.Year), colstore.DatetimeOf(colstore.Month), colstore.DatetimeOf(colstore.Week), colstore.DatetimeOf(colstore.Day),
	colstore.DatetimeOf(colstore.Hour), colstore.DatetimeOf(colstore.Minute), colstore.DatetimeOf(colstore.Second), colstore.DatetimeOf(colstore.Millisecond),
	colstore.DatetimeOf(colstore.Nanosecond), colstore.DatetimeOf(colstore.Attosecond), colstore.TimedeltaOf(colstore.Nanosecond),
}

// drawValue draws a value of dtype t that text can hold. A NaN is the one that text stands for.
func drawValue(t *rapid.T, d colstore.DType) any {
	switch {
	case d == colstore.Bool:
		return rapid.Uint64Range(0, 1).Draw(t, "bool")
	case d.IsString():
		const most = 6
		s := rapid.StringOfN(rapid.RuneFrom([]rune("ab \t,;\"'\r\n.é日😀\u00a0\ufeff0-")), 0, most, -1).Draw(t, "text")
		for d.Kind() == colstore.KindBytes && len(s) > d.Width() {
			s = s[:strings.LastIndexFunc(s, func(rune) bool { return true })]
		}
		return s
	case d.IsTime() && rapid.IntRange(0, 5).Draw(t, "NaT") == 0:
		return uint64(1 << 63)
	case d.Kind() == colstore.KindDatetime && d.Unit() <= colstore.Second:
		return uint64(rapid.Int64Range(-10_000, 10_000_000).Draw(t, "tick"))
	}
	v := rapid.Uint64().Draw(t, "bits")
	switch d {
	case colstore.Float16:
		if v&0x7c00 == 0x7c00 && v&0x3ff != 0 {
			v = 0x7e00
		}
	case colstore.Float32:
		if f := math.Float32frombits(uint32(v)); f != f {
			v = 0x7fc0 << 16
		}
	case colstore.Float64:
		if f := math.Float64frombits(v); f != f {
			v = 0x7ff8 << 48
		}
	}
	return v
}

// What is written reads back as the same values, whatever they are, and the text does not show how they were batched.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.IntRange(0, 20).Draw(rt, "rows")
		var fields []colstore.Field
		var columns []colstore.Column
		declared := map[string]colstore.DType{}
		for i, d := range rapid.SliceOfN(rapid.SampledFrom(everyType), 1, 6).Draw(rt, "dtypes") {
			name := rapid.SampledFrom([]string{"", "x", " y", "a,b", "\"", "\ufeffz", "l\nm"}).Draw(rt, "name") + fmt.Sprint(i)
			if i == 0 {
				name = strings.TrimSuffix(name, "0")
			}
			var values []any
			for range rows {
				values = append(values, drawValue(rt, d))
			}
			fields = append(fields, colstore.Field{Name: name, Type: d})
			columns = append(columns, columnOf(rt, d, values))
			declared[name] = d
		}
		b := batchOf(rt, fields, columns...)
		d, options := csv.Descriptor, map[string]any{}
		if rapid.Bool().Draw(rt, "tsv") {
			d = csv.TSV
		} else if rapid.Bool().Draw(rt, "semicolon") {
			options["delimiter"] = ";"
		}
		path := filepath.Join(dir, "t.csv")
		var first []byte
		for _, batch := range []int{0, 1, 3} {
			if err := store(d, path, b, batch, options); err != nil {
				rt.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				rt.Fatal(err)
			}
			if first == nil {
				first = text
			}
			if d := cmp.Diff(string(first), string(text)); d != "" {
				rt.Fatalf("batches of %d: %s", batch, d)
			}
		}
		got, err := reading{format: d, options: options, project: format.Projection{Types: declared}}.read(path)
		if err != nil {
			rt.Fatalf("%q: %v", first, err)
		}
		for i, f := range b.Schema().All() {
			want, _ := b.At(i).Bytes()
			if c := got.Columns[i]; c.Name != f.Name || c.Type != f.Type.String() || c.Raw != string(want) {
				rt.Fatalf("%q: column %q %s reads as %q %s %v", first, f.Name, f.Type, c.Name, c.Type, c.Values)
			}
		}
		if got.Rows != rows {
			rt.Fatalf("%q: %d rows, want %d", first, got.Rows, rows)
		}
	})
}

func TestText(t *testing.T) {
	text := func(values ...any) (colstore.DType, []any) { return colstore.TextOf(12), values }
	bits := func(d colstore.DType, values ...any) (colstore.DType, []any) { return d, values }
	one := func(d colstore.DType, values []any) *colstore.Batch {
		return batchOf(t, []colstore.Field{{Name: "x", Type: d}}, columnOf(t, d, values))
	}
	f := math.Float64bits
	minus := func(n uint64) uint64 { return -n }
	tests := []struct {
		name    string
		batch   *colstore.Batch
		options map[string]any
		want    string
	}{
		{
			"quotes", one(text("", "a", "a,b", "a\"b", "\"", "a\nb", "a\rb", " a", "a ", "a b", "\ta", "\u00a0a", "a\ufeff", "é;日", "'a'", "NA")), nil,
			"x\n\"\"\na\n\"a,b\"\n\"a\"\"b\"\n\"\"\"\"\n\"a\nb\"\n\"a\rb\"\n\" a\"\n\"a \"\na b\n\"\ta\"\n\"\u00a0a\"\n\"a\ufeff\"\né;日\n'a'\nNA\n",
		},
		{"other delimiter", one(text("a,b", "a;b")), map[string]any{"delimiter": ";"}, "x\na,b\n\"a;b\"\n"},
		{"no header", one(text("a")), map[string]any{"header": false}, "a\n"},
		{
			"floats", one(bits(colstore.Float64, f(1), f(0.1), f(1e22), f(1e-7), f(math.Copysign(0, -1)), f(math.NaN()), f(math.Inf(1)), f(math.Inf(-1)), f(5e-324))), nil,
			"x\n1.0\n0.1\n1e+22\n1e-07\n-0.0\nnan\ninf\n-inf\n5e-324\n",
		},
		{"float32", one(bits(colstore.Float32, uint64(math.Float32bits(0.1)))), nil, "x\n0.1\n"},
		{"float16", one(bits(colstore.Float16, uint64(0x2e66), uint64(0x7bff))), nil, "x\n0.1\n65500.0\n"},
		{"bools", one(bits(colstore.Bool, uint64(0), uint64(1), uint64(2))), nil, "x\nfalse\ntrue\ntrue\n"},
		{"integers", one(bits(colstore.Int64, minus(1), uint64(math.MaxInt64), uint64(1<<63))), nil, "x\n-1\n9223372036854775807\n-9223372036854775808\n"},
		{
			"dates", one(bits(colstore.DatetimeOf(colstore.Millisecond), uint64(0), minus(1), uint64(1<<63))), nil,
			"x\n1970-01-01T00:00:00.000\n1969-12-31T23:59:59.999\n\"\"\n",
		},
		{"spans", one(bits(colstore.TimedeltaOf(colstore.Second), uint64(90), uint64(1<<63))), nil, "x\n90\n\"\"\n"},
		{"bytes", one(colstore.BytesOf(4), []any{"ab", "é", ""}), nil, "x\nab\né\n\"\"\n"},
		{"two empty cells", batchOf(t, []colstore.Field{{Name: "a", Type: colstore.TextOf(1)}, {Name: "b", Type: colstore.TextOf(1)}},
			columnOf(t, colstore.TextOf(1), []any{""}), columnOf(t, colstore.TextOf(1), []any{""})), nil, "a,b\n,\n"},
		{"no rows", one(text()), nil, "x\n"},
		{"a name that is empty", batchOf(t, []colstore.Field{{Name: "", Type: colstore.Int8}}, columnOf(t, colstore.Int8, []any{uint64(1)})), nil, "\"\"\n1\n"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.csv")
			if err := store(csv.Descriptor, path, c.batch, 0, c.options); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Values that do not lie back to back in native order are written as those that do; batches larger than the buffer too.
func TestStridedColumns(t *testing.T) {
	const rows = 50_000
	values, big := make([]int64, 2*rows), make([]byte, 0, 4*rows)
	for i := range values {
		values[i] = int64(i)
	}
	for i := range rows {
		big = binary.BigEndian.AppendUint32(big, uint32(i))
	}
	swapped, err := colstore.NewColumn(colstore.Uint32.Swapped(), rows, big)
	if err != nil {
		t.Fatal(err)
	}
	word := colstore.TextScalar("é,").Column(rows)
	b := batchOf(t, []colstore.Field{{Name: "even", Type: colstore.Int64}, {Name: "big", Type: swapped.Type()}, {Name: "word", Type: word.Type()}},
		colstore.Wrap(values).Slice(0, 2*rows, 2), swapped, word)
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := store(csv.Descriptor, path, b, 0, nil); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("even,big,word\n")
	for i := range rows {
		fmt.Fprintf(&want, "%d,%d,\"é,\"\n", 2*i, i)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
}

func TestRefusedValues(t *testing.T) {
	surrogate := columnOf(t, colstore.TextOf(1), []any{"a", "b"}).Copy()
	raw, _ := surrogate.Bytes()
	binary.LittleEndian.PutUint32(raw[4:], 0xd800)
	tests := []struct {
		name   string
		column colstore.Column
		want   string
	}{
		{"not UTF-8", columnOf(t, colstore.BytesOf(2), []any{"a", "\xff"}), `write X: column "x": row 1: bad value: the bytes are no UTF-8 text, or have a NUL; leave the column out, or choose another format`},
		{"NUL", columnOf(t, colstore.BytesOf(3), []any{"a", "b\x00c"}), `write X: column "x": row 1: bad value: the bytes are no UTF-8 text, or have a NUL; leave the column out, or choose another format`},
		{"surrogate", surrogate, `write X: column "x": row 1: bad value: the text holds a number that is no code point; leave the column out, or choose another format`},
	}
	for _, c := range tests {
		for _, rows := range []int{0, 1} {
			dir := t.TempDir()
			path := filepath.Join(dir, "t.csv")
			err := store(csv.Descriptor, path, batchOf(t, []colstore.Field{{Name: "x", Type: c.column.Type()}}, c.column), rows, nil)
			if err == nil || !errors.Is(err, colstore.ErrValue) || strings.ReplaceAll(err.Error(), path, "X") != c.want {
				t.Errorf("%s: %v", c.name, err)
			}
			if left := fsxtest.Snapshot(t, dir); len(left) != 0 {
				t.Errorf("%s: left behind %v", c.name, left)
			}
		}
	}
}

func TestWriterMisuse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	b := batchOf(t, []colstore.Field{{Name: "x", Type: colstore.Int8}}, columnOf(t, colstore.Int8, []any{uint64(1)}))
	other := batchOf(t, []colstore.Field{{Name: "y", Type: colstore.Int8}}, columnOf(t, colstore.Int8, []any{uint64(1)}))
	if _, err := create(csv.Descriptor, path, colstore.MustSchema(), false, nil); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no column: %v", err)
	}
	for _, delimiter := range []any{"1", "e", "Z", "-", ".", ":", "\"", "\n", "ab"} {
		if _, err := create(csv.Descriptor, path, b.Schema(), false, map[string]any{"delimiter": delimiter}); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("delimiter %q: %v", delimiter, err)
		}
	}
	w, err := create(csv.Descriptor, path, b.Schema(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), other); !errors.Is(err, colstore.ErrMismatch) || !strings.Contains(err.Error(), path) {
		t.Errorf("other schema: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Write(canceled, b); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if err := w.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	p := w.(colstore.Preparer)
	if err := errors.Join(p.Prepare(t.Context()), p.Prepare(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there before it is committed: %v", err)
	}
	if err := w.Write(t.Context(), b); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("write when prepared: %v", err)
	}
	if err := errors.Join(w.Commit(t.Context()), w.Abort(), w.Abort()); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("a second commit: %v", err)
	}
	if _, err := create(csv.Descriptor, path, b.Schema(), false, nil); !errors.Is(err, colstore.ErrExists) {
		t.Errorf("create over a file: %v", err)
	}
	if got := fsxtest.Snapshot(t, dir); len(got) != 1 || got[path] != "x\n1\n" {
		t.Error(got)
	}
	if c := w.(colstore.Coster).Cost(nil); c.Fixed < 256<<10 || c.Fixed > 400<<10 || c.Row != 0 {
		t.Errorf("%+v", c)
	}
}
