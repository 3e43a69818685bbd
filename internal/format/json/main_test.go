package json_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/json"
	"github.com/colstore/colstore-go/internal/invariants"
	"github.com/colstore/colstore-go/source/format"
)

// TestMain fails when the tests leave a batch behind; with -tags invariants they are counted.
func TestMain(m *testing.M) {
	code := m.Run()
	if n := invariants.Batches.Load(); code == 0 && n != 0 {
		fmt.Fprintf(os.Stderr, "%d batches were never released\n", n)
		code = 1
	}
	os.Exit(code)
}

// reading says how a file is read.
type reading struct {
	lines   bool   // as an object a line
	orient  string // empty: auto
	nulls   format.Nulls
	jagged  string // empty: the default
	page    colstore.ByteSize
	text    int // of a window; 0: as usual
	cells   int
	columns []string
	types   map[string]colstore.DType
	scan    colstore.Scan
}

func (r reading) open(ctx context.Context, path string) (format.File, error) {
	d := json.Descriptor
	given := map[string]any{}
	if r.lines {
		d = json.Lines
	} else if r.orient != "" {
		given["orient"] = r.orient
	}
	o, err := format.CheckOptions("reading json", d.Read.Options, given)
	if err != nil {
		return nil, err
	}
	q := &format.OpenRequest{Path: path, Options: o, Nulls: r.nulls, Limits: format.DefaultLimits}
	if r.page > 0 {
		q.Limits.Page = r.page
	}
	if r.jagged != "" {
		if q.Jagged, err = format.ParseJagged(r.jagged); err != nil {
			return nil, err
		}
	}
	open := d.Read.Open
	if r.text > 0 {
		open = func(ctx context.Context, q *format.OpenRequest) (format.File, error) {
			if r.lines {
				q.Options = nil
			}
			return json.OpenSized(ctx, q, r.text, max(1, r.cells))
		}
	}
	f, err := open(ctx, q)
	if err != nil || q.Jagged.Mode != format.JaggedExplode {
		return f, err
	}
	n := f.(format.Nested)
	longest, err := n.Longest(ctx, r.columns)
	if err == nil {
		err = n.Unfold(longest)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// read returns the columns as one batch that owes nothing.
func (r reading) read(path string) (_ *colstore.Batch, err error) {
	ctx := context.Background()
	f, err := r.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	src, err := f.Source(ctx, format.Projection{Columns: r.columns, Types: r.types})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return collect(src, r.scan)
}

func collect(src colstore.Source, scan colstore.Scan) (*colstore.Batch, error) {
	var parts []*colstore.Batch
	next := scan.Rows.Begin
	for b, err := range src.Scan(context.Background(), scan) {
		if err != nil {
			return nil, err
		}
		if b.Begin() != next || b.Rows() == 0 || scan.BatchRows > 0 && b.Rows() > scan.BatchRows {
			return nil, errors.New("a batch is not where it should be")
		}
		next += int64(b.Rows())
		parts = append(parts, b.Detach())
	}
	return colstore.Stack(src.Schema(), parts...)
}

// readText reads a file that holds a text.
func (r reading) readText(tb testing.TB, text string) (*colstore.Batch, error) {
	tb.Helper()
	return r.read(put(tb, text))
}

func put(tb testing.TB, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "f.json")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

// raw returns the bytes of column i.
func raw(b *colstore.Batch, i int) []byte {
	data, _ := b.At(i).Bytes()
	return data
}

// table prints the values of a batch, one column a line.
func table(b *colstore.Batch) string {
	out := ""
	for i, f := range b.Schema().All() {
		out += f.Name + " " + f.Type.String() + ":"
		for r := range b.Rows() {
			out += " " + string(appendPlain(b.At(i), r))
		}
		out += "\n"
	}
	return out
}

// same demands the same names and values.
func same(tb rapid.TB, got, want *colstore.Batch) {
	want = want.Detach()
	if !got.Schema().Equal(want.Schema()) || got.Rows() != want.Rows() {
		tb.Fatalf("%d rows of %v, want %d of %v", got.Rows(), got.Schema(), want.Rows(), want.Schema())
	}
	for i, f := range want.Schema().All() {
		if string(raw(got, i)) != string(raw(want, i)) {
			tb.Fatalf("the values of column %q differ:\n%.2000s\nwant\n%.2000s", f.Name, table(got), table(want))
		}
	}
}
