package cstore_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// A model of a file: the rows of its records, as bounds in the one batch that all rows are cut of.
type fileModel struct {
	records [][2]int
	stats   bool
}

// Whatever sequence of sessions writes a file, in whatever layout, with writes that fail between, it holds what the model
// says; a session that is aborted leaves its bytes alone.
func TestSessionsAgainstAModel(t *testing.T) {
	all := randomBatch(t, oddSchema, 4000, 9)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(dir, "x.cstore")
		model := fileModel{}
		var w *cstore.Writer
		defer func() {
			if w != nil {
				_ = w.Abort()
			}
		}()
		for session := range rapid.IntRange(1, 5).Draw(rt, "sessions") {
			failing := fsxtest.New(-1, errors.New("a failing call"))
			failing.Fault = rapid.SampledFrom([]fsxtest.Fault{fsxtest.Refused, fsxtest.Half, fsxtest.Done, fsxtest.Short}).Draw(rt, "fault")
			ctx := fsx.With(t.Context(), failing)
			o := &cstore.WriteOptions{
				Layout: cstore.Layout(rapid.IntRange(0, 2).Draw(rt, "layout")), Stats: rapid.Bool().Draw(rt, "statistics"), Mode: cstore.ModeReplace,
			}
			if o.Layout == cstore.LayoutBlocks {
				o.BlockRows = int64(rapid.IntRange(1, 60).Draw(rt, "block"))
			}
			next := model
			if session > 0 && rapid.IntRange(0, 3).Draw(rt, "replace") > 0 {
				o.Mode = cstore.ModeUpdate
			} else {
				next = fileModel{stats: o.Stats}
			}
			var before []byte
			if session > 0 {
				before = readFile(t, path)
			}
			var err error
			if w, err = cstore.CreateIn(ctx, path, oddSchema, o); err != nil {
				rt.Fatal(err)
			}
			end := 0
			if n := len(next.records); n > 0 {
				end = next.records[n-1][1]
			}
			from := end
			var writes [][2]int
			for range rapid.IntRange(0, 6).Draw(rt, "writes") {
				rows := rapid.IntRange(0, 100).Draw(rt, "rows")
				if rapid.IntRange(0, 3).Draw(rt, "fail") == 0 {
					failing.FailAt(rapid.IntRange(0, 3).Draw(rt, "call"))
				}
				err := w.Write(ctx, all.Slice(end, end+rows))
				failing.FailAt(-1)
				if err != nil {
					continue
				}
				writes = append(writes, [2]int{end, end + rows})
				end += rows
			}
			next.records = append(slices.Clip(next.records), recordsOf(o, from, end, writes)...)
			if w.Rows() != int64(end) || w.Records() != int64(len(next.records)) {
				rt.Fatalf("%d rows in %d records, want %d in %d", w.Rows(), w.Records(), end, len(next.records))
			}
			if session > 0 && rapid.IntRange(0, 3).Draw(rt, "abort") == 0 {
				if err := w.Abort(); err != nil {
					rt.Fatal(err)
				}
				if !bytes.Equal(before, readFile(t, path)) {
					rt.Fatal("an aborted session changed the file")
				}
				continue
			}
			if err := w.Commit(ctx); err != nil {
				rt.Fatal(err)
			}
			if o.Mode == cstore.ModeUpdate && len(next.records) > len(model.records) {
				next.stats = model.stats || o.Stats
			}
			if len(next.records) == 0 {
				next.records = [][2]int{{0, 0}}
			}
			model = next
			model.check(rt, path, all)
		}
	})
}

// recordsOf returns the records that a session leaves of the rows from … end, which were written so.
func recordsOf(o *cstore.WriteOptions, from, end int, writes [][2]int) [][2]int {
	switch {
	case o.Layout == cstore.LayoutPerWrite:
		return writes
	case from == end:
		return nil
	case o.Layout == cstore.LayoutSingle:
		return [][2]int{{from, end}}
	}
	var out [][2]int
	for at := from; at < end; at += int(o.BlockRows) {
		out = append(out, [2]int{at, min(at+int(o.BlockRows), end)})
	}
	return out
}

func (m *fileModel) check(t *rapid.T, path string, all *colstore.Batch) {
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Records() != len(m.records) || r.HasStatistics() != m.stats {
		t.Fatalf("%d records, statistics %v; want %d, %v", r.Records(), r.HasStatistics(), len(m.records), m.stats)
	}
	parts, err := r.Map(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range parts {
		want := all.Slice(m.records[i][0], m.records[i][1])
		for c := range oddSchema.Len() {
			got, _ := b.At(c).Bytes()
			if wanted, _ := want.At(c).Bytes(); !bytes.Equal(got, wanted) {
				t.Fatalf("column %d of record %d", c, i)
			}
		}
		b.Release()
	}
	if v, err := cstore.Verify(t.Context(), path, nil); err != nil || len(v.Findings) > 0 {
		t.Fatal(v, err)
	}
}
