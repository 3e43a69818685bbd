package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// writeShard writes a file of records of ten rows, whose column x counts from first on.
func writeShard(tb testing.TB, path string, first int64, records int) {
	tb.Helper()
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64})
	w, err := cstore.Create(path, s, &cstore.WriteOptions{Stats: true, Mode: cstore.ModeReplace})
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	for range records {
		x := make([]int64, 10)
		for i := range x {
			x[i] = first
			first++
		}
		b, err := colstore.NewBatch(s, colstore.Wrap(x))
		if err == nil {
			err = w.Write(tb.Context(), b)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Commit(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// Files and records that no row passes are counted apart, however many scans share them, and by whatever they are left out.
func TestSkippedFilesAreCounted(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		writeShard(t, filepath.Join(dir, fmt.Sprintf("s-%d.cstore", i)), int64(i)*40, 4)
	}
	src, err := source.Open(t.Context(), source.Spec{Paths: []string{dir}, SourceColumn: "file"})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	tests := []struct {
		where string
		want  colstore.SkipCounts
	}{
		{"x >= 105 and x < 125", colstore.SkipCounts{Files: 8, AllFiles: 10, Groups: 37, AllGroups: 40, Rows: 370, AllRows: 400}},
		{"100 <= x < 110 or x == 399", colstore.SkipCounts{Files: 8, AllFiles: 10, Groups: 38, AllGroups: 40, Rows: 380, AllRows: 400}},
		{"x in [7, 399]", colstore.SkipCounts{Files: 8, AllFiles: 10, Groups: 38, AllGroups: 40, Rows: 380, AllRows: 400}},
		{"not x >= 40", colstore.SkipCounts{Files: 9, AllFiles: 10, Groups: 36, AllGroups: 40, Rows: 360, AllRows: 400}},
		{"x < 0", colstore.SkipCounts{Files: 10, AllFiles: 10, Groups: 40, AllGroups: 40, Rows: 400, AllRows: 400}},
		{"x % 2 == 0", colstore.SkipCounts{}}, // nothing follows from bounds
	}
	for _, test := range tests {
		got, err := frame.From(src).Where(frame.MustParse(test.where)).Skips(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: %s", test.where, d)
		}
		if test.want.AllFiles == 0 {
			continue
		}
		// The scans of several workers, which cut files in the middle, count the same.
		p, err := frame.New().Where(frame.MustParse(test.where)).Bind(src.Schema())
		if err != nil {
			t.Fatal(err)
		}
		var counted colstore.Skipped
		for begin := int64(0); begin < src.Rows(); begin += 20 {
			for _, err := range src.Scan(t.Context(), colstore.Scan{
				Columns: p.Inputs(), Rows: colstore.Range{Begin: begin, End: begin + 20}, Skip: p.Skipper(0), Skipped: &counted,
			}) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if d := cmp.Diff(test.want, counted.Counts()); d != "" {
			t.Errorf("%s in scans of 20 rows: %s", test.where, d)
		}
	}
	// What the paths tell leaves out files without a look at their records.
	got, err := frame.From(src).Where(frame.Col("file").Eq(filepath.Join(dir, "s-3.cstore"))).Skips(t.Context(), true)
	if err != nil || got.Files != 9 || got.AllFiles != 10 {
		t.Errorf("by their paths %s are left out (%v)", got, err)
	}
}

// Of several files that cannot be opened the first in natural order is told, whatever the threads.
func TestFirstBadFileIsTold(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		writeShard(t, filepath.Join(dir, fmt.Sprintf("s-%d.cstore", i)), 0, 1)
	}
	for _, bad := range []int{299, 41, 40} {
		path := filepath.Join(dir, fmt.Sprintf("s-%d.cstore", bad))
		if err := os.Truncate(path, 90); err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{0, 1, 2, 16} {
			src, err := source.Open(t.Context(), source.Spec{Paths: []string{dir}, Threads: threads})
			e, ok := errors.AsType[*colstore.Error](err)
			if src != nil || !ok || e.Path != path || !errors.Is(err, colstore.ErrTruncated) {
				t.Fatalf("%d threads: %v", threads, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.Open(ctx, source.Spec{Paths: []string{dir}, Threads: 4}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

// The files of a folder share what is the same in all of them.
func TestShardsTakeLittleMemory(t *testing.T) {
	const shards, columns = 2000, 40
	dir := t.TempDir()
	fields, cols := make([]colstore.Field, columns), make([]colstore.Column, columns)
	for i := range fields {
		fields[i] = colstore.Field{Name: strings.Repeat("name", 10) + fmt.Sprint(i), Type: colstore.Int64}
		cols[i] = colstore.Wrap([]int64{int64(i)})
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, "0.cstore")
	w, err := cstore.Create(first, b.Schema(), &cstore.WriteOptions{Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	if err := errors.Join(w.Write(t.Context(), b), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < shards; i++ {
		if err := os.Link(first, filepath.Join(dir, fmt.Sprint(i, ".cstore"))); err != nil {
			t.Fatal(err)
		}
	}
	before := heap()
	src, err := source.Open(t.Context(), source.Spec{Paths: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	per := (heap() - before) / shards
	t.Logf("%d bytes a shard of %d columns", per, columns)
	if per > 2048 {
		t.Errorf("%d bytes are held for each shard", per)
	}
	if n := src.Rows(); n != shards {
		t.Errorf("%d rows", n)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Small files in a row share a split; none of a split is longer than asked for, and all rows are in one.
func TestSplitsOfSmallFiles(t *testing.T) {
	dir := t.TempDir()
	for i, records := range []int{1, 1, 2, 30, 1, 0, 3} {
		writeShard(t, filepath.Join(dir, fmt.Sprintf("s-%d.cstore", i)), 0, records)
	}
	src, err := source.Open(t.Context(), source.Spec{Paths: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for rows, want := range map[int]string{
		100_000: "[{0 380}]",
		350:     "[{0 350} {350 380}]",
		100:     "[{0 40} {40 140} {140 240} {240 340} {340 380}]",
		25:      "[{0 20} {20 40} {40 65} {65 90} {90 115} {115 140} {140 165} {165 190} {190 215} {215 240} {240 265} {265 290} {290 315} {315 340} {340 350} {350 375} {375 380}]",
	} {
		if got := fmt.Sprint(src.(colstore.Splitter).Splits(rows)); got != want {
			t.Errorf("%d: %s", rows, got)
		}
	}
}
