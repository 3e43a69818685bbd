package cstore_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/internal/golden"
)

// unsynced is the file system without waiting for the disk, for tests that look at files and not at what a crash leaves.
func unsynced(tb testing.TB) context.Context { return fsx.With(tb.Context(), fsxtest.Unsynced) }

// storeParts writes the rows of a batch as records that end at cuts.
func storeParts(tb testing.TB, path string, all *colstore.Batch, cuts []int, stats bool) {
	tb.Helper()
	w, err := cstore.CreateIn(unsynced(tb), path, all.Schema(), &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: stats})
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	begin := 0
	for _, end := range cuts {
		if err := w.Write(tb.Context(), all.Slice(begin, end)); err != nil {
			tb.Fatal(err)
		}
		begin = end
	}
	if err := w.Commit(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// storedOnce returns the bytes of a file that the rows of a batch are stored in at once.
func storedOnce(tb testing.TB, all *colstore.Batch, stats bool) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "once.cstore")
	storeParts(tb, path, all, []int{all.Rows()}, stats)
	return read(tb, path)
}

func read(tb testing.TB, path string) []byte {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// drawCuts divides rows into records, some of them empty.
func drawCuts(rt *rapid.T, rows, most int) []int {
	cuts := []int{}
	for at := 0; at < rows; {
		at = min(rows, at+rapid.IntRange(0, most).Draw(rt, "record"))
		cuts = append(cuts, at)
	}
	return cuts
}

// A compacted file is the one that storing its rows at once gives, wherever it goes, whatever its records, statistics and
// leftovers were; compacting it again changes nothing.
func TestCompact(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.IntRange(0, 300).Draw(rt, "rows")
		all := randomBatch(t, oddSchema, rows, uint64(rows))
		had := rapid.Bool().Draw(rt, "statistics")
		path, out := filepath.Join(dir, "in.cstore"), filepath.Join(dir, "out.cstore")
		storeParts(t, path, all, drawCuts(rt, rows, 80), had)
		if tail := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(rt, "leftovers"); !had { // they would cost the footer its place
			if err := os.WriteFile(path, append(read(t, path), tail...), 0o666); err != nil {
				rt.Fatal(err)
			}
		}
		o := &cstore.CompactOptions{
			Stats:   rapid.SampledFrom([]cstore.StatsPolicy{cstore.StatsKeep, cstore.StatsWrite, cstore.StatsDrop}).Draw(rt, "policy"),
			Threads: rapid.IntRange(0, 3).Draw(rt, "threads"), Replace: true,
		}
		has := o.Stats == cstore.StatsWrite || had && o.Stats == cstore.StatsKeep
		want := storedOnce(t, all, has)
		told := int64(0)
		o.Progress = func(done, total int64) {
			if total != int64(rows) || done < told {
				t.Errorf("progress: %d of %d after %d", done, total, told)
			}
			told = done
		}
		before := read(t, path)
		for _, o.Out = range []string{out, "", "", out} {
			o.Dry = true
			dry, err := cstore.Compact(unsynced(t), path, o)
			if err != nil || !bytes.Equal(before, read(t, path)) {
				rt.Fatalf("without doing it: %v", err)
			}
			o.Dry = false
			c, err := cstore.Compact(unsynced(t), path, o)
			if err != nil {
				rt.Fatal(err)
			}
			if d := cmp.Diff(dry, c); d != "" {
				rt.Fatal(d)
			}
			target := path
			if o.Out != "" {
				target = out
			}
			if got := read(t, target); !bytes.Equal(got, want) {
				rt.Fatalf("to %q: first difference at %d of %d and %d", o.Out, firstDifference(got, want), len(got), len(want))
			}
			if c.Path != target || c.Rows != int64(rows) || c.Statistics != has || c.After != int64(len(want)) || c.Before != int64(len(before)) || told != int64(rows) {
				rt.Fatalf("%+v", c)
			}
			before, told = read(t, path), 0
			if o.Out == "" && !bytes.Equal(before, want) {
				rt.Fatal("the file was not replaced")
			}
		}
		c, err := cstore.Compact(unsynced(t), path, &cstore.CompactOptions{Stats: o.Stats})
		if err != nil || !c.Unchanged || c.Records != 1 {
			rt.Fatalf("compacting again: %+v, %v", c, err)
		}
	})
	nothingLeft(t, dir, "in.cstore", "out.cstore")
}

