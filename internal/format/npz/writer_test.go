package npz_test

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
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/npz"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/source/format"
)

// writing says how a batch is written.
type writing struct {
	fsys        fsx.FS // nil: the operating system's
	compression string
	threads     int
	rows        int        // of a write; 0 is all
	order       *rand.Rand // if set, rows are reserved and written in its order
	create      bool       // do not replace
}

func (w writing) open(path string, s *colstore.Schema) (colstore.Sink, error) {
	if w.fsys == nil {
		w.fsys = fsx.OS
	}
	if w.compression == "" {
		w.compression = "none"
	}
	o, err := format.CheckOptions("writing npz", npz.Descriptor.Write.Options, map[string]any{"compression": w.compression})
	if err != nil {
		return nil, err
	}
	return npz.Descriptor.Write.Create(fsx.With(context.Background(), w.fsys), &format.CreateRequest{
		Path: path, Schema: s, Options: o, Replace: !w.create, Threads: w.threads,
	})
}

func store(path string, b *colstore.Batch, how writing) (err error) {
	ctx := context.Background()
	w, err := how.open(path, b.Schema())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	rows := how.rows
	if rows == 0 {
		rows = max(1, b.Rows())
	}
	var begins []int
	for at := 0; at < b.Rows(); at += rows {
		begins = append(begins, at)
	}
	if how.order != nil {
		if err := w.(colstore.OffsetSink).Reserve(int64(b.Rows())); err != nil {
			return err
		}
		how.order.Shuffle(len(begins), func(i, j int) { begins[i], begins[j] = begins[j], begins[i] })
	}
	for _, at := range begins {
		part := b.Slice(at, min(at+rows, b.Rows()))
		if how.order != nil {
			err = w.(colstore.OffsetSink).WriteAt(ctx, int64(at), part)
		} else {
			err = w.Write(ctx, part)
		}
		if err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

var everyType = []colstore.DType{
	colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16, colstore.Uint32, colstore.Uint64,
	colstore.Float16, colstore.Float32, colstore.Float64, colstore.BytesOf(1), colstore.BytesOf(9), colstore.TextOf(1), colstore.TextOf(6),
	colstore.DatetimeOf(colstore.Year), colstore.DatetimeOf(colstore.Nanosecond), colstore.TimedeltaOf(colstore.Attosecond),
	colstore.Int16.Swapped(), colstore.Float64.Swapped(), colstore.TextOf(3).Swapped(),
}

// anyBatch returns rows of bytes of some dtypes; every other column repeats one value.
func anyBatch(tb rapid.TB, types []colstore.DType, rows int, seed uint64) *colstore.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	fields, cols := make([]colstore.Field, len(types)), make([]colstore.Column, len(types))
	for i, t := range types {
		fields[i] = colstore.Field{Name: fmt.Sprintf("c%d é", i), Type: t}
		data := make([]byte, rows*t.Size())
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		c, err := colstore.NewColumn(t, rows, data)
		if err != nil {
			tb.Fatal(err)
		}
		if i%2 == 1 {
			p, n, _ := c.Raw()
			c = colstore.RawColumn(t, n, 0, p)
		}
		cols[i] = c
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// An archive holds the same bytes however its rows arrive, and reads back as what was written, whatever the batches.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom(everyType), 1, 5).Draw(t, "types")
		rows := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 90_000)).Draw(t, "rows")
		b := anyBatch(t, types, rows, rapid.Uint64().Draw(t, "seed"))
		compression := rapid.SampledFrom([]string{"none", "deflate", "deflate:1"}).Draw(t, "compression")
		var first []byte
		for i := range 3 {
			how := writing{compression: compression, threads: i, rows: rapid.IntRange(1, max(1, rows)).Draw(t, "write")}
			how.rows = max(how.rows, rows/100)
			if i == 1 {
				how.order = rand.New(rand.NewPCG(uint64(rows), 2))
			}
			path := filepath.Join(dir, "f.npz")
			if err := store(path, b, how); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = data
			} else if !bytes.Equal(data, first) {
				t.Fatalf("%+v gives other bytes", how)
			}
			scan := colstore.Scan{BatchRows: rapid.IntRange(0, max(1, rows)).Draw(t, "batch"), Threads: i, Once: i == 2}
			scan.BatchRows = max(scan.BatchRows, rows/100)
			if rows > 0 && rapid.Bool().Draw(t, "part") {
				scan.Rows.Begin = int64(rapid.IntRange(0, rows-1).Draw(t, "begin"))
				scan.Rows.End = int64(rapid.IntRange(int(scan.Rows.Begin)+1, rows).Draw(t, "end"))
			}
			got, err := readTable(path, nil, scan)
			if err != nil {
				t.Fatal(err)
			}
			want := b
			if scan.Rows.End > 0 {
				want = b.Slice(int(scan.Rows.Begin), int(scan.Rows.End))
			}
			same(t, got, want)
		}
	})
}

// same demands the same names and values.
func same(tb rapid.TB, got, want *colstore.Batch) {
	want = want.Detach()
	if !got.Schema().Equal(want.Schema()) || got.Rows() != want.Rows() {
		tb.Fatalf("%d rows of %v, want %d of %v", got.Rows(), got.Schema(), want.Rows(), want.Schema())
	}
	for i := range want.Schema().All() {
		if !bytes.Equal(raw(got, i), raw(want, i)) {
			tb.Fatalf("the values of column %d differ", i)
		}
	}
}

