//go:build unix

package cstore_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
)

// cutter is the operating system's file system that cuts a file after so many writes to others.
type cutter struct {
	fsx.FS
	path   string
	at     int64
	writes int
}

func (c *cutter) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := c.FS.OpenFile(path, flag, perm)
	if err != nil || path == c.path {
		return f, err
	}
	return &cutterFile{f, c}, nil
}

type cutterFile struct {
	fsx.File
	c *cutter
}

func (f *cutterFile) WriteAt(p []byte, off int64) (int, error) {
	if f.c.writes--; f.c.writes == 0 {
		if err := os.Truncate(f.c.path, f.c.at); err != nil {
			return 0, err
		}
	}
	return f.File.WriteAt(p, off)
}

// manyRecords writes a file of several records of some pages each.
func manyRecords(t *testing.T, path string, stats bool) *table {
	t.Helper()
	k := kinds[2]
	all := &table{kind: 2}
	w, err := cstore.Create(path, k.schema, &cstore.WriteOptions{Stats: stats})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		rows := k.draw(r, 2500)
		if err := w.Write(t.Context(), k.batch(rows)); err != nil {
			t.Fatal(err)
		}
		all.rows, all.records = append(all.rows, rows...), append(all.records, 2500)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return all
}

func wantCut(t *testing.T, what string, err error, path string) {
	t.Helper()
	if !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "offset") {
		t.Errorf("%s: %v", what, err)
	}
}

// What copies a file tells that it was cut meanwhile, names it, and publishes nothing.
func TestCutWhileCopied(t *testing.T) {
	for writes := range 12 {
		for _, statistics := range []cstore.StatsPolicy{cstore.StatsDrop, cstore.StatsWrite} {
			dir := t.TempDir()
			path, out := filepath.Join(dir, "in.cstore"), filepath.Join(dir, "out.cstore")
			all := manyRecords(t, path, true)
			// Cut in the last record, so that it is read after every write but the last ones.
			c := &cutter{FS: fsx.OS, path: path, at: int64(len(all.rows)) - 9000, writes: 1 + writes}
			ctx := fsx.With(context.Background(), c)
			_, err := cstore.Compact(ctx, path, &cstore.CompactOptions{Out: out, Stats: statistics})
			if c.writes > 0 || err == nil { // it was cut too late or not at all
				check(t, out, all)
				continue
			}
			wantCut(t, "compact", err, path)
			noFile(t, dir, 1)
		}
	}
	cut := 0
	for writes := range 12 {
		dir := t.TempDir()
		path, out := filepath.Join(dir, "in.cstore"), filepath.Join(dir, "out.cstore")
		all := manyRecords(t, path, false)
		r, err := cstore.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &cutter{FS: fsx.OS, path: path, at: int64(len(all.rows)) - 9000, writes: writes}
		if writes == 0 {
			if err := os.Truncate(path, c.at); err != nil {
				t.Fatal(err)
			}
		}
		_, err = cstore.Concat(fsx.With(context.Background(), c), out, []*cstore.Reader{r}, nil)
		if writes > 0 && (c.writes > 0 || err == nil) {
			check(t, out, all)
		} else {
			cut++
			wantCut(t, "concat", err, path)
			noFile(t, dir, 1)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if cut < 3 {
		t.Errorf("only %d copies were cut", cut)
	}
}

func check(t *testing.T, path string, want *table) {
	t.Helper()
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer r.Close()
	if err := want.sameRows(r, 0); err != nil {
		t.Error(err)
	}
}

// noFile fails if there are more files in a folder than that.
func noFile(t *testing.T, dir string, most int) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > most {
		t.Errorf("%v are left, %v", entries, err)
	}
}

// Bytes that are lost of the last page are missed too, though zeros are read in their place.
func TestCutInTheLastPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.cstore")
	manyRecords(t, path, false)
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, st.Size()-9); err != nil {
		t.Fatal(err)
	}
	last := error(nil)
	for _, err := range r.Scan(t.Context(), colstore.Scan{}) {
		last = err
	}
	wantCut(t, "scan", last, path)
	// Rows before it are there, and what is behind the records may go.
	for _, err := range r.Scan(t.Context(), colstore.Scan{Rows: colstore.Range{End: 2500}}) {
		if err != nil {
			t.Error(err)
		}
	}
}
