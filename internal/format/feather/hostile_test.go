package feather_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// readHostile reads everything that bytes which may be no file of Arrow have to give, under two null policies. Errors are
// fine, but must name the file and be one of those that bad input has.
func readHostile(tb testing.TB, path string) {
	tb.Helper()
	for _, mode := range []format.NullMode{format.NullError, format.NullMask} {
		f, err := openFile(path, format.Nulls{Mode: mode})
		if err != nil {
			checkHostile(tb, err, path)
			return
		}
		names := f.Names()
		if len(names) > 50 {
			names = names[:50]
		}
		for _, n := range names {
			src, err := f.Source(tb.Context(), format.Projection{Columns: []string{n}})
			if err != nil {
				checkHostile(tb, err, path)
				continue
			}
			src.(colstore.Coster).Cost(nil)
			src.(colstore.Splitter).Splits(1 << 20)
			rows := int64(0)
			failed := false
			for b, err := range src.Scan(tb.Context(), colstore.Scan{Threads: 1 + len(n)%2, BatchRows: min(1<<16, 1<<22/src.Schema().RowBytes()+1)}) {
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
				tb.Errorf("column %q has %d rows, %d were read", n, src.Rows(), rows)
			}
		}
		f.Close()
	}
}

func checkHostile(tb testing.TB, err error, path string) {
	tb.Helper()
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok || e.Path != path {
		tb.Errorf("the error does not name the file: %v", err)
	}
	if strings.Contains(err.Error(), "decoding failed") {
		tb.Errorf("a panic below: %v", err)
	}
	for _, want := range []error{colstore.ErrFormat, colstore.ErrType, colstore.ErrValue, colstore.ErrNull, colstore.ErrDuplicate, colstore.ErrNoColumn} {
		if errors.Is(err, want) {
			return
		}
	}
	tb.Errorf("an error of no kind: %v", err)
}

// intact returns files of several writers.
func intact(tb testing.TB) (files [][]byte) {
	tb.Helper()
	for _, f := range golden.LoadForeign(tb, "feather") {
		files = append(files, golden.Bytes(tb, "foreign/"+f.File))
	}
	own, err := filepath.Glob("testdata/*.arrow*")
	if err != nil || len(own) < 7 {
		tb.Fatalf("%d files: %v", len(own), err)
	}
	for _, path := range own {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, data)
	}
	return files
}

// mutate damages bytes of a file.
func mutate(raw []byte, r *rand.Rand) []byte {
	out := append([]byte(nil), raw...)
	place := func() int { return r.IntN(len(out)) }
	if r.IntN(2) == 0 { // the footer
		place = func() int { return len(out) - 1 - r.IntN(min(len(out), 600)) }
	}
	for range 1 + r.IntN(4) {
		at := place()
		switch r.IntN(6) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			out[at] = byte(r.Uint32())
		case 2:
			copy(out[at:], []byte{0xff, 0xff, 0xff, 0xff, 0x7f})
		case 3:
			copy(out[at:], out[place():])
		case 4:
			clear(out[at:min(len(out), at+r.IntN(30))])
		case 5:
			n := min(r.IntN(20), len(out)-at)
			out = append(out[:at], out[at+n:]...)
			if len(out) < 12 {
				return out
			}
		}
	}
	return out
}

// Damaged files are errors or other values, never a panic, a hang, or memory out of proportion.
func TestDamagedFiles(t *testing.T) {
	const each, most = 60, 300 << 20
	path := filepath.Join(t.TempDir(), "damaged.feather")
	worst := uint64(0)
	for i, raw := range intact(t) {
		r := rand.New(rand.NewPCG(uint64(i), 99))
		for k := range each {
			if err := os.WriteFile(path, mutate(raw, r), 0o666); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begin := time.Now()
			readHostile(t, path)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%d MiB allocated", n>>20)
			} else {
				worst = max(worst, n)
			}
			if d := time.Since(begin); d > time.Minute {
				t.Errorf("took %s", d)
			}
			if t.Failed() {
				t.Fatalf("file %d, damage %d", i, k)
			}
		}
	}
	t.Logf("at most %d MiB allocated", worst>>20)
}

// Every prefix of a file is refused; one of a stream that ends with a message is a stream.
func TestCutFiles(t *testing.T) {
	raw := golden.Bytes(t, "foreign/feather/dict_many.feather")
	path := filepath.Join(t.TempDir(), "cut.feather")
	for n := range raw {
		if err := os.WriteFile(path, raw[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := openFile(path, format.Nulls{}); !errors.Is(err, colstore.ErrFormat) {
			t.Fatalf("%d of %d bytes: %v", n, len(raw), err)
		}
	}
}

// FuzzRead reads any bytes as a file: they are refused, or every row of every column can be read or is refused.
func FuzzRead(f *testing.F) {
	for _, raw := range intact(f) {
		if len(raw) < 6000 {
			f.Add(raw)
		}
	}
	path := filepath.Join(f.TempDir(), "fuzz.feather")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		readHostile(t, path)
	})
}
