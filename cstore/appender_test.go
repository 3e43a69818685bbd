package cstore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// visible returns the files of a folder that readers see, by name.
func visible(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(raw)
	}
	return out
}

// hidden returns the hidden names in a folder, without the lock file.
func hidden(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && e.Name() != ".colstore.lock" {
			out = append(out, e.Name())
		}
	}
	return out
}

// rowsOf returns the values of an int64 column of every shard of a folder, in the shards' natural order.
func rowsOf(t testing.TB, dir string) (rows []int64, shards []int64) {
	t.Helper()
	for _, name := range slices.Sorted(keysOf(visible(t, dir))) {
		r, err := cstore.Open(filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, r.Rows())
		for b, err := range r.Scan(t.Context(), colstore.Scan{Columns: []string{"x"}}) {
			if err != nil {
				t.Fatal(err)
			}
			v, err := colstore.Values[int64](b.At(0))
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, v...)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows, shards
}

func keysOf(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

var countSchema = colstore.MustSchema(
	colstore.Field{Name: "x", Type: colstore.Int64}, colstore.Field{Name: "s", Type: colstore.BytesOf(3)},
	colstore.Field{Name: "f", Type: colstore.Float32},
)

// counted returns the rows first, first+1, …: x is the number, s its text, f half of it.
func counted(t testing.TB, first, rows int) *colstore.Batch {
	t.Helper()
	var x, f, s []byte
	for i := range rows {
		x = binary.LittleEndian.AppendUint64(x, uint64(first+i))
		f = binary.LittleEndian.AppendUint32(f, math.Float32bits(float32(first+i)/2))
		s = append(s, (strconv.Itoa(first+i) + "\x00\x00")[:3]...)
	}
	cols := make([]colstore.Column, countSchema.Len())
	for i, data := range [][]byte{x, s, f} {
		var err error
		if cols[i], err = colstore.NewColumn(countSchema.Field(i).Type, rows, data); err != nil {
			t.Fatal(err)
		}
	}
	b, err := colstore.NewBatch(countSchema, cols...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The same batches give the same shards as the Python package's appender.
func TestAppenderGivesThePackagesBytes(t *testing.T) {
	for _, early := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		a, err := cstore.NewAppender(dir, countSchema, &cstore.AppendOptions{ShardRows: 10, Stats: true, PublishFull: early})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Abort()
		first := 0
		for i, n := range []int{4, 7, 25, 3, 0, 7, 2} {
			if err := a.Write(t.Context(), counted(t, first, n)); err != nil {
				t.Fatal(err)
			}
			first += n
			want := 0
			if early {
				want = []int{0, 1, 2, 2, 2, 3, 3}[i]
			}
			if got := len(visible(t, dir)); got != want {
				t.Errorf("after write %d a reader sees %d shards, want %d", i, got, want)
			}
		}
		if err := a.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(visible(t, golden.Path(t, "appended")), visible(t, dir)); diff != "" {
			t.Error(diff)
		}
		if left := hidden(t, dir); left != nil {
			t.Errorf("left behind: %v", left)
		}
		for i, s := range a.Shards() {
			if s.Rows != []int64{11, 25, 10, 2}[i] || s.Bytes != int64(len(visible(t, dir)[filepath.Base(s.Path)])) {
				t.Errorf("shard %d is %+v", i, s)
			}
		}
	}
}

// Appending one by one gives the folder that the Python package gives: rows, a copied file, rows with statistics.
func TestAppendGivesThePackagesFolder(t *testing.T) {
	want := visible(t, golden.Path(t, "shards"))
	dir := t.TempDir()
	for i, o := range []cstore.AppendOptions{{}, {}, {Stats: true}} {
		path := golden.Path(t, fmt.Sprintf("shards/shard_%05d.cstore", i))
		var shards []cstore.Shard
		var err error
		if i == 1 {
			shards, err = cstore.AppendFiles(t.Context(), dir, []string{path}, &o)
		} else {
			var r *cstore.Reader
			if r, err = cstore.Open(path, nil); err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			shards, err = cstore.AppendSource(t.Context(), dir, r, &o)
		}
		if err != nil || len(shards) != 1 || filepath.Base(shards[0].Path) != filepath.Base(path) {
			t.Fatalf("%v, %v", shards, err)
		}
	}
	if diff := cmp.Diff(want, visible(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// With Split, shards do not depend on how the rows come; without, each has at least the limit but the last.
func TestShardSizes(t *testing.T) {
	ctx := fsx.With(t.Context(), fsxtest.Unsynced)
	rapid.Check(t, func(rt *rapid.T) {
		o := cstore.AppendOptions{Split: rapid.Bool().Draw(rt, "split"), Stats: rapid.Bool().Draw(rt, "stats")}
		limit := rapid.IntRange(1, 40).Draw(rt, "limit")
		if rapid.Bool().Draw(rt, "bytes") {
			o.ShardBytes = colstore.ByteSize(limit*countSchema.RowBytes() + rapid.IntRange(0, countSchema.RowBytes()-1).Draw(rt, "more"))
		} else {
			o.ShardRows = int64(limit)
		}
		dir := filepath.Join(t.TempDir(), "d")
		a, err := cstore.NewAppenderIn(ctx, dir, nil, &o)
		if err != nil {
			rt.Fatal(err)
		}
		defer a.Abort()
		total := 0
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 100), 1, 8).Draw(rt, "batches") {
			if err := a.Write(ctx, counted(t, total, n)); err != nil {
				rt.Fatal(err)
			}
			total += n
			if a.Pending() != int64(total) {
				rt.Fatalf("%d rows are pending of %d", a.Pending(), total)
			}
		}
		if err := a.Commit(ctx); err != nil {
			rt.Fatal(err)
		}
		rows, shards := rowsOf(t, dir)
		for i, x := range rows {
			if x != int64(i) {
				rt.Fatalf("row %d is %d", i, x)
			}
		}
		if len(rows) != total {
			rt.Fatalf("%d rows of %d", len(rows), total)
		}
		for i, n := range shards {
			last := i == len(shards)-1
			if !last && (n < int64(limit) || o.Split && n != int64(limit)) || last && (n == 0 || o.Split && n > int64(limit)) {
				rt.Fatalf("shards of %v rows, limit %d", shards, limit)
			}
		}
	})
}

func TestFlushAndRoll(t *testing.T) {
	dir := t.TempDir()
	a, err := cstore.NewAppender(dir, countSchema, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	do := func(what string, err error, pending int64, seen ...string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := slices.Sorted(keysOf(visible(t, dir))); !slices.Equal(got, seen) || a.Pending() != pending {
			t.Fatalf("after %s readers see %v and %d rows are pending; want %v and %d", what, got, a.Pending(), seen, pending)
		}
	}
	ctx := t.Context()
	do("nothing", a.Flush(ctx), 0)
	do("a write of nothing", a.Write(ctx, counted(t, 0, 0)), 0)
	do("a flush of nothing", a.Flush(ctx), 0)
	do("a write", a.Write(ctx, counted(t, 0, 5)), 5)
	do("a roll", a.Roll(ctx), 5)
	do("a second roll", a.Roll(ctx), 5)
	do("a write", a.Write(ctx, counted(t, 5, 2)), 7)
	do("a flush", a.Flush(ctx), 0, "shard_00000.cstore", "shard_00001.cstore")
	do("a write", a.Write(ctx, counted(t, 7, 2)), 2, "shard_00000.cstore", "shard_00001.cstore")
	if err := a.Abort(); err != nil {
		t.Fatal(err)
	}
	if rows, shards := rowsOf(t, dir); len(rows) != 7 || !slices.Equal(shards, []int64{5, 2}) || hidden(t, dir) != nil {
		t.Errorf("after Abort: %d rows in %v, %v", len(rows), shards, hidden(t, dir))
	}
	for what, err := range map[string]error{
		"write": a.Write(ctx, counted(t, 0, 1)), "roll": a.Roll(ctx), "flush": a.Flush(ctx), "commit": a.Commit(ctx),
		"copy": a.CopyFile(ctx, golden.Path(t, "one_record.cstore")),
	} {
		if !errors.Is(err, colstore.ErrClosed) {
			t.Errorf("%s after Abort: %v", what, err)
		}
	}
	// The next one goes on behind.
	if shards, err := cstore.Append(ctx, dir, counted(t, 7, 1), nil); err != nil || filepath.Base(shards[0].Path) != "shard_00002.cstore" {
		t.Errorf("%v, %v", shards, err)
	}
}

func TestAppendOptions(t *testing.T) {
	for _, test := range []struct {
		o    cstore.AppendOptions
		want error
		text string
	}{
		{cstore.AppendOptions{ShardRows: -1}, colstore.ErrOption, "at least one row"},
		{cstore.AppendOptions{ShardBytes: -1}, colstore.ErrOption, "at least one row"},
		{cstore.AppendOptions{ShardRows: 1, ShardBytes: 1}, colstore.ErrOption, "either rows or bytes"},
		{cstore.AppendOptions{ShardRows: 1 << 62}, colstore.ErrOption, "a shard of"},
		{cstore.AppendOptions{ShardRows: 1, Name: "one.cstore"}, colstore.ErrOption, "put {index} into it"},
		{cstore.AppendOptions{Name: "x.parquet"}, colstore.ErrOption, "must end in .cstore"},
		{cstore.AppendOptions{Name: "there.cstore"}, colstore.ErrExists, "there.cstore"},
		{cstore.AppendOptions{New: true}, colstore.ErrExists, "there.cstore"},
	} {
		dir := t.TempDir()
		if err := cstore.Store(t.Context(), filepath.Join(dir, "there.cstore"), counted(t, 0, 1), nil); err != nil {
			t.Fatal(err)
		}
		a, err := cstore.NewAppender(dir, countSchema, &test.o)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%+v: %v", test.o, err)
		}
		if err == nil {
			a.Abort()
		}
	}
	// One name, one shard.
	dir := t.TempDir()
	a, err := cstore.NewAppender(dir, nil, &cstore.AppendOptions{Name: "one.cstore"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	if err := errors.Join(a.Write(t.Context(), counted(t, 0, 2)), a.Write(t.Context(), counted(t, 2, 2)), a.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := a.Write(t.Context(), counted(t, 4, 2)); !errors.Is(err, colstore.ErrOption) {
		t.Errorf("a second shard of one name: %v", err)
	}
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rows, shards := rowsOf(t, dir); len(rows) != 4 || len(shards) != 1 {
		t.Errorf("%v", shards)
	}
}

// Columns that are not those of the first shard are refused before a byte is written, and the folder stays as it is.
func TestAppendedSchema(t *testing.T) {
	field := func(name string, t colstore.DType) colstore.Field { return colstore.Field{Name: name, Type: t} }
	x, s, f := field("x", colstore.Int64), field("s", colstore.BytesOf(3)), field("f", colstore.Float32)
	for name, fields := range map[string][]colstore.Field{
		`column "f": mismatch: it is missing`:             {x, s},
		`column "y": mismatch: it is not in`:              {x, s, f, field("y", colstore.Bool)},
		`column "s": mismatch: its dtype is |S4`:          {x, field("s", colstore.BytesOf(4)), f},
		`column "x": mismatch: its dtype is <i4`:          {field("x", colstore.Int32), s, f},
		`column "s": mismatch: it is column 0`:            {s, x, f},
		`put the columns into this order: x,s,f`:          {f, s, x},
		`column "X": mismatch: it is not in`:              {x, s, f, field("X", colstore.Int64)},
		`in %s it is <f4; cast it, or begin another fold`: {x, s, field("f", colstore.Float64)},
	} {
		other, err := colstore.NewSchema(fields...)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		// Not the oldest or the first by name is asked, but the first in natural order.
		if err := cstore.Store(t.Context(), filepath.Join(dir, "shard_10.cstore"), randomBatch(t, oddSchema, 1, 1), nil); err != nil {
			t.Fatal(err)
		}
		first := filepath.Join(dir, "shard_9.cstore")
		if err := cstore.Store(t.Context(), first, counted(t, 0, 1), nil); err != nil {
			t.Fatal(err)
		}
		before := visible(t, dir)
		want := strings.ReplaceAll(name, "%s", first)
		check := func(err error) {
			t.Helper()
			if !errors.Is(err, colstore.ErrMismatch) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), "append "+dir) {
				t.Errorf("%v; want %s", err, want)
			}
		}
		_, err = cstore.NewAppender(dir, other, nil)
		check(err)
		if _, err := os.Stat(filepath.Join(dir, ".colstore.lock")); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a schema that cannot be appended made a lock file")
		}
		_, err = cstore.Append(t.Context(), dir, randomBatch(t, other, 3, 1), nil)
		check(err)
		a, err := cstore.NewAppender(dir, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		check(a.Write(t.Context(), randomBatch(t, other, 3, 1)))
		if err := a.Write(t.Context(), counted(t, 1, 1)); err != nil {
			t.Errorf("the write after one that was refused: %v", err)
		}
		file := filepath.Join(t.TempDir(), "other.cstore")
		if err := cstore.Store(t.Context(), file, randomBatch(t, other, 3, 1), nil); err != nil {
			t.Fatal(err)
		}
		check(a.CopyFile(t.Context(), file))
		if err := a.Abort(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, visible(t, dir)); diff != "" || hidden(t, dir) != nil {
			t.Errorf("%s %v", diff, hidden(t, dir))
		}
	}
}

// A folder whose first shard is damaged is refused, naming the shard; and so is a big-endian one, for rows.
func TestAppendBesideOddShards(t *testing.T) {
	dir := t.TempDir()
	shard := filepath.Join(dir, "shard_00000.cstore")
	if err := os.WriteFile(shard, []byte("no shard at all"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := cstore.Append(t.Context(), dir, counted(t, 0, 1), nil); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), shard) {
		t.Errorf("beside a damaged shard: %v", err)
	}
	big := golden.Path(t, "handmade_big_endian.cstore")
	if err := os.WriteFile(shard, golden.Bytes(t, "handmade_big_endian.cstore"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := cstore.Open(big, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := cstore.AppendSource(t.Context(), dir, r, nil); !errors.Is(err, colstore.ErrMismatch) || !strings.Contains(err.Error(), shard) {
		t.Errorf("rows beside a big-endian shard: %v", err)
	}
	if _, err := cstore.AppendFiles(t.Context(), dir, []string{big}, nil); err != nil {
		t.Errorf("a copy beside a big-endian shard: %v", err)
	}
	if all := visible(t, dir); all["shard_00001.cstore"] != all["shard_00000.cstore"] || len(all) != 2 {
		t.Errorf("%d shards", len(all))
	}
}

// Folders that an appender made for nothing are gone again; those that were there stay.
func TestAbortLeavesNoFolder(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	a, err := cstore.NewAppender(dir, countSchema, &cstore.AppendOptions{ShardRows: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Write(t.Context(), counted(t, 0, 9)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Abort(), a.Abort()); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := cstore.AppendFiles(t.Context(), dir, []string{filepath.Join(root, "none.cstore")}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("left behind by a file that is missing: %v", left)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := cstore.Append(t.Context(), dir, counted(t, 0, 1), nil); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("a file for a folder: %v", err)
		}
	}
}

func TestAppenderLocksTheFolder(t *testing.T) {
	dir := t.TempDir()
	a, err := cstore.NewAppender(dir, countSchema, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	if err := a.Write(t.Context(), counted(t, 0, 3)); err != nil {
		t.Fatal(err)
	}
	if _, err := cstore.Append(t.Context(), dir, counted(t, 0, 1), nil); !errors.Is(err, colstore.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second appender: %v", err)
	}
	// One that does not lock is let in and cleans nothing away.
	if _, err := cstore.Append(t.Context(), dir, counted(t, 3, 1), &cstore.AppendOptions{Lock: colstore.LockOff, Name: "z{index}.cstore"}); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := cstore.Append(t.Context(), dir, counted(t, 4, 1), &cstore.AppendOptions{Lock: colstore.LockRequired}); err != nil {
		t.Errorf("after Commit: %v", err)
	}
	if rows, _ := rowsOf(t, dir); !slices.Equal(rows, []int64{0, 1, 2, 4, 3}) {
		t.Errorf("%v", rows)
	}
	if _, err := os.Stat(filepath.Join(dir, ".colstore.lock")); err != nil {
		t.Error(err)
	}
}

// What appenders that died left is removed by the next one, and what a living writer has open is not.
func TestLeftoversInTheFolder(t *testing.T) {
	dir := t.TempDir()
	dead := filepath.Join(dir, ".shard_00042.cstore.colstore-0123456789abcdef.tmp")
	if err := os.WriteFile(dead, []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := cstore.Create(filepath.Join(dir, "apart.cstore"), countSchema, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := cstore.Append(t.Context(), dir, counted(t, 0, 1), nil); err != nil {
		t.Fatal(err)
	}
	if left := hidden(t, dir); len(left) != 1 || !strings.HasPrefix(left[0], ".apart") {
		t.Errorf("left behind: %v", left)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestCopyFile(t *testing.T) {
	ctx := t.Context()
	// A shard of the folder itself, under whatever name.
	dir := t.TempDir()
	shards, err := cstore.Append(ctx, dir, counted(t, 0, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.cstore")
	if err := os.Symlink(shards[0].Path, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{shards[0].Path, filepath.Join(dir, ".", "shard_00000.cstore"), link} {
		if _, err := cstore.AppendFiles(ctx, dir, []string{path}, nil); !errors.Is(err, colstore.ErrOption) || !strings.Contains(err.Error(), path) {
			t.Errorf("the folder's own shard: %v", err)
		}
	}
	r, err := cstore.Open(link, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := cstore.AppendSource(ctx, dir, r, nil); !errors.Is(err, colstore.ErrOption) {
		t.Errorf("the folder's own shard as a source: %v", err)
	}
	// Golden files of every kind: the same bytes, or the same rows where bytes are left out.
	for _, name := range []string{"one_record", "many_records", "stats_sorted", "stats_mixed", "empty_records", "zero_rows", "crashed", "crashed_fresh", "handmade_big_endian"} {
		src := golden.Path(t, name+".cstore")
		raw := golden.Bytes(t, name+".cstore")
		dir := t.TempDir()
		shards, err := cstore.AppendFiles(ctx, dir, []string{src}, nil)
		if err != nil || len(shards) != 1 {
			t.Errorf("%s: %v, %v", name, shards, err)
			continue
		}
		got, err := os.ReadFile(shards[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasPrefix(name, "crashed"):
			if v, err := cstore.Verify(ctx, shards[0].Path, nil); err != nil || len(v.Findings) > 0 || len(got) > len(raw) {
				t.Errorf("%s: %v", name, err)
			}
		case !bytes.Equal(got, raw):
			t.Errorf("%s: %d bytes became %d others", name, len(raw), len(got))
		}
		// With statistics: those that are there, or new ones.
		if name == "handmade_big_endian" {
			continue
		}
		shards, err = cstore.AppendFiles(ctx, t.TempDir(), []string{src}, &cstore.AppendOptions{Stats: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, err := cstore.Open(shards[0].Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !s.HasStatistics() {
			t.Errorf("%s: there are no statistics", name)
		}
		s.Close()
	}
	// Rows before and after a copy keep their order.
	a, err := cstore.NewAppender(filepath.Join(t.TempDir(), "d"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	if err := errors.Join(a.Write(ctx, counted(t, 3, 2)), a.CopyFile(ctx, link), a.Write(ctx, counted(t, 5, 1)), a.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	if rows, n := rowsOf(t, filepath.Dir(a.Shards()[0].Path)); !slices.Equal(rows, []int64{3, 4, 0, 1, 2, 5}) || !slices.Equal(n, []int64{2, 3, 1}) {
		t.Errorf("%v in %v", rows, n)
	}
}

// A damaged file is not copied.
func TestCopyDamagedFile(t *testing.T) {
	for _, bad := range golden.LoadBad(t) {
		f := golden.Path(t, "bad/"+bad.Name)
		dir := filepath.Join(t.TempDir(), "d")
		_, err := cstore.AppendFiles(t.Context(), dir, []string{f}, nil)
		r, openErr := cstore.Open(f, nil)
		if openErr == nil {
			defer r.Close()
		}
		if (err == nil) != (openErr == nil) {
			t.Errorf("%s: opening says %v, appending %v", filepath.Base(f), openErr, err)
		}
		if _, there := os.Stat(dir); err != nil && there == nil {
			t.Errorf("%s: the folder is there", filepath.Base(f))
		}
	}
}
