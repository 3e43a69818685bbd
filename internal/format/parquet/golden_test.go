package parquet_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// openFile opens a file with its nulls refused, or by the policy given.
func openFile(tb testing.TB, path string, nulls format.Nulls) (format.File, error) {
	tb.Helper()
	f, err := parquet.Descriptor.Read.Open(tb.Context(), &format.OpenRequest{Path: path, Nulls: nulls, Limits: format.DefaultLimits})
	if err == nil {
		tb.Cleanup(func() { f.Close() })
	}
	return f, err
}

// parquetOpen opens a file under other limits than the default ones; the caller closes it.
func parquetOpen(tb testing.TB, path string, limits format.Limits) (format.File, error) {
	tb.Helper()
	return parquet.Descriptor.Read.Open(tb.Context(), &format.OpenRequest{Path: path, Limits: limits})
}

// readTable returns the columns of a file as one batch.
func readTable(tb testing.TB, path string, nulls format.Nulls, p format.Projection, scan colstore.Scan) (*colstore.Batch, error) {
	tb.Helper()
	f, err := openFile(tb, path, nulls)
	if err != nil {
		return nil, err
	}
	src, err := f.Source(tb.Context(), p)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return collect(tb, src, scan)
}

// collect reads a source to its end. Every batch must follow the one before.
func collect(tb testing.TB, src colstore.Source, scan colstore.Scan) (*colstore.Batch, error) {
	tb.Helper()
	schema := src.Schema()
	if scan.Columns != nil {
		var err error
		if schema, err = schema.Select(scan.Columns...); err != nil {
			return nil, err
		}
	}
	data := make([][]byte, schema.Len())
	next, rows := scan.Rows.Begin, 0
	for b, err := range src.Scan(tb.Context(), scan) {
		if err != nil {
			return nil, err
		}
		if b.Begin() != next || scan.BatchRows > 0 && b.Rows() > scan.BatchRows || b.Rows() == 0 {
			tb.Fatalf("a batch of %d rows at %d, expected at %d", b.Rows(), b.Begin(), next)
		}
		next += int64(b.Rows())
		rows += b.Rows()
		for i := range data {
			raw, ok := b.At(i).Bytes()
			if !ok {
				tb.Fatal("a column is not dense")
			}
			data[i] = append(data[i], raw...)
		}
	}
	cols := make([]colstore.Column, len(data))
	for i, f := range schema.All() {
		var err error
		if cols[i], err = colstore.NewColumn(f.Type, rows, data[i]); err != nil {
			tb.Fatal(err)
		}
	}
	b, err := colstore.NewBatch(schema, cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b, nil
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// expected returns what case i of a fixture must give: the reference's answer without a batch size, which never
// changes it, or the intended one where the reference is wrong.
func expected(tb testing.TB, f *golden.Foreign, i int) (ok bool, cols []golden.ForeignColumn) {
	if f.Intended != nil {
		return f.Intended.OK, nil
	}
	j := i
	for k, c := range f.Cases {
		if _, batched := c.Args["batch_size"]; !batched && cmp.Equal(c.Args["columns"], f.Cases[i].Args["columns"]) {
			j = k
		}
	}
	if !f.Cases[j].Outcome.OK {
		return false, nil
	}
	return true, f.Table(tb, j)
}

func columnsOf(c golden.ForeignCase) []string {
	list, ok := c.Args["columns"].([]any)
	if !ok {
		return nil
	}
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.(string)
	}
	return names
}

// Every fixture gives what its manifest says, whatever the size of the batches.
func TestFixtures(t *testing.T) {
	files := golden.LoadForeign(t, "parquet")
	if len(files) != 87 {
		t.Fatalf("%d fixtures", len(files))
	}
	for _, f := range files {
		for i, c := range f.Cases {
			ok, want := expected(t, &f, i)
			path := golden.Path(t, "foreign/"+f.File)
			for _, batch := range []int{0, 1, 16, 97} {
				t.Run(filepath.Base(f.File)+"/"+strings.Join(columnsOf(c), ","), func(t *testing.T) {
					t.Parallel()
					got, err := readTable(t, path, format.Nulls{}, format.Projection{Columns: columnsOf(c)}, colstore.Scan{BatchRows: batch, Threads: 1 + batch%2})
					if !ok {
						checkRefusal(t, err, path)
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					compare(t, got, want)
				})
			}
		}
	}
}

// checkRefusal demands an error that names the file.
func checkRefusal(t *testing.T, err error, path string) {
	t.Helper()
	e, ok := errors.AsType[*colstore.Error](err)
	switch {
	case err == nil:
		t.Fatal("no error")
	case !ok || e.Path != path:
		t.Fatalf("the error does not name the file: %v", err)
	}
}

func compare(t *testing.T, got *colstore.Batch, want []golden.ForeignColumn) {
	t.Helper()
	if got.Schema().Len() != len(want) {
		t.Fatalf("columns %v, want %d", got.Schema(), len(want))
	}
	for i, w := range want {
		f := got.Schema().Field(i)
		raw, _ := got.At(i).Bytes()
		if f.Name != w.Name {
			t.Errorf("column %d is %q, want %q", i, f.Name, w.Name)
		}
		if got.Rows() == 0 && f.Type.IsString() {
			continue // the reference makes every one U1
		}
		if f.Type.String() != w.DType {
			t.Errorf("column %q is %s, want %s", w.Name, f.Type, w.DType)
		} else if sum(raw) != w.SHA256 {
			t.Errorf("the values of column %q differ from %v", w.Name, w.Head)
		}
	}
}
