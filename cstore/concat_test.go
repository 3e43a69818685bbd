package cstore_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/internal/golden"
)

// reordered returns the columns of a batch in the order of numbers.
func reordered(tb testing.TB, b *colstore.Batch, order []int) *colstore.Batch {
	tb.Helper()
	fields, cols := make([]colstore.Field, len(order)), make([]colstore.Column, len(order))
	for i, j := range order {
		fields[i], cols[i] = b.Schema().Field(j), b.At(j)
	}
	out, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// openAll opens files until the test ends.
func openAll(tb testing.TB, paths ...string) []*cstore.Reader {
	tb.Helper()
	out := make([]*cstore.Reader, len(paths))
	for i, p := range paths {
		r, err := cstore.Open(p, nil)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = r.Close() })
		out[i] = r
	}
	return out
}

// Files one below the other are the file that storing all rows at once gives, whatever their records and the order of
// their columns, also if another file has taken the place of one since it was opened.
func TestConcat(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.IntRange(0, 300).Draw(rt, "rows")
		all := randomBatch(t, oddSchema, rows, uint64(rows))
		statistics := rapid.Bool().Draw(rt, "statistics")
		var readers []*cstore.Reader
		defer func() {
			for _, r := range readers {
				_ = r.Close()
			}
		}()
		for begin := 0; begin < rows || len(readers) == 0; {
			end := min(rows, begin+rapid.IntRange(0, 150).Draw(rt, "file"))
			part := all.Slice(begin, end)
			if len(readers) > 0 {
				part = reordered(t, part, rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(rt, "columns"))
			}
			path := filepath.Join(dir, "in.cstore")
			storeParts(t, path, part, drawCuts(rt, end-begin, 60), statistics)
			r, err := cstore.Open(path, nil)
			if err != nil {
				rt.Fatal(err)
			}
			readers, begin = append(readers, r), end // the next file takes this one's place
		}
		order := []int{0, 1, 2, 3, 4, 5}
		o := &cstore.ConcatOptions{Replace: true, Threads: rapid.IntRange(0, 3).Draw(rt, "threads")}
		if rapid.Bool().Draw(rt, "project") {
			order = rapid.Permutation(order).Draw(rt, "order")[:rapid.IntRange(1, 6).Draw(rt, "of")]
			o.Columns = reordered(t, all, order).Schema().Names()
		}
		out := filepath.Join(dir, "out.cstore")
		c, err := cstore.Concat(unsynced(t), out, readers, o)
		if err != nil {
			rt.Fatal(err)
		}
		got, want := read(t, out), storedOnce(t, reordered(t, all, order), statistics)
		if !bytes.Equal(got, want) {
			rt.Fatalf("first difference at %d of %d and %d", firstDifference(got, want), len(got), len(want))
		}
		if c.Path != out || c.Rows != int64(rows) || c.Bytes != int64(len(got)) || c.Statistics != statistics {
			rt.Fatalf("%+v", c)
		}
	})
	nothingLeft(t, dir, "in.cstore", "out.cstore")
}

