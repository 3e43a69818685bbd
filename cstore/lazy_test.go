package cstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
)

// writeRecords writes a file of records of rows rows: a column of row numbers and one of bytes, with statistics.
func writeRecords(ctx context.Context, tb rapid.TB, path string, first int64, rows ...int) {
	tb.Helper()
	s := colstore.MustSchema(colstore.Field{Name: "b", Type: colstore.Bool}, colstore.Field{Name: "n", Type: colstore.Int64}, colstore.Field{Name: "m", Type: colstore.Int32})
	w, err := Create(path, s, &WriteOptions{Stats: true, Mode: ModeReplace})
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	for _, n := range rows {
		bools, wide, narrow := make([]bool, n), make([]int64, n), make([]int32, n)
		for i := range n {
			bools[i], wide[i], narrow[i] = (first+int64(i))%3 == 0, first+int64(i), int32(i)
		}
		first += int64(n)
		b, err := colstore.NewBatch(s, colstore.Wrap(bools), colstore.Wrap(wide), colstore.Wrap(narrow))
		if err == nil {
			err = w.Write(ctx, b)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		tb.Fatal(err)
	}
}

func openLazy(tb rapid.TB, path string) *Reader {
	tb.Helper()
	r, err := Open(path, &OpenOptions{Lazy: true})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// scannedColumns returns the bytes of columns of a scan, and the error that ended it.
func scannedColumns(ctx context.Context, tb rapid.TB, r *Reader, s colstore.Scan) (data []string, err error) {
	tb.Helper()
	for b, err := range r.Scan(ctx, s) {
		if err != nil {
			return data, err
		}
		for i := range b.Schema().Len() {
			for len(data) <= i {
				data = append(data, "")
			}
			v, ok := b.At(i).Bytes()
			if !ok {
				tb.Fatal("a column of a file is not plain")
			}
			data[i] += string(v)
		}
	}
	return data, nil
}

// never is a skipper that wants nothing.
type never struct{}

func (never) Skip(_ colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	_, ok := bounds("n")
	return ok
}

// Of very many files few are mapped, whatever was read of them; what is held stays valid; those that are skipped never are.
func TestFewLazyFilesAreMapped(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "first.cstore")
	writeRecords(t.Context(), t, first, 0, 100)
	readers := make([]*Reader, 3*warmFiles)
	mapped := func() (n int) {
		for _, r := range readers {
			if r.lazy.m != nil {
				n++
			}
		}
		return n
	}
	for i := range readers {
		path := filepath.Join(dir, fmt.Sprint(i, ".cstore"))
		if err := os.Link(first, path); err != nil {
			t.Fatal(err)
		}
		readers[i] = openLazy(t, path)
		defer readers[i].Close()
		if i > 0 && readers[i].schema != readers[0].schema {
			t.Fatal("files of the same manifest have schemas of their own")
		}
	}
	for _, r := range readers {
		if data, err := scannedColumns(t.Context(), t, r, colstore.Scan{Skip: never{}}); err != nil || len(data) > 0 {
			t.Fatalf("skipped rows are there: %v", err)
		}
	}
	if n := mapped(); n != 0 {
		t.Errorf("%d files were mapped of which nothing was read", n)
	}
	held, err := readers[0].Map([]string{"n"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := scannedColumns(t.Context(), t, readers[0], colstore.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		for i, r := range readers {
			got, err := scannedColumns(t.Context(), t, r, colstore.Scan{})
			if err != nil || len(got) != 3 || got[1] != want[1] {
				t.Fatalf("round %d: file %d: other rows (%v)", round, i, err)
			}
		}
		if n := mapped(); n == 0 || n > warmFiles {
			t.Errorf("round %d: %d files are mapped, at most %d are to be", round, n, warmFiles)
		}
	}
	if readers[0].lazy.m != nil {
		t.Error("the file that was read first is still mapped")
	}
	if v, err := colstore.Values[int64](held[0].At(0)); err != nil || v[99] != 99 {
		t.Errorf("what was held is gone: %v", err)
	}
	held[0].Release()
	for _, r := range readers {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := warm.files.Len(); n != 0 {
		t.Errorf("%d closed files are kept", n)
	}
}

// What is read is what is mapped, for any columns, rows and batches.
func TestReadIsMapped(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(dir, "x.cstore")
		records := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 2, 7, 8, 100, 70_000}), 1, 4).Draw(rt, "records")
		writeRecords(t.Context(), rt, path, 5, records...)
		s := colstore.Scan{BatchRows: rapid.SampledFrom([]int{0, 1000, 999, 50_000}).Draw(rt, "batch")}
		s.Columns = rapid.SampledFrom([][]string{nil, {}, {"n"}, {"n", "m"}, {"m", "n"}, {"m", "b"}, {"b", "n", "m"}}).Draw(rt, "columns")
		eager, err := Open(path, nil)
		if err != nil {
			rt.Fatal(err)
		}
		defer eager.Close()
		if n := eager.Rows(); n > 0 {
			s.Rows.Begin = rapid.Int64Range(0, n-1).Draw(rt, "begin")
			s.Rows.End = rapid.Int64Range(s.Rows.Begin+1, n).Draw(rt, "end")
		}
		want, err := scannedColumns(t.Context(), rt, eager, s)
		if err != nil {
			rt.Fatal(err)
		}
		lazy := openLazy(rt, path)
		defer lazy.Close()
		for _, s.Once = range []bool{true, false} {
			got, err := scannedColumns(t.Context(), rt, lazy, s)
			if err != nil {
				rt.Fatal(err)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				rt.Fatalf("read once %v: other values", s.Once)
			}
		}
		if n := reading.Load(); n != 0 {
			rt.Fatalf("%d bytes are still read", n)
		}
	})
}

