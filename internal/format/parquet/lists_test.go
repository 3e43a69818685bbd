package parquet_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// openJagged opens a file whose lists, arrays and structures become columns.
func openJagged(tb testing.TB, path string, nulls format.Nulls, j format.Jagged) (format.File, error) {
	tb.Helper()
	f, err := parquet.Descriptor.Read.Open(tb.Context(), &format.OpenRequest{Path: path, Nulls: nulls, Jagged: j, Limits: format.DefaultLimits})
	if err != nil || j.Mode != format.JaggedExplode {
		return f, err
	}
	n := f.(format.Nested)
	longest, err := n.Longest(tb.Context(), nil)
	if err == nil {
		err = n.Unfold(longest)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readHostileLists is readHostile for a file whose lists, arrays and structures become columns.
func readHostileLists(tb testing.TB, path string) {
	tb.Helper()
	for _, j := range []format.Jagged{{Mode: format.JaggedExplode}, {Mode: format.JaggedPad, Width: 3}} {
		f, err := openJagged(tb, path, format.Nulls{Mode: format.NullFill}, j)
		if err != nil {
			checkHostile(tb, err, path)
			continue
		}
		names := f.Names()
		for begin := 0; begin < min(len(names), 60); begin += 3 {
			src, err := f.Source(tb.Context(), format.Projection{Columns: names[begin:min(begin+3, len(names))]})
			if err != nil {
				checkHostile(tb, err, path)
				continue
			}
			src.(colstore.Coster).Cost(nil)
			rows := int64(0)
			failed := false
			for b, err := range src.Scan(tb.Context(), colstore.Scan{Threads: 2, BatchRows: min(1<<16, 1<<22/src.Schema().RowBytes()+1)}) {
				if failed = err != nil; failed {
					checkHostile(tb, err, path)
					break
				}
				if rows += int64(b.Rows()); rows > 1<<22 {
					failed = true // a file may well say nothing a billion times
					break
				}
			}
			if !failed && rows != src.Rows() {
				tb.Errorf("columns %q have %d rows, %d were read", names[begin:], src.Rows(), rows)
			}
		}
		f.Close()
	}
}

// listFiles returns files with lists, of all writers.
func listFiles(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(golden.Path(tb, "jagged"), "*.parquet"))
	if err != nil || len(files) < 12 {
		tb.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// Damaged files with lists are errors or other values, never a panic, a hang, or memory out of proportion.
func TestDamagedLists(t *testing.T) {
	const each, most = 25, 300 << 20
	path := filepath.Join(t.TempDir(), "damaged.parquet")
	for i, name := range listFiles(t) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(i), 17))
		for k := range each {
			if err := os.WriteFile(path, mutate(raw, r), 0o666); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begin := time.Now()
			readHostileLists(t, path)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%d MiB allocated", n>>20)
			}
			if d := time.Since(begin); d > time.Minute {
				t.Errorf("took %s", d)
			}
			if t.Failed() {
				t.Fatalf("%s, damage %d", filepath.Base(name), k)
			}
		}
	}
}

// FuzzLists reads any bytes as a file whose lists become columns.
func FuzzLists(f *testing.F) {
	for _, name := range listFiles(f) {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(raw) < 9000 {
			f.Add(raw)
		}
	}
	path := filepath.Join(f.TempDir(), "fuzz.parquet")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		readHostileLists(t, path)
	})
}

// Lists are read from any row on, in batches of any size, as from the first.
func TestListSplits(t *testing.T) {
	for _, name := range listFiles(t) {
		f, err := openJagged(t, name, format.Nulls{Mode: format.NullMask}, format.Jagged{Mode: format.JaggedPad, Width: 2})
		if err != nil {
			t.Fatal(err)
		}
		src, err := f.Source(t.Context(), format.Projection{})
		if err != nil {
			t.Fatal(err)
		}
		rows := func(scan colstore.Scan) (out []string) {
			for b, err := range src.Scan(t.Context(), scan) {
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.Rows() {
					row := ""
					for k := range b.Schema().Len() {
						row += fmt.Sprintf("%x ", b.At(k).At(i))
					}
					out = append(out, row)
				}
			}
			return out
		}
		all := rows(colstore.Scan{})
		for begin := range int64(len(all)) {
			end := min(int64(len(all)), begin+1+begin%9)
			got := rows(colstore.Scan{Rows: colstore.Range{Begin: begin, End: end}, BatchRows: 4})
			if fmt.Sprint(got) != fmt.Sprint(all[begin:end]) {
				t.Fatalf("%s: rows %d to %d are others", filepath.Base(name), begin, end)
			}
		}
		f.Close()
	}
}
