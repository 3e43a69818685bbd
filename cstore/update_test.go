package cstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/golden"
)

// updates returns the names of the pairs of golden files before and after an update.
func updates(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(golden.Path(t, "updates/*.before.cstore"))
	if err != nil || len(paths) < 7 {
		t.Fatalf("%d pairs, %v", len(paths), err)
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(p), ".before.cstore")
	}
	return paths
}

func open(tb testing.TB, path string) *cstore.Reader {
	tb.Helper()
	r, err := cstore.Open(path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

// newRecords returns the records of a file from number from on.
func newRecords(tb testing.TB, path string, from int) []*colstore.Batch {
	tb.Helper()
	r := open(tb, path)
	var out []*colstore.Batch
	for i := from; i < r.Records(); i++ {
		out = append(out, recordBatch(tb, r, i))
	}
	return out
}

func readFile(tb testing.TB, path string) []byte {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func mustUpdate(tb testing.TB, path string, o *cstore.WriteOptions, batches ...*colstore.Batch) {
	tb.Helper()
	w, err := cstore.Update(path, o)
	if err != nil {
		tb.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(tb.Context(), b); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(tb.Context()), w.Abort()); err != nil {
		tb.Fatal(err)
	}
}

// An update leaves the bytes that the Python package's update does, in one session or in many.
func TestUpdateIsByteIdentical(t *testing.T) {
	for _, name := range updates(t) {
		t.Run(name, func(t *testing.T) {
			before := open(t, golden.Path(t, "updates/"+name+".before.cstore"))
			written := newRecords(t, golden.Path(t, "updates/"+name+".after.cstore"), before.Records())
			want := golden.Bytes(t, "updates/"+name+".after.cstore")
			o := &cstore.WriteOptions{Stats: strings.HasSuffix(name, "_stats")}

			path := golden.Copy(t, "updates/"+name+".before.cstore")
			mustUpdate(t, path, o, written...)
			if got := readFile(t, path); !bytes.Equal(got, want) {
				t.Errorf("at once: %d bytes, want %d; first difference at %d", len(got), len(want), firstDifference(got, want))
			}
			path = golden.Copy(t, "updates/"+name+".before.cstore")
			for _, b := range written {
				mustUpdate(t, path, o, b)
			}
			if got := readFile(t, path); !bytes.Equal(got, want) {
				t.Errorf("one by one: %d bytes, want %d; first difference at %d", len(got), len(want), firstDifference(got, want))
			}
		})
	}
}

// A file that has statistics keeps them without being asked, one that has none gets none.
func TestUpdateKeepsStatistics(t *testing.T) {
	for _, name := range updates(t) {
		before := open(t, golden.Path(t, "updates/"+name+".before.cstore"))
		written := newRecords(t, golden.Path(t, "updates/"+name+".after.cstore"), before.Records())
		path := golden.Copy(t, "updates/"+name+".before.cstore")
		mustUpdate(t, path, nil, written...)
		if r := open(t, path); r.HasStatistics() != before.HasStatistics() {
			t.Errorf("%s: statistics %v, now %v", name, before.HasStatistics(), r.HasStatistics())
		} else if before.HasStatistics() {
			if got, want := readFile(t, path), golden.Bytes(t, "updates/"+name+".after.cstore"); !bytes.Equal(got, want) {
				t.Errorf("%s: first difference at %d", name, firstDifference(got, want))
			}
		}
		v, err := cstore.Verify(t.Context(), path, nil)
		if err != nil || len(v.Findings) > 0 && name != "lost_stats" {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

// Until the commit the file is the old one to who opens it; after Abort it is the old one, byte for byte.
func TestUpdateAborted(t *testing.T) {
	for _, name := range updates(t) {
		fixture := "updates/" + name + ".before.cstore"
		before := open(t, golden.Path(t, fixture))
		old := golden.Bytes(t, fixture)
		written := newRecords(t, golden.Path(t, "updates/"+name+".after.cstore"), before.Records())
		for _, writes := range []int{0, len(written)} {
			for _, prepare := range []bool{false, true} {
				path := golden.Copy(t, fixture)
				w, err := cstore.Update(path, &cstore.WriteOptions{Stats: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range written[:writes] {
					if err := w.Write(t.Context(), b); err != nil {
						t.Fatal(err)
					}
				}
				if prepare {
					if err := w.Prepare(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if r := open(t, path); r.Rows() != before.Rows() || r.Records() != before.Records() {
					t.Errorf("%s: %d rows before the commit", name, r.Rows())
				}
				if err := errors.Join(w.Abort(), w.Abort()); err != nil {
					t.Error(err)
				}
				// What is behind the records and no statistics is nobody's.
				got, want := readFile(t, path), old
				if !before.HasStatistics() && (writes > 0 || prepare) {
					want = old[:len(got)]
				}
				if !bytes.Equal(got, want) || open(t, path).Rows() != before.Rows() {
					t.Errorf("%s, %d writes: %d bytes, were %d; first difference at %d", name, writes, len(got), len(old), firstDifference(got, old))
				}
				if err := w.Write(t.Context(), written[0]); !errors.Is(err, colstore.ErrClosed) {
					t.Errorf("write after abort: %v", err)
				}
			}
		}
	}
}

// A commit without a write changes nothing but that leftovers go.
func TestUpdateOfNothing(t *testing.T) {
	for _, name := range updates(t) {
		fixture := "updates/" + name + ".before.cstore"
		before := open(t, golden.Path(t, fixture))
		path := golden.Copy(t, fixture)
		for layout := range cstore.LayoutBlocks + 1 {
			mustUpdate(t, path, &cstore.WriteOptions{Stats: true, Layout: layout})
		}
		got := readFile(t, path)
		if before.HasStatistics() || name == "plain" || name == "new_stats" {
			if !bytes.Equal(got, golden.Bytes(t, fixture)) {
				t.Errorf("%s changed", name)
			}
			continue
		}
		v, err := cstore.Verify(t.Context(), path, nil)
		if err != nil || len(v.Findings) > 0 || v.Statistics || v.Rows != before.Rows() || len(got) >= len(golden.Bytes(t, fixture)) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func TestUpdateLayouts(t *testing.T) {
	all := randomBatch(t, oddSchema, 100, 4)
	for _, tt := range []struct {
		o    cstore.WriteOptions
		want []int64 // rows of the records
	}{
		{cstore.WriteOptions{}, []int64{7, 33, 33, 33, 1}},
		{cstore.WriteOptions{Layout: cstore.LayoutSingle}, []int64{7, 100}},
		{cstore.WriteOptions{Layout: cstore.LayoutBlocks}, []int64{7, 100}},
		{cstore.WriteOptions{Layout: cstore.LayoutBlocks, BlockRows: 40}, []int64{7, 40, 40, 20}},
		{cstore.WriteOptions{Layout: cstore.LayoutBlocks, BlockRows: 50}, []int64{7, 50, 50}},
	} {
		for _, stats := range []bool{false, true} {
			for _, reserve := range []bool{false, true} {
				if reserve && tt.o.Layout == cstore.LayoutPerWrite {
					continue
				}
				path := filepath.Join(t.TempDir(), "x.cstore")
				if err := cstore.Store(t.Context(), path, randomBatch(t, oddSchema, 7, 6), &cstore.WriteOptions{Stats: stats}); err != nil {
					t.Fatal(err)
				}
				w, err := cstore.Update(path, &tt.o)
				if err != nil {
					t.Fatal(err)
				}
				if reserve {
					if err := w.Reserve(100); err != nil {
						t.Fatal(err)
					}
				}
				writeParts(t, w, all, []int{33, 66, 99, 100}, reserve)
				if w.Records() != int64(len(tt.want)) || w.Rows() != 107 {
					t.Errorf("%+v: %d records, %d rows", tt.o, w.Records(), w.Rows())
				}
				if err := w.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				r := open(t, path)
				var got []int64
				for i := range r.Records() {
					got = append(got, r.RecordRows(i).Rows())
				}
				if fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("%+v: records of %d rows, want %d", tt.o, got, tt.want)
				}
				at := int64(0)
				for b, err := range r.Scan(t.Context(), colstore.Scan{Rows: colstore.Range{Begin: 7, End: 107}, BatchRows: 1}) {
					if err != nil {
						t.Fatal(err)
					}
					for c := range oddSchema.Len() {
						if !bytes.Equal(b.At(c).At(0), all.At(c).At(int(at))) {
							t.Fatalf("%+v: row %d of column %d", tt.o, at, c)
						}
					}
					at++
				}
				if v, err := cstore.Verify(t.Context(), path, nil); err != nil || len(v.Findings) > 0 || v.Statistics != stats {
					t.Errorf("%+v: %+v, %v", tt.o, v, err)
				}
			}
		}
	}
}

// What does not open is not updated either, and not touched.
func TestUpdateOfDamagedFiles(t *testing.T) {
	paths, err := filepath.Glob(golden.Path(t, "bad/*.cstore"))
	if err != nil || len(paths) < 90 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, p := range paths {
		r, err := cstore.Open(p, nil)
		if err == nil {
			r.Close()
			continue
		}
		path := golden.Copy(t, "bad/"+filepath.Base(p))
		old := readFile(t, path)
		w, got := cstore.Update(path, &cstore.WriteOptions{Stats: true})
		if got == nil {
			t.Errorf("%s: opened", filepath.Base(p))
			w.Abort()
			continue
		}
		if want := strings.Replace(err.Error(), "open "+p, "update "+path, 1); got.Error() != want {
			t.Errorf("%s: %v, want %s", filepath.Base(p), got, want)
		}
		if !bytes.Equal(old, readFile(t, path)) {
			t.Errorf("%s was changed", filepath.Base(p))
		}
	}
	path := golden.Copy(t, "handmade_big_endian.cstore")
	if _, err := cstore.Update(path, nil); !errors.Is(err, colstore.ErrType) || !strings.Contains(err.Error(), path) {
		t.Errorf("big-endian: %v", err)
	}
	if _, err := cstore.Update(filepath.Join(t.TempDir(), "none.cstore"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := cstore.Update(t.TempDir(), nil); err == nil {
		t.Error("a folder was updated")
	}
}

func TestUpdateChecks(t *testing.T) {
	path := golden.Copy(t, "updates/keep_stats.before.cstore")
	link := filepath.Join(filepath.Dir(path), "link.cstore")
	if err := os.Symlink(filepath.Base(path), link); err != nil {
		t.Fatal(err)
	}
	for _, o := range []cstore.WriteOptions{
		{Mode: cstore.ModeReplace},
		{BlockRows: 3},
		{Layout: cstore.LayoutBlocks, BlockRows: -1},
		{Layout: 9},
	} {
		if _, err := cstore.Update(path, &o); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	w, err := cstore.Update(link, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := cstore.Update(path, nil); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if _, err := cstore.Create(path, w.Schema(), &cstore.WriteOptions{Mode: cstore.ModeReplace}); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("a replacing writer: %v", err)
	}
	if err := w.Write(t.Context(), randomBatch(t, oddSchema, 1, 1)); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("other schema: %v", err)
	}
	if w.Path() != link || w.Mode() != cstore.ModeUpdate || w.Closed() || w.Records() != 3 || w.Rows() != 12 {
		t.Errorf("%s, mode %d, closed %v, %d records, %d rows", w.Path(), w.Mode(), w.Closed(), w.Records(), w.Rows())
	}
	if err := w.Commit(t.Context()); err != nil || !w.Closed() {
		t.Error(err)
	}
	if !bytes.Equal(readFile(t, path), golden.Bytes(t, "updates/keep_stats.before.cstore")) {
		t.Error("a refused batch changed the file")
	}
	if st, err := os.Lstat(link); err != nil || st.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is gone: %v", err)
	}
}

// hooked calls a function before a file is locked.
type hooked struct {
	fsx.FS
	before func()
}

type hookedFile struct {
	fsx.File
	h *hooked
}

func (h *hooked) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := h.FS.OpenFile(path, flag, perm)
	return &hookedFile{f, h}, err
}

func (f *hookedFile) TryLock() error {
	if before := f.h.before; before != nil {
		f.h.before = nil
		before()
	}
	return f.File.TryLock()
}

// A file that another writer renames over the path between opening and locking is the one that is updated.
func TestUpdateOfAFileThatIsReplaced(t *testing.T) {
	path := golden.Copy(t, "updates/plain.before.cstore")
	other := golden.Copy(t, "updates/plain.after.cstore")
	rows := open(t, other).Rows()
	b := newRecords(t, other, 0)[0]
	fsys := &hooked{fsx.OS, func() {
		if err := os.Rename(other, path); err != nil {
			t.Error(err)
		}
	}}
	w, err := cstore.UpdateIn(fsx.With(t.Context(), fsys), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(t.Context(), b), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := open(t, path).Rows(); got != rows+int64(b.Rows()) {
		t.Errorf("%d rows, want %d", got, rows+int64(b.Rows()))
	}
}
