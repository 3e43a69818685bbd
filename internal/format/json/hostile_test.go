package json_test

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// readAll reads every column of every row, as whatever it can be, and demands that errors are of ours.
func readAll(t testing.TB, path string, how reading) {
	ours := func(err error) bool {
		e, ok := errors.AsType[*colstore.Error](err)
		if err != nil && (!ok || e.Path != path) {
			t.Fatalf("not of ours: %v", err)
		}
		return err != nil
	}
	f, err := how.open(t.Context(), path)
	if ours(err) {
		return
	}
	defer f.Close()
	for _, n := range f.Names() {
		for _, typ := range []colstore.DType{{}, colstore.TextOf(0), colstore.Float32, colstore.DatetimeOf(colstore.Nanosecond)} {
			src, err := f.Source(t.Context(), format.Projection{Columns: []string{n}, Types: map[string]colstore.DType{n: typ}})
			if ours(err) {
				continue
			}
			rows := int64(0)
			failed := false
			for b, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: 1 << 12}) {
				if failed = ours(err); failed {
					break
				}
				rows += int64(b.Rows())
			}
			if !failed && rows != src.Rows() {
				t.Fatalf("column %q has %d rows, %d were read", n, src.Rows(), rows)
			}
			src.Close()
		}
	}
}

// Damaged fixtures are refused, or read as the other tables that they are.
func TestMutated(t *testing.T) {
	for _, f := range golden.LoadForeign(t, "json", "ndjson") {
		data := golden.Bytes(t, "foreign/"+f.File)
		if len(data) == 0 || len(data) > 500 {
			continue
		}
		t.Run(f.File, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(len(data))))
			path := put(t, "")
			for range 60 {
				bad := []byte(nil)
				bad = append(bad, data...)
				for range 1 + r.IntN(3) {
					i := r.IntN(len(bad))
					switch r.IntN(4) {
					case 0:
						bad[i] = byte(r.Uint32())
					case 1:
						bad[i] = "[]{}:,\"\\-0123eE.ntf \n\x00"[r.IntN(22)]
					case 2:
						bad = append(bad[:i], bad[i+1:]...)
					default:
						bad = append(bad[:i], append([]byte(nil), bad[r.IntN(i+1):]...)...)
					}
					if len(bad) == 0 {
						break
					}
				}
				rewrite(t, path, bad)
				for _, orient := range []string{"", "index", "split", "lines"} {
					how := reading{text: r.IntN(40), cells: 7}
					readAll(t, path, *how.choose(map[string]string{"": "records"}[orient] + orient))
				}
			}
		})
	}
}

// What a file makes the reader take is in proportion to its size.
func TestMemory(t *testing.T) {
	var names strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&names, `,"%x":1`, i)
	}
	var labels strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&labels, `,"%d":{"0":1}`, i)
	}
	tests := map[string]string{
		"many columns":           `[{"x":1` + names.String() + `}` + strings.Repeat(",{}", 100_000) + "]",
		"too many columns":       `[{"x":1` + names.String() + strings.ReplaceAll(names.String(), `,"`, `,"y`) + `}]`,
		"many columns by column": `{"x":{"0":1}` + labels.String() + `}`,
		"deep":                   strings.Repeat(`{"a":[`, 100_000),
		"a long number":          `[{"a":` + strings.Repeat("1", 1<<20) + `}]`,
		"a long name":            `[{"` + strings.Repeat("a", 1<<20) + `":1}]`,
		"blanks":                 strings.Repeat(" ", 1<<20) + `[{"a":1}]`,
		"many rows":              `[` + strings.Repeat("[],", 1<<20) + `[1]]`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			path := put(t, text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := reading{}.open(t.Context(), path)
			runtime.ReadMemStats(&after)
			if err == nil {
				defer f.Close()
				if src, err := f.Source(t.Context(), format.Projection{Columns: f.Names()[:1]}); err == nil {
					for b, err := range src.Scan(t.Context(), colstore.Scan{}) {
						if err != nil {
							t.Fatal(err)
						}
						_ = b
					}
					src.Close()
				}
			} else if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != path {
				t.Errorf("not of ours: %v", err)
			}
			if took := int64(after.TotalAlloc - before.TotalAlloc); took > int64(200*len(text))+4<<20 {
				t.Errorf("%d bytes of text took %d bytes", len(text), took)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"columns", "escapes", "index", "split", "table", "values", "lines", "nan_literal", "dup_key", "missing_key", "ints_big", "nested_obj"} {
		f.Add(golden.Bytes(f, "foreign/json/"+name+".json"), uint8(0))
	}
	f.Add([]byte("{\"a\":1}\n{\"a\":\"x\"}"), uint8(6))
	f.Fuzz(func(t *testing.T, data []byte, choice uint8) {
		how := reading{text: int(choice / 16), cells: 5}
		readAll(t, put(t, string(data)), *how.choose(orients[int(choice)%len(orients)]))
	})
}

// FuzzModel compares whatever encoding/json reads as records with what it reads.
func FuzzModel(f *testing.F) {
	for _, name := range []string{"records_pretty", "escapes", "dup_key", "missing_key", "ints_big", "nested_obj", "mixed_num", "key_order"} {
		f.Add(string(golden.Bytes(f, "foreign/json/"+name+".json")))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasPrefix(text, "[{") || strings.ContainsAny(text, "\\\x00") || !isValid(text) {
			return // half pairs, bytes that are no UTF-8 and names in other cases are where the two differ
		}
		compareModel(t, put(t, text), text, reading{text: 1 + len(text)%7, cells: 3})
	})
}

// isValid reports whether text is one JSON document in UTF-8.
func isValid(text string) bool { return utf8.ValidString(text) && stdjson.Valid([]byte(text)) }

func rewrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
