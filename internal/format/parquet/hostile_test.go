package parquet_test

import (
	"encoding/binary"
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

// readHostile reads everything that bytes which may be no Parquet file have to give, under every null policy. Errors
// are fine, but must name the file and be one of those that bad input has.
func readHostile(tb testing.TB, path string) {
	tb.Helper()
	for _, mode := range []format.NullMode{format.NullError, format.NullMask} {
		f, err := openFile(tb, path, format.Nulls{Mode: mode})
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
			for _, skip := range []colstore.Skipper{nil, &picky{column: n}} {
				rows := 0
				for b, err := range src.Scan(tb.Context(), colstore.Scan{Threads: 1 + len(n)%2, Skip: skip}) {
					if err != nil {
						checkHostile(tb, err, path)
						break
					}
					if rows += b.Rows(); rows > 1<<22 {
						break // a file may well say the same value a billion times
					}
				}
			}
		}
		f.Close()
	}
}

// picky is a skipper that looks at bounds and leaves out two groups or pages of three.
type picky struct {
	column string
	asked  int
}

func (p *picky) Skip(_ colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	bounds(p.column)
	p.asked++
	return p.asked%3 != 1
}

func checkHostile(tb testing.TB, err error, path string) {
	tb.Helper()
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok || e.Path != path {
		tb.Errorf("the error does not name the file: %v", err)
	}
	for _, want := range []error{colstore.ErrFormat, colstore.ErrType, colstore.ErrValue, colstore.ErrNull, colstore.ErrDuplicate, colstore.ErrNoColumn} {
		if errors.Is(err, want) {
			if strings.Contains(err.Error(), "decoding failed") {
				tb.Errorf("a panic below: %v", err)
			}
			return
		}
	}
	tb.Errorf("an error of no kind: %v", err)
}

// mutate damages bytes of a file, most often its metadata.
func mutate(raw []byte, r *rand.Rand) []byte {
	if len(raw) < 12 {
		return raw
	}
	out := append([]byte(nil), raw...)
	footer := int(min(uint32(len(raw)-8), binary.LittleEndian.Uint32(raw[len(raw)-8:])))
	place := func() int {
		if r.IntN(2) == 0 {
			return len(out) - 8 - r.IntN(footer+1)
		}
		return r.IntN(len(out))
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
		footer = min(footer, len(out)-8)
	}
	return out
}

// Damaged files are errors or other values, never a panic, a hang, or memory out of proportion.
func TestDamagedFiles(t *testing.T) {
	const each, most = 12, 300 << 20
	dir := t.TempDir()
	path := filepath.Join(dir, "damaged.parquet")
	worst := uint64(0)
	for i, f := range golden.LoadForeign(t, "parquet") {
		raw := golden.Bytes(t, "foreign/"+f.File)
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
				t.Errorf("%s, damage %d: %d MiB allocated", f.File, k, n>>20)
			} else {
				worst = max(worst, n)
			}
			if d := time.Since(begin); d > time.Minute {
				t.Errorf("%s, damage %d: took %s", f.File, k, d)
			}
			if t.Failed() {
				t.Fatalf("%s, damage %d", f.File, k)
			}
		}
	}
	t.Logf("at most %d MiB allocated", worst>>20)
}

// Every prefix of a file is refused.
func TestCutFiles(t *testing.T) {
	raw := golden.Bytes(t, "foreign/parquet/uuid_json.parquet")
	path := filepath.Join(t.TempDir(), "cut.parquet")
	for n := range raw {
		if err := os.WriteFile(path, raw[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := openFile(t, path, format.Nulls{}); !errors.Is(err, colstore.ErrFormat) {
			t.Fatalf("%d of %d bytes: %v", n, len(raw), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, g := range golden.LoadForeign(f, "parquet") {
		if raw := golden.Bytes(f, "foreign/"+g.File); len(raw) < 6000 {
			f.Add(raw)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(dir, "fuzz.parquet")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		readHostile(t, path)
	})
}