// nothingLeft reports files of a folder that are not among names.
func nothingLeft(t *testing.T, dir string, names ...string) {
	t.Helper()
	for path := range fsxtest.Snapshot(t, dir) {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+filepath.Base(path)+" ") {
			t.Errorf("left behind: %s", path)
		}
	}
}

// Every intact golden file, big-endian and crashed ones too, becomes what its rows give when they are stored at once; one
// that is compact is copied as it is.
func TestCompactGoldenFiles(t *testing.T) {
	n := 0
	for _, f := range golden.Load(t).Files {
		t.Run(f.Name, func(t *testing.T) {
			path := golden.Copy(t, f.Name)
			r, err := cstore.Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			all := collect(t, r)
			want := storedOnce(t, all, f.StatsOffset != 0)
			if f.Records == 1 && (f.StatsOffset != 0 || f.Size == f.CommittedEnd) {
				want = golden.Bytes(t, f.Name)
			} else {
				n++
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := cstore.Compact(t.Context(), path, nil); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); !bytes.Equal(got, want) {
				t.Errorf("first difference at %d of %d and %d", firstDifference(got, want), len(got), len(want))
			}
			if v, err := cstore.Verify(t.Context(), path, nil); err != nil || len(v.Findings) > 0 {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	if n < 10 {
		t.Errorf("only %d files had something to compact", n)
	}
}

// collect reads a file into one batch in native byte order.
func collect(tb testing.TB, r *cstore.Reader) *colstore.Batch {
	tb.Helper()
	fields, cols := make([]colstore.Field, r.Schema().Len()), make([]colstore.Column, r.Schema().Len())
	for i, f := range r.Schema().All() {
		var data []byte
		for b, err := range r.Scan(tb.Context(), colstore.Scan{Columns: []string{f.Name}}) {
			if err != nil {
				tb.Fatal(err)
			}
			raw, ok := b.At(0).Copy().Bytes()
			if !ok {
				tb.Fatal("a copy that is not plain")
			}
			data = append(data, raw...)
		}
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
		c, err := colstore.NewColumn(fields[i].Type, int(r.Rows()), data)
		if err != nil {
			tb.Fatal(err)
		}
		cols[i] = c
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Columns larger than the buffer, and records larger than what one goroutine copies at a time, with the signs of zeros.
func TestCompactLargeRecords(t *testing.T) {
	const rows = 1_200_000
	id, zeros := make([]int64, rows), make([]float32, rows)
	for i := range id {
		id[i] = int64(i) * 7919 % rows
		if zeros[i] = 0; i%3 == 1 {
			zeros[i] = float32(math.Copysign(0, -1))
		}
	}
	text, err := colstore.NewColumn(colstore.BytesOf(7), rows, bytes.Repeat([]byte("abcdefghijk"), 7*rows/11+1)[:7*rows])
	if err != nil {
		t.Fatal(err)
	}
	all, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "s", Type: colstore.BytesOf(7)}, colstore.Field{Name: "id", Type: colstore.Int64},
		colstore.Field{Name: "z", Type: colstore.Float32}), text, colstore.Wrap(id), colstore.Wrap(zeros))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.cstore")
	storeParts(t, path, all, []int{3, 400_001, rows}, false)
	for _, threads := range []int{1, 3} {
		out := filepath.Join(t.TempDir(), "out.cstore")
		if _, err := cstore.Compact(t.Context(), path, &cstore.CompactOptions{Out: out, Threads: threads, Stats: cstore.StatsWrite}); err != nil {
			t.Fatal(err)
		}
		got, want := read(t, out), storedOnce(t, all, true)
		if !bytes.Equal(got, want) {
			t.Errorf("%d threads: first difference at %d of %d and %d", threads, firstDifference(got, want), len(got), len(want))
		}
	}
}

// Statistics that lie are not taken over.
func TestCompactFindsBoundsAgain(t *testing.T) {
	path := golden.Copy(t, "bad/stats_lie.cstore")
	c, err := cstore.Compact(t.Context(), path, nil)
	if err != nil || !c.Statistics || c.Records != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	if v, err := cstore.Verify(t.Context(), path, nil); err != nil || len(v.Findings) > 0 || !v.Statistics {
		t.Errorf("%+v, %v", v, err)
	}
}

// A file that cannot be opened is refused, and stays as it is.
func TestCompactRefusesDamagedFiles(t *testing.T) {
	entries, err := os.ReadDir(golden.Path(t, "bad"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".cstore" {
			continue
		}
		path := golden.Copy(t, "bad/"+e.Name())
		r, err := cstore.Open(path, nil)
		if err == nil {
			_ = r.Close()
			continue
		}
		n++
		before := read(t, path)
		_, got := cstore.Compact(t.Context(), path, nil)
		if !errors.Is(got, colstore.ErrFormat) || !strings.Contains(got.Error(), path) {
			t.Errorf("%s: %v", e.Name(), got)
		}
		if !bytes.Equal(before, read(t, path)) {
			t.Errorf("%s was changed", e.Name())
		}
		nothingLeft(t, filepath.Dir(path), e.Name())
	}
	if n < 50 {
		t.Errorf("only %d damaged files", n)
	}
}

// A run that is ended leaves the old file, and nothing else.
func TestCompactCancelled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in.cstore")
	storeParts(t, path, randomBatch(t, oddSchema, 900_000, 2), []int{5, 300_000, 900_000}, false)
	before := read(t, path)
	stop := errors.New("stop")
	for _, threads := range []int{1, 2} {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := cstore.Compact(ctx, path, &cstore.CompactOptions{Threads: threads, Progress: func(int64, int64) { cancel(stop) }})
		if !errors.Is(err, stop) {
			t.Errorf("%v", err)
		}
		if !bytes.Equal(before, read(t, path)) {
			t.Error("the file was changed")
		}
		nothingLeft(t, dir, "in.cstore")
	}
}

// Another writer keeps compact out; readers do not, and go on reading the old file.
func TestCompactBesideOthers(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "in.cstore"), filepath.Join(dir, "out.cstore")
	all := randomBatch(t, oddSchema, 100, 4)
	storeParts(t, path, all, []int{50, 100}, false)
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := fsx.OS.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.TryLock(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []*cstore.CompactOptions{nil, {Out: out}} {
		if _, err := cstore.Compact(t.Context(), path, o); !errors.Is(err, colstore.ErrLocked) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
	if _, err := cstore.Compact(t.Context(), path, &cstore.CompactOptions{Out: out, Lock: colstore.LockOff}); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := cstore.Compact(t.Context(), path, nil); err != nil {
		t.Fatal(err)
	}
	if r.Records() != 2 {
		t.Errorf("%d records", r.Records())
	}
	if !bytes.Equal(storedOnce(t, collect(t, r), false), read(t, path)) {
		t.Error("the old file reads differently")
	}
	nothingLeft(t, dir, "in.cstore", "out.cstore")
}

// An output that is the file by another name is the file; one that exists is an error unless it is to be replaced.
func TestCompactOutputs(t *testing.T) {
	dir := t.TempDir()
	path, out, link := filepath.Join(dir, "in.cstore"), filepath.Join(dir, "out.cstore"), filepath.Join(dir, "link.cstore")
	storeParts(t, path, randomBatch(t, oddSchema, 100, 4), []int{50, 100}, false)
	if err := errors.Join(os.WriteFile(out, []byte("old"), 0o666), os.Symlink("in.cstore", link)); err != nil {
		t.Fatal(err)
	}
	for _, again := range []bool{false, true} {
		if _, err := cstore.Compact(t.Context(), path, &cstore.CompactOptions{Out: out}); !errors.Is(err, fs.ErrExist) || string(read(t, out)) != "old" {
			t.Errorf("%v", err)
		}
		c, err := cstore.Compact(t.Context(), path, &cstore.CompactOptions{Out: link})
		if err != nil || c.Path != path || c.Unchanged != again {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if st, err := os.Lstat(link); err != nil || st.Mode().Type() != fs.ModeSymlink {
		t.Errorf("%v, %v", st, err)
	}
	if _, err := cstore.Compact(t.Context(), path, &cstore.CompactOptions{Out: filepath.Join(dir, "a", "b.cstore")}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := cstore.Compact(t.Context(), path, &cstore.CompactOptions{Out: filepath.Join(dir, "a", "b.cstore"), Mkdirs: true}); err != nil {
		t.Error(err)
	}
	for _, missing := range []string{filepath.Join(dir, "missing.cstore"), dir} {
		if _, err := cstore.Compact(t.Context(), missing, nil); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}
