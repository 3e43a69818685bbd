package cstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/golden"
)

// Every intact golden file, read record by record and written again, gives the same bytes.
func TestRewriteIsByteIdentical(t *testing.T) {
	n := 0
	for _, f := range golden.Load(t).Files {
		if f.Records == 0 || f.StatsOffset == 0 && f.Size != f.CommittedEnd || f.Name == "handmade_big_endian.cstore" {
			continue
		}
		n++
		t.Run(f.Name, func(t *testing.T) {
			r, err := cstore.Open(golden.Path(t, f.Name), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			path := filepath.Join(t.TempDir(), "out.cstore")
			w, err := cstore.Create(path, r.Schema(), &cstore.WriteOptions{Stats: f.StatsOffset != 0})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			for i := range r.Records() {
				if err := w.Write(t.Context(), recordBatch(t, r, i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if want := golden.Bytes(t, f.Name); !bytes.Equal(got, want) {
				t.Errorf("%d bytes, want %d; first difference at %d", len(got), len(want), firstDifference(got, want))
			}
		})
	}
	if n < 25 {
		t.Errorf("only %d files were written again", n)
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// recordBatch returns the rows of one record, also if it has none.
func recordBatch(tb testing.TB, r *cstore.Reader, i int) *colstore.Batch {
	tb.Helper()
	rows := r.RecordRows(i)
	if rows.Rows() == 0 {
		cols := make([]colstore.Column, r.Schema().Len())
		for j, f := range r.Schema().All() {
			cols[j] = colstore.RawColumn(f.Type, 0, f.Type.Size(), nil)
		}
		b, err := colstore.NewBatch(r.Schema(), cols...)
		if err != nil {
			tb.Fatal(err)
		}
		return b
	}
	for b, err := range r.Scan(tb.Context(), colstore.Scan{Rows: rows, BatchRows: int(rows.Rows())}) {
		if err != nil {
			tb.Fatal(err)
		}
		return b.Detach()
	}
	tb.Fatal("no batch")
	return nil
}

var oddSchema = colstore.MustSchema(
	colstore.Field{Name: "a", Type: colstore.Int8},
	colstore.Field{Name: "b", Type: colstore.Float64},
	colstore.Field{Name: "s", Type: colstore.BytesOf(3)},
	colstore.Field{Name: "u", Type: colstore.TextOf(2)},
	colstore.Field{Name: "t", Type: colstore.DatetimeOf(colstore.Nanosecond)},
	colstore.Field{Name: "ok", Type: colstore.Bool},
)

// randomBatch returns rows of random bytes, with bools that are 0 or 1.
func randomBatch(tb testing.TB, s *colstore.Schema, rows int, seed uint64) *colstore.Batch {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	cols := make([]colstore.Column, s.Len())
	for i, f := range s.All() {
		data := make([]byte, rows*f.Type.Size())
		for j := range data {
			data[j] = byte(r.Uint32())
			if f.Type == colstore.Bool {
				data[j] &= 1
			}
		}
		c, err := colstore.NewColumn(f.Type, rows, data)
		if err != nil {
			tb.Fatal(err)
		}
		cols[i] = c
	}
	b, err := colstore.NewBatch(s, cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// One record holds the same bytes however the rows arrive: at once, in batches of any size, in any order.
func TestSingleLayoutHidesBatches(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.IntRange(0, 300).Draw(rt, "rows")
		stats := rapid.Bool().Draw(rt, "stats")
		all := randomBatch(t, oddSchema, rows, uint64(rows))
		o := &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: stats}
		once := filepath.Join(dir, "once.cstore")
		if err := cstore.Store(t.Context(), once, all, o); err != nil {
			rt.Fatal(err)
		}
		want, err := os.ReadFile(once)
		if err != nil {
			rt.Fatal(err)
		}
		var cuts []int
		for at := 0; at < rows; {
			at = min(rows, at+rapid.IntRange(1, 120).Draw(rt, "batch"))
			cuts = append(cuts, at)
		}
		o.Layout = cstore.LayoutSingle
		for _, reserve := range []bool{false, true} {
			path := filepath.Join(dir, "batches.cstore")
			w, err := cstore.Create(path, oddSchema, o)
			if err != nil {
				rt.Fatal(err)
			}
			if reserve {
				if err := w.Reserve(int64(rows)); err != nil {
					rt.Fatal(err)
				}
			}
			writeParts(rt, w, all, cuts, reserve)
			if err := w.Commit(t.Context()); err != nil {
				rt.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				rt.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				rt.Fatalf("reserve %v, cuts %v: first difference at %d of %d", reserve, cuts, firstDifference(got, want), len(want))
			}
		}
	})
}

// writeParts writes the batch in parts that end at cuts; with at, by row number and back to front.
func writeParts(t interface{ Fatal(...any) }, w *cstore.Writer, all *colstore.Batch, cuts []int, at bool) {
	begin := 0
	var parts []*colstore.Batch
	for _, end := range cuts {
		parts = append(parts, all.Slice(begin, end))
		begin = end
	}
	for i := range parts {
		var err error
		if at {
			p := parts[len(parts)-1-i]
			err = w.WriteAt(context.Background(), p.Begin(), p)
		} else {
			err = w.Write(context.Background(), parts[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBlockLayout(t *testing.T) {
	const blockRows = 40
	for _, rows := range []int{0, 1, 39, 40, 41, 80, 100} {
		for _, reserve := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d rows, reserved %v", rows, reserve), func(t *testing.T) {
				dir := t.TempDir()
				all := randomBatch(t, oddSchema, rows, 3)
				o := &cstore.WriteOptions{Stats: true}
				want := filepath.Join(dir, "want.cstore")
				w, err := cstore.Create(want, oddSchema, o)
				if err != nil {
					t.Fatal(err)
				}
				for at := 0; at < rows; at += blockRows {
					if err := w.Write(t.Context(), all.Slice(at, min(at+blockRows, rows))); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				o.Layout, o.BlockRows = cstore.LayoutBlocks, blockRows
				got := filepath.Join(dir, "got.cstore")
				if w, err = cstore.Create(got, oddSchema, o); err != nil {
					t.Fatal(err)
				}
				if reserve {
					if err := w.Reserve(int64(rows)); err != nil {
						t.Fatal(err)
					}
				}
				var cuts []int
				for at := 0; at < rows; at += 17 {
					cuts = append(cuts, min(at+17, rows))
				}
				writeParts(t, w, all, cuts, reserve)
				if err := w.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				a, _ := os.ReadFile(got)
				b, _ := os.ReadFile(want)
				if !bytes.Equal(a, b) {
					t.Errorf("first difference at %d of %d and %d", firstDifference(a, b), len(a), len(b))
				}
			})
		}
	}
}

func TestBigEndianAndStridedColumnsAreStoredNative(t *testing.T) {
	be, err := colstore.NewColumn(colstore.Float32.Swapped(), 2, []byte{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}) // 1, -2
	if err != nil {
		t.Fatal(err)
	}
	s := colstore.MustSchema(colstore.Field{Name: "be", Type: be.Type()}, colstore.Field{Name: "back", Type: colstore.Int32}, colstore.Field{Name: "k", Type: colstore.Int32})
	back := colstore.Wrap([]int32{10, 20, 30}).Slice(2, 0, -1)
	k := colstore.RawColumn(colstore.Int32, 2, 0, unsafe.Pointer(&[]int32{7}[0]))
	b, err := colstore.NewBatch(s, be, back, k)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.cstore")
	if err := cstore.Store(t.Context(), path, b, nil); err != nil {
		t.Fatal(err)
	}
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := recordBatch(t, r, 0)
	f, err := colstore.Values[float32](got.At(0))
	if err != nil || f[0] != 1 || f[1] != -2 {
		t.Errorf("be: %v, %v", f, err)
	}
	i, err := colstore.Values[int32](got.At(1))
	if err != nil || i[0] != 30 || i[1] != 20 {
		t.Errorf("back: %v, %v", i, err)
	}
	if i, err = colstore.Values[int32](got.At(2)); err != nil || i[0] != 7 || i[1] != 7 {
		t.Errorf("k: %v, %v", i, err)
	}
}

func TestNothingWrittenIsAnEmptyTable(t *testing.T) {
	for _, layout := range []cstore.Layout{cstore.LayoutPerWrite, cstore.LayoutSingle, cstore.LayoutBlocks} {
		path := filepath.Join(t.TempDir(), "x.cstore")
		w, err := cstore.Create(path, oddSchema, &cstore.WriteOptions{Layout: layout, Stats: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := cstore.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Rows() != 0 || r.Records() != 1 || !r.Schema().Equal(oddSchema) || !r.HasStatistics() {
			t.Errorf("layout %d: %d rows, %d records", layout, r.Rows(), r.Records())
		}
		r.Close()
	}
}

func TestModes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.cstore")
	b := randomBatch(t, oddSchema, 3, 1)
	if err := cstore.Store(t.Context(), path, b, nil); err != nil {
		t.Fatal(err)
	}
	if err := cstore.Store(t.Context(), path, b, nil); !errors.Is(err, colstore.ErrExists) || !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("create over a file: %v", err)
	}
	if err := cstore.Store(t.Context(), path, b, &cstore.WriteOptions{Mode: cstore.ModeReplace}); err != nil {
		t.Error(err)
	}
	if _, err := cstore.Create(dir, oddSchema, &cstore.WriteOptions{Mode: cstore.ModeReplace}); err == nil {
		t.Error("a folder was taken for a file")
	}
	missing := filepath.Join(dir, "no", "where", "x.cstore")
	if err := cstore.Store(t.Context(), missing, b, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.Dir(missing)) {
		t.Errorf("missing folder: %v", err)
	}
	w, err := cstore.Create(missing, oddSchema, &cstore.WriteOptions{Mkdirs: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("aborting left the folders it made: %v", err)
	}
	// A link is followed: what it points at is replaced, the link stays.
	link := filepath.Join(dir, "link.cstore")
	if err := os.Symlink("x.cstore", link); err != nil {
		t.Fatal(err)
	}
	if err := cstore.Store(t.Context(), link, randomBatch(t, oddSchema, 5, 1), &cstore.WriteOptions{Mode: cstore.ModeReplace}); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := cstore.Stat(path); err != nil || info.Rows != 5 {
		t.Errorf("the link's target: %+v, %v", info, err)
	}
}

func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.cstore")
	b := randomBatch(t, oddSchema, 3, 1)
	if err := cstore.Store(t.Context(), path, b, nil); err != nil {
		t.Fatal(err)
	}
	replace := &cstore.WriteOptions{Mode: cstore.ModeReplace}
	w, err := cstore.Create(path, oddSchema, replace)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cstore.Create(path, oddSchema, replace); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if w, err = cstore.Create(path, oddSchema, replace); err != nil {
		t.Fatalf("after the first is gone: %v", err)
	}
	w.Abort()
}

func TestMisuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.cstore")
	b := randomBatch(t, oddSchema, 3, 1)
	w, err := cstore.Create(path, oddSchema, &cstore.WriteOptions{Layout: cstore.LayoutSingle})
	if err != nil {
		t.Fatal(err)
	}
	other := colstore.MustSchema(colstore.Field{Name: "z", Type: colstore.Int8})
	if err := w.Write(t.Context(), randomBatch(t, other, 1, 1)); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("other schema: %v", err)
	}
	if err := w.WriteAt(t.Context(), 0, b); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("write at without a reservation: %v", err)
	}
	if err := w.Reserve(5); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteAt(t.Context(), 3, b); !errors.Is(err, colstore.ErrRange) {
		t.Errorf("rows past the reservation: %v", err)
	}
	if err := w.WriteAt(t.Context(), 0, b); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("commit with rows missing: %v", err)
	}
	if err := errors.Join(w.Abort(), w.Abort()); err != nil {
		t.Error(err)
	}
	if err := w.Write(t.Context(), b); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("write after abort: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// named demands that an error names the path and keeps its cause.
func named(t *testing.T, err error, path string, cause error) error {
	t.Helper()
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("error %q names not %s and %v alone", err, path, cause)
	}
	return err
}

// A writer that died leaves a hidden file, which the next writer of the same path removes; one that lives keeps its.
func TestLeftoversOfTheDead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.cstore")
	dead := filepath.Join(dir, ".x.cstore.colstore-0123456789abcdef.tmp")
	if err := os.WriteFile(dead, []byte("half a file"), 0o666); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, ".x.cstore.q1w2.tmp") // of the Python package, which locks none
	if err := os.WriteFile(foreign, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	first, err := cstore.Create(path, oddSchema, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Abort()
	if _, err := cstore.Create(path, oddSchema, nil); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("while another makes the file: %v", err)
	}
	second, err := cstore.Create(path, oddSchema, &cstore.WriteOptions{Lock: colstore.LockOff})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dead writer's file: %v", err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file of somebody else: %v", err)
	}
	if err := second.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Commit(t.Context()); !errors.Is(err, colstore.ErrExists) {
		t.Errorf("the slower of two creators: %v", err)
	}
}

func TestTruncatedWhileMapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.cstore")
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64})
	if err := cstore.Store(t.Context(), path, randomBatch(t, s, 100_000, 1), nil); err != nil {
		t.Fatal(err)
	}
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	err = fault.Guard(func() error {
		for b, err := range r.Scan(t.Context(), colstore.Scan{}) {
			if err != nil {
				return err
			}
			b.Detach()
		}
		return nil
	})
	if !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) {
		t.Errorf("reading: %v", err)
	}
	// Writing from the mapping: the kernel meets the missing pages and says so.
	out := filepath.Join(t.TempDir(), "y.cstore")
	w, err := cstore.Create(out, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for b, err := range r.Scan(t.Context(), colstore.Scan{}) {
		if err != nil { // behind the last batch
			if !errors.Is(err, colstore.ErrTruncated) {
				t.Error(err)
			}
			break
		}
		if err := w.Write(t.Context(), b); !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) {
			t.Errorf("writing: %v", err)
		}
	}
}
