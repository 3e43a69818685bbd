package root_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go-hep.org/x/hep/groot/riofs"
	"go-hep.org/x/hep/groot/rtree"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source/format"
)

// writing says how a batch is written.
type writing struct {
	fsys        fsx.FS // nil: the operating system's
	compression string
	tree        string
	threads     int
	rows        int  // of a write; 0 is all
	create      bool // do not replace
}

func (w writing) open(path string, s *colstore.Schema) (colstore.Sink, error) {
	if w.fsys == nil {
		w.fsys = fsx.OS
	}
	given := map[string]any{}
	if w.compression != "" {
		given["compression"] = w.compression
	}
	if w.tree != "" {
		given["tree"] = w.tree
	}
	o, err := format.CheckOptions("writing root", root.Descriptor.Write.Options, given)
	if err != nil {
		return nil, err
	}
	return root.Descriptor.Write.Create(fsx.With(context.Background(), w.fsys), &format.CreateRequest{
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
	for at := 0; at < b.Rows(); at += rows {
		if err := w.Write(ctx, b.Slice(at, min(at+rows, b.Rows()))); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// flatTypes are the dtypes that a branch can have.
var flatTypes = []colstore.DType{
	colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16, colstore.Uint32, colstore.Uint64,
	colstore.Float32, colstore.Float64, colstore.Int16.Swapped(), colstore.Float64.Swapped(),
}

// anyBatch returns rows of values of some dtypes; every third column repeats one value, every fourth has small numbers.
func anyBatch(tb rapid.TB, types []colstore.DType, rows int, seed uint64) *colstore.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	fields, cols := make([]colstore.Field, len(types)), make([]colstore.Column, len(types))
	for i, t := range types {
		fields[i] = colstore.Field{Name: fmt.Sprintf("c%d", i), Type: t}
		data := make([]byte, rows*t.Size())
		for at := range data {
			switch {
			case t.Kind() == colstore.KindBool:
				data[at] = byte(r.IntN(2))
			case i%4 == 3 && at%t.Size() > 0:
			default:
				data[at] = byte(r.Uint32())
			}
		}
		c, err := colstore.NewColumn(t, rows, data)
		if err != nil {
			tb.Fatal(err)
		}
		if i%3 == 1 {
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

// readTree returns what go-hep reads: the branches in order with the bytes of their values, little-endian.
func readTree(tb rapid.TB, path, name string) (names []string, values [][]byte, rows int64) {
	f, err := riofs.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	obj, err := riofs.Dir(f).Get(name)
	if err != nil {
		tb.Fatal(err)
	}
	tree := obj.(rtree.Tree)
	vars := rtree.NewReadVars(tree)
	r, err := rtree.NewReader(tree, vars)
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	values = make([][]byte, len(vars))
	err = r.Read(func(rtree.RCtx) error {
		for i, v := range vars {
			values[i] = appendValue(tb, values[i], v.Value)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	for i, v := range vars {
		if b := tree.Branch(v.Name); b.Name() != v.Leaf {
			tb.Errorf("branch %q has the leaf %q", b.Name(), v.Leaf)
		}
		names = append(names, vars[i].Name)
	}
	return names, values, tree.Entries()
}

func appendValue(tb rapid.TB, dst []byte, v any) []byte {
	le := binary.LittleEndian
	switch v := v.(type) {
	case *bool:
		if *v {
			return append(dst, 1)
		}
		return append(dst, 0)
	case *int8:
		return append(dst, byte(*v))
	case *uint8:
		return append(dst, *v)
	case *int16:
		return le.AppendUint16(dst, uint16(*v))
	case *uint16:
		return le.AppendUint16(dst, *v)
	case *int32:
		return le.AppendUint32(dst, uint32(*v))
	case *uint32:
		return le.AppendUint32(dst, *v)
	case *int64:
		return le.AppendUint64(dst, uint64(*v))
	case *uint64:
		return le.AppendUint64(dst, *v)
	case *float32:
		return le.AppendUint32(dst, math.Float32bits(*v))
	case *float64:
		return le.AppendUint64(dst, math.Float64bits(*v))
	}
	tb.Fatalf("a branch of %T", v)
	return nil
}

// checkTree demands that go-hep reads the rows of b.
func checkTree(tb rapid.TB, path, name string, b *colstore.Batch) {
	names, values, rows := readTree(tb, path, name)
	if rows != int64(b.Rows()) {
		tb.Fatalf("%d entries, want %d", rows, b.Rows())
	}
	if want := b.Schema().Names(); strings.Join(names, " ") != strings.Join(want, " ") {
		tb.Fatalf("branches %v, want %v", names, want)
	}
	flat := b.Detach()
	for i, f := range flat.Schema().All() {
		want, _ := flat.At(i).Bytes()
		if !bytes.Equal(values[i], want) {
			tb.Fatalf("%s: the values of %s %s differ", path, f.Name, f.Type)
		}
	}
}

// A file holds the same bytes however its rows arrive, and go-hep reads what was written.
func TestWrittenTree(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom(flatTypes), 1, 6).Draw(t, "types")
		rows := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 9_000)).Draw(t, "rows")
		b := anyBatch(t, types, rows, rapid.Uint64().Draw(t, "seed"))
		how := writing{compression: rapid.SampledFrom([]string{"none", "zlib", "zstd", "zstd:4", "lz4"}).Draw(t, "compression")}
		var first []byte
		for i := range 3 {
			how.threads, how.rows = i, rapid.IntRange(max(1, rows/100), max(1, rows)).Draw(t, "write")
			path := filepath.Join(dir, "f.root")
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
		}
		checkTree(t, filepath.Join(dir, "f.root"), "events", b)
	})
}

// Baskets end where the schema has it, for every codec: no row, one, a full basket of the widest values, of all of them,
// and a row more.
func TestBasketBorders(t *testing.T) {
	all := anyBatch(t, []colstore.DType{colstore.Float64, colstore.Int8, colstore.Uint16}, 300_000, 3)
	dir := t.TempDir()
	for _, compression := range []string{"zstd", "none", "zlib", "zlib:9", "zstd:3", "zstd:22", "lz4", "lz4:9", "lzma"} {
		borders := []int{0, 1, 32_767, 32_768, 32_769, 262_145}
		if compression != "zstd" {
			borders = []int{0, 33_000}
		}
		for _, rows := range borders {
			b := all.Slice(0, rows)
			whole, pieces := filepath.Join(dir, "whole.root"), filepath.Join(dir, "pieces.root")
			if err := store(whole, b, writing{compression: compression, threads: 3}); err != nil {
				t.Fatal(err)
			}
			if err := store(pieces, b, writing{compression: compression, rows: max(16, rows/1000)}); err != nil {
				t.Fatal(err)
			}
			checkTree(t, whole, "events", b)
			x, err := os.ReadFile(whole)
			if err != nil {
				t.Fatal(err)
			}
			y, err := os.ReadFile(pieces)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(x, y) {
				t.Errorf("%s, %d rows: the batches show", compression, rows)
			}
		}
	}
}

// A file beyond 2 GB, most of which is a hole.
func TestLargeFile(t *testing.T) {
	b := anyBatch(t, []colstore.DType{colstore.Float64, colstore.Int8}, 40_000, 3)
	path := filepath.Join(t.TempDir(), "f.root")
	w, err := writing{}.open(path, b.Schema())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	ctx := t.Context()
	if err := root.LeaveHole(w, 3<<30); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	checkTree(t, path, "events", b)
}

// Tables of more columns have smaller baskets, so that those of all columns fit in memory.
func TestManyBranches(t *testing.T) {
	types := make([]colstore.DType, 3_000)
	for i := range types {
		types[i] = flatTypes[i%len(flatTypes)]
	}
	b := anyBatch(t, types, 520, 2) // 512 of the widest fill a basket
	path := filepath.Join(t.TempDir(), "f.root")
	if err := store(path, b, writing{threads: 2}); err != nil {
		t.Fatal(err)
	}
	checkTree(t, path, "events", b)
	w, err := writing{threads: 8}.open(filepath.Join(t.TempDir(), "g.root"), b.Schema())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if c := w.(colstore.Coster).Cost(nil); c.Fixed > 128<<20 {
		t.Errorf("it holds %s", colstore.ByteSize(c.Fixed))
	}
}

func TestTreeName(t *testing.T) {
	b := anyBatch(t, []colstore.DType{colstore.Int32}, 10, 1)
	for _, name := range []string{"t", "Events 2", "µ→eγ", strings.Repeat("n", 300)} {
		path := filepath.Join(t.TempDir(), "f.root")
		if err := store(path, b, writing{tree: name}); err != nil {
			t.Fatal(err)
		}
		checkTree(t, path, name, b)
	}
	for _, name := range []string{"a/b", "a;1", "a\nb", "\xff", strings.Repeat("n", 2_000)} {
		if _, err := (writing{tree: name}).open("f.root", b.Schema()); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

func TestChangedNames(t *testing.T) {
	names := []string{"pt", "a b", "a-b", "a_b_2", "_x_", "3d", "", "é", "x[3]", "p.q", "x_3"}
	want := []string{"pt", "a_b", "a_b_2", "a_b_2_2", "x", "_3d", "branch", "branch_2", "x_3", "p_q", "x_3_2"}
	fields := make([]colstore.Field, len(names))
	for i, n := range names {
		fields[i] = colstore.Field{Name: n, Type: colstore.Int32}
	}
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "f.root")
	w, err := writing{}.open(path, colstore.MustSchema(fields...))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := readTree(t, path, "events"); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("branches %q, want %q", got, want)
	}
	warnings := w.(colstore.Warner).Warnings()
	if len(warnings) != 1 || !strings.Contains(warnings[0], `"a b" is "a_b"`) || strings.Contains(warnings[0], `"pt"`) || !strings.Contains(warnings[0], path) {
		t.Errorf("warnings %q", warnings)
	}
	good := anyBatch(t, []colstore.DType{colstore.Int32}, 0, 1)
	w, err = writing{}.open(path, good.Schema())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if warnings := w.(colstore.Warner).Warnings(); len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
}

// Files of other contents have other identifiers: caches of readers tell them apart by these.
func TestIdentifier(t *testing.T) {
	seen := map[string]string{}
	dir := t.TempDir()
	for i, how := range []writing{{}, {tree: "t"}, {compression: "none"}, {compression: "zlib"}} {
		for seed := range uint64(2) {
			what := fmt.Sprintf("%+v %d", how, seed)
			path := filepath.Join(dir, fmt.Sprintf("%d-%d.root", i, seed))
			if err := store(path, anyBatch(t, []colstore.DType{colstore.Float64}, 1_000, seed), how); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			id := string(data[57:75]) // in the file's head
			if other, ok := seen[id]; ok {
				t.Errorf("%s and %s have the identifier %x", what, other, id)
			}
			seen[id] = what
		}
	}
}

func TestRefusedSchemas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.root")
	tests := []struct {
		field  colstore.Field
		want   error
		remedy string
	}{
		{colstore.Field{Name: "h", Type: colstore.Float16}, colstore.ErrType, "float32"},
		{colstore.Field{Name: "h", Type: colstore.Float16.Swapped()}, colstore.ErrType, "float32"},
		{colstore.Field{Name: "t", Type: colstore.DatetimeOf(colstore.Second)}, colstore.ErrType, "int64"},
		{colstore.Field{Name: "t", Type: colstore.TimedeltaOf(colstore.Day)}, colstore.ErrType, "int64"},
		{colstore.Field{Name: "s", Type: colstore.BytesOf(3)}, colstore.ErrType, "leave it out"},
		{colstore.Field{Name: "s", Type: colstore.TextOf(3)}, colstore.ErrType, "leave it out"},
		{colstore.Field{Name: strings.Repeat("n", 5_000), Type: colstore.Int8}, colstore.ErrValue, "rename"},
	}
	for _, test := range tests {
		schema := colstore.MustSchema(colstore.Field{Name: "good", Type: colstore.Int8}, test.field)
		_, err := sink.Create(t.Context(), sink.Spec{Path: path, Schema: schema})
		e, ok := errors.AsType[*colstore.Error](err)
		if !ok || !errors.Is(err, test.want) || e.Path != path || e.Column != test.field.Name || !strings.Contains(err.Error(), test.remedy) {
			t.Errorf("%v: %v", test.field, err)
		}
	}
	if _, err := (writing{}).open(path, colstore.MustSchema()); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no columns: %v", err)
	}
	if left := fsxtest.Snapshot(t, filepath.Dir(path)); len(left) != 0 {
		t.Errorf("left behind: %d files", len(left))
	}
}

func TestMisuse(t *testing.T) {
	ctx := t.Context()
	b := anyBatch(t, []colstore.DType{colstore.Int32}, 10, 1)
	other := anyBatch(t, []colstore.DType{colstore.Int64}, 10, 1)
	two := anyBatch(t, []colstore.DType{colstore.Int32, colstore.Int32}, 10, 1)
	swapped := anyBatch(t, []colstore.DType{colstore.Int32.Swapped()}, 10, 1)
	path := filepath.Join(t.TempDir(), "f.root")
	open := func() colstore.Sink {
		w, err := (writing{}).open(path, b.Schema())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Abort() })
		return w
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
	check("a good write after refused ones", w.Write(ctx, b), nil)
	check("another byte order", w.Write(ctx, swapped), nil)
	check("prepare", w.(colstore.Preparer).Prepare(ctx), nil)
	check("prepare again", w.(colstore.Preparer).Prepare(ctx), nil)
	check("a write after Prepare", w.Write(ctx, b), colstore.ErrClosed)
	check("commit", w.Commit(ctx), nil)
	check("a write after Commit", w.Write(ctx, b), colstore.ErrClosed)
	check("Commit again", w.Commit(ctx), colstore.ErrClosed)
	check("Abort after Commit", w.Abort(), nil)
	if _, _, rows := readTree(t, path, "events"); rows != 20 {
		t.Errorf("%d rows", rows)
	}

	cancelled, cancel := context.WithCancelCause(ctx)
	over := errors.New("over")
	cancel(over)
	w = open()
	check("cancelled write", w.Write(cancelled, b), over)
	check("cancelled commit", w.Commit(cancelled), over)
}

func TestExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.root")
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
		"none": true, "zlib": true, "zlib:1": true, "zlib:9": true, "zstd": true, "zstd:22": true, "lz4": true, "lz4:9": true, "lzma": true,
		"": false, "none:1": false, "zlib:0": false, "zlib:10": false, "zstd:23": false, "zstd:": false, "lz4:10": false, "lzma:5": false, "snappy": false,
	} {
		_, err := format.CheckOptions("writing root", root.Descriptor.Write.Options, map[string]any{"compression": text})
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