// Beyond the room for what is read, batches show the mapping.
func TestReadHasLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.cstore")
	writeRecords(t.Context(), t, path, 0, 100)
	r := openLazy(t, path)
	defer r.Close()
	reading.Add(maxRead)
	defer reading.Add(-maxRead)
	if _, err := scannedColumns(t.Context(), t, r, colstore.Scan{Once: true}); err != nil {
		t.Fatal(err)
	}
	if r.lazy.m == nil {
		t.Error("the file was read and not mapped")
	}
}

// A lazy file that changed before it was read is an error, never other rows; one that was replaced is read as it was as
// long as it is open.
func TestLazyFileChanges(t *testing.T) {
	for _, once := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.cstore")
		writeRecords(t.Context(), t, path, 0, 100)
		cut := openLazy(t, path)
		defer cut.Close()
		if err := os.Truncate(path, 500); err != nil {
			t.Fatal(err)
		}
		_, err := scannedColumns(t.Context(), t, cut, colstore.Scan{Once: once})
		e, ok := errors.AsType[*colstore.Error](err)
		if !ok || e.Path != path || !errors.Is(err, colstore.ErrTruncated) {
			t.Errorf("a file that was cut: %v", err)
		}

		writeRecords(t.Context(), t, path, 0, 100)
		open := openLazy(t, path)
		defer open.Close()
		writeRecords(t.Context(), t, path, 1000, 100)
		if data, err := scannedColumns(t.Context(), t, open, colstore.Scan{Columns: []string{"n"}, Once: once}); err != nil || data[0][0] != 0 {
			t.Errorf("a file that was replaced while it was open: %v", err)
		}

		cold := openLazy(t, path)
		defer cold.Close()
		for i := range 100 { // descriptors go to those that were opened last
			other := filepath.Join(dir, fmt.Sprint(i, ".cstore"))
			writeRecords(t.Context(), t, other, 0, 1)
			r := openLazy(t, other)
			defer r.Close()
		}
		writeRecords(t.Context(), t, path, 2000, 100)
		if _, err := scannedColumns(t.Context(), t, cold, colstore.Scan{Once: once}); !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("a file that was replaced while nobody read it: %v", err)
		}
		if lo, _, ok := cold.Bounds(1, 0); ok {
			t.Errorf("statistics of another file: %v", lo)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := scannedColumns(t.Context(), t, cold, colstore.Scan{Once: once}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that was removed while nobody read it: %v", err)
		}
	}
}

// A reader that is closed while it is scanned says so, also where rows are read and not mapped.
func TestLazyFileClosedInAScan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.cstore")
	writeRecords(t.Context(), t, path, 0, 10, 10)
	r := openLazy(t, path)
	var err error
	for _, err = range r.Scan(t.Context(), colstore.Scan{Once: true}) {
		if err == nil {
			err = r.Close()
		}
	}
	if !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("%v, want that it is closed", err)
	}
}