// A member of several blocks, deflated by several threads, is the same as by one, and what it was.
func TestDeflatedBlocks(t *testing.T) {
	b := anyBatch(t, []colstore.DType{colstore.Uint16, colstore.BytesOf(3)}, 700_000, 3)
	dir := t.TempDir()
	var sizes [2][]byte
	for i, threads := range []int{1, 4} {
		path := filepath.Join(dir, fmt.Sprint(threads, ".npz"))
		if err := store(path, b, writing{compression: "deflate", threads: threads, rows: 33_333}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = data
		got, err := readTable(path, nil, colstore.Scan{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, b)
	}
	if !bytes.Equal(sizes[0], sizes[1]) {
		t.Error("the number of threads shows")
	}
}

func TestRefusedNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.npz")
	for _, name := range []string{"a\x00b", "\xff", strings.Repeat("x", 65_532)} {
		s := colstore.MustSchema(colstore.Field{Name: name, Type: colstore.Int8})
		if _, err := (writing{}).open(path, s); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("%.20q: %v", name, err)
		}
	}
	if _, err := (writing{}).open(path, colstore.MustSchema()); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no columns: %v", err)
	}
	for _, name := range []string{"", "../../up", "/etc/x", "a/", strings.Repeat("x", 65_531)} {
		b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: name, Type: colstore.Int8}), colstore.Wrap([]int8{1, 2}))
		if err != nil {
			t.Fatal(err)
		}
		if err := store(path, b, writing{}); err != nil {
			t.Errorf("%.20q: %v", name, err)
			continue
		}
		got, err := readTable(path, nil, colstore.Scan{})
		if err != nil {
			t.Errorf("%.20q: %v", name, err)
			continue
		}
		same(t, got, b)
	}
}

func TestMisuse(t *testing.T) {
	ctx := t.Context()
	b := anyBatch(t, []colstore.DType{colstore.Int32}, 10, 1)
	other := anyBatch(t, []colstore.DType{colstore.Int64}, 10, 1)
	two := anyBatch(t, []colstore.DType{colstore.Int32, colstore.Int32}, 10, 1)
	dir := t.TempDir()
	open := func() colstore.OffsetSink {
		w, err := (writing{}).open(filepath.Join(dir, "f.npz"), b.Schema())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Abort() })
		return w.(colstore.OffsetSink)
	}
	check := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	w := open()
	check("another dtype", w.Write(ctx, other), colstore.ErrMismatch)
	check("another number of columns", w.Write(ctx, two), colstore.ErrMismatch)
	check("WriteAt without Reserve", w.WriteAt(ctx, 0, b), colstore.ErrMismatch)
	check("a good write after refused ones", w.Write(ctx, b), nil)
	check("Reserve after a write", w.Reserve(20), colstore.ErrMismatch)
	check("commit", w.Commit(ctx), nil)
	check("a write after Commit", w.Write(ctx, b), colstore.ErrClosed)
	check("Commit again", w.Commit(ctx), colstore.ErrClosed)
	check("Abort after Commit", w.Abort(), nil)

	w = open()
	check("negative rows", w.Reserve(-1), colstore.ErrRange)
	check("too many rows", w.Reserve(1<<62), colstore.ErrValue)
	check("Reserve", w.Reserve(20), nil)
	check("Reserve again", w.Reserve(20), colstore.ErrMismatch)
	check("Write after Reserve", w.Write(ctx, b), colstore.ErrMismatch)
	check("rows beyond the end", w.WriteAt(ctx, 11, b), colstore.ErrRange)
	check("WriteAt", w.WriteAt(ctx, 10, b), nil)
	check("missing rows", w.Commit(ctx), colstore.ErrMismatch)

	cancelled, cancel := context.WithCancelCause(ctx)
	over := errors.New("over")
	cancel(over)
	w = open()
	check("cancelled write", w.Write(cancelled, b), over)
	check("cancelled commit", w.Commit(cancelled), over)
}

// Whatever call fails, the old file stays and nothing is left beside it.
func TestEveryFailingCall(t *testing.T) {
	b := anyBatch(t, []colstore.DType{colstore.Int32, colstore.TextOf(2)}, 3000, 1)
	for _, how := range []writing{{rows: 1000}, {rows: 1500, order: rand.New(rand.NewPCG(1, 1))}, {rows: 1000, compression: "deflate"}} {
		whole := 0
		setup := func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f.npz"), []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			return dir
		}
		write := func(fsys fsx.FS, dir string) error {
			path := filepath.Join(dir, "f.npz")
			how.fsys = fsys
			err := store(path, b, how)
			if err == nil {
				whole = len(fsxtest.Snapshot(t, dir)[path])
			} else if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), ".tmp") {
				t.Errorf("error %q names not %s and %v alone", err, path, syscall.ENOSPC)
			}
			return err
		}
		published := func(dir string) bool {
			// Only the sync of the folder fails after the rename; then the new file is whole.
			now := fsxtest.Snapshot(t, dir)
			text := now[filepath.Join(dir, "f.npz")]
			return len(now) == 1 && strings.HasPrefix(text, "PK") && (whole == 0 || whole == len(text))
		}
		fsxtest.Every(t, syscall.ENOSPC, setup, write, published)
	}
}

func TestExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.npz")
	b := anyBatch(t, []colstore.DType{colstore.Int32}, 3, 1)
	if err := store(path, b, writing{create: true}); err != nil {
		t.Fatal(err)
	}
	if err := store(path, b, writing{create: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("no error for a file that is there: %v", err)
	}
}

func TestCompressionOption(t *testing.T) {
	for text, ok := range map[string]bool{
		"none": true, "deflate": true, "deflate:1": true, "deflate:9": true,
		"": false, "none:1": false, "deflate:0": false, "deflate:10": false, "deflate:x": false, "deflate:": false, "gzip": false,
	} {
		_, err := format.CheckOptions("writing npz", npz.Descriptor.Write.Options, map[string]any{"compression": text})
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