// Both byte orders are one dtype; what is written is little-endian.
func TestConcatSwapsBytes(t *testing.T) {
	r := openAll(t, golden.Path(t, "handmade_big_endian.cstore"))[0]
	once := collect(t, r)
	dir := t.TempDir()
	little, out := filepath.Join(dir, "little.cstore"), filepath.Join(dir, "out.cstore")
	if err := cstore.Store(t.Context(), little, once, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := cstore.Concat(t.Context(), out, []*cstore.Reader{r, openAll(t, little)[0]}, nil); err != nil {
		t.Fatal(err)
	}
	got := collect(t, openAll(t, out)[0])
	for i := range once.Schema().Len() {
		a, _ := once.At(i).Bytes()
		b, _ := got.At(i).Bytes()
		if !bytes.Equal(b, slices.Concat(a, a)) {
			t.Errorf("column %d differs", i)
		}
	}
}

func TestConcatErrors(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	all := randomBatch(t, oddSchema, 9, 1)
	storeParts(t, at("a.cstore"), all, []int{9}, true)
	storeParts(t, at("fewer.cstore"), reordered(t, all, []int{0, 1, 2, 3, 4}), []int{9}, true)
	wider := oddSchema.Names()
	other, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: wider[0], Type: colstore.Int16}, oddSchema.Field(1), oddSchema.Field(2), oddSchema.Field(3), oddSchema.Field(4), oddSchema.Field(5)),
		colstore.Wrap(make([]int16, 9)), all.At(1), all.At(2), all.At(3), all.At(4), all.At(5))
	if err != nil {
		t.Fatal(err)
	}
	storeParts(t, at("other.cstore"), other, []int{9}, true)
	if err := errors.Join(os.Symlink("a.cstore", at("link.cstore")), os.WriteFile(at("old.cstore"), []byte("old"), 0o666)); err != nil {
		t.Fatal(err)
	}
	before := fsxtest.Snapshot(t, dir)
	open := func(names ...string) (out []*cstore.Reader) {
		for _, n := range names {
			out = append(out, openAll(t, at(n))...)
		}
		return out
	}
	closed := open("a.cstore")
	if err := closed[0].Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		out     string
		readers []*cstore.Reader
		o       cstore.ConcatOptions
		is      error
		says    string
	}{
		{"out.cstore", nil, cstore.ConcatOptions{}, colstore.ErrValue, "nothing to write"},
		{"a.cstore", open("fewer.cstore", "a.cstore"), cstore.ConcatOptions{Replace: true}, colstore.ErrValue, "one of the files"},
		{"link.cstore", open("a.cstore"), cstore.ConcatOptions{Replace: true}, colstore.ErrValue, "one of the files"},
		{"out.cstore", open("a.cstore", "fewer.cstore"), cstore.ConcatOptions{}, colstore.ErrMismatch, `fewer.cstore: column "ok": mismatch: it is missing`},
		{"out.cstore", open("fewer.cstore", "a.cstore"), cstore.ConcatOptions{}, colstore.ErrMismatch, `a.cstore: column "ok"`},
		{"out.cstore", open("a.cstore", "other.cstore"), cstore.ConcatOptions{}, colstore.ErrMismatch, `other.cstore: column "a": mismatch: it is int16`},
		{"out.cstore", open("a.cstore"), cstore.ConcatOptions{Columns: []string{"a", "z"}}, colstore.ErrNoColumn, `a.cstore: column "z"`},
		{"out.cstore", closed, cstore.ConcatOptions{}, colstore.ErrClosed, "a.cstore"},
		{"old.cstore", open("a.cstore"), cstore.ConcatOptions{}, fs.ErrExist, "old.cstore"},
	} {
		if _, err := cstore.Concat(t.Context(), at(c.out), c.readers, &c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.out, err, c.says)
		}
	}
	after := fsxtest.Snapshot(t, dir)
	for path, raw := range after {
		if before[path] != raw {
			t.Errorf("%s has changed", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, there were %d", len(after), len(before))
	}
}

// A file that was cut since it was opened is an error that names it, and leaves nothing.
func TestConcatOfCutFile(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "in.cstore"), filepath.Join(dir, "out.cstore")
	storeParts(t, path, randomBatch(t, oddSchema, 90_000, 3), []int{90_000}, false)
	for _, replaced := range []bool{false, true} {
		r, err := cstore.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		open := path
		if replaced { // then it is read by its mapping
			open = filepath.Join(dir, "renamed.cstore")
			if err := os.Rename(path, open); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Truncate(open, 1<<20); err != nil {
			t.Fatal(err)
		}
		if _, err := cstore.Concat(t.Context(), out, []*cstore.Reader{r}, &cstore.ConcatOptions{Threads: 2}); !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) {
			t.Errorf("replaced %v: %v", replaced, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		nothingLeft(t, dir, "in.cstore", "renamed.cstore")
		storeParts(t, path, randomBatch(t, oddSchema, 90_000, 3), []int{90_000}, false)
	}
}
