package cstore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/text"
)

// readAll returns every column of a file, little-endian and dense.
func readAll(tb testing.TB, r *cstore.Reader, batchRows int) map[string][]byte {
	tb.Helper()
	out := map[string][]byte{}
	for b, err := range r.Scan(tb.Context(), colstore.Scan{BatchRows: batchRows}) {
		if err != nil {
			tb.Fatal(err)
		}
		d := b.Detach()
		for i, f := range d.Schema().All() {
			data, _ := d.At(i).Bytes()
			out[f.Name] = append(out[f.Name], data...)
		}
	}
	return out
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func TestGoldenFiles(t *testing.T) {
	m := golden.Load(t)
	if len(m.Files) != 32 {
		t.Fatalf("%d files in the manifest", len(m.Files))
	}
	for _, f := range m.Files {
		t.Run(f.Name, func(t *testing.T) {
			path := golden.Path(t, f.Name)
			checkInfo(t, path, f)
			r, err := cstore.Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if r.Rows() != f.Rows || int64(r.Records()) != f.Records {
				t.Errorf("%d rows in %d records, want %d in %d", r.Rows(), r.Records(), f.Rows, f.Records)
			}
			for i, rec := range f.RecordList {
				if got := r.RecordRows(i).Rows(); got != rec.Rows {
					t.Errorf("record %d has %d rows, want %d", i, got, rec.Rows)
				}
			}
			for _, batchRows := range []int{0, 1, 7} {
				cols := readAll(t, r, batchRows)
				for i, c := range f.Columns {
					if got := r.Schema().Field(i); got.Name != c.Name || got.Type.String() != c.DType {
						t.Errorf("column %d is %q %s, want %q %s", i, got.Name, got.Type, c.Name, c.DType)
					}
					if f.Records > 0 && sum(cols[c.Name]) != c.SHA256 {
						t.Errorf("%q has checksum %s in batches of %d, want %s", c.Name, sum(cols[c.Name]), batchRows, c.SHA256)
					}
				}
			}
			checkStatistics(t, r, f)
		})
	}
}

func checkInfo(t *testing.T, path string, f golden.File) {
	t.Helper()
	info, err := cstore.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Rows != f.Rows || info.Records != f.Records || info.FileSize != f.Size || info.NeedsCompaction != (f.Records > 1) {
		t.Errorf("info is %+v", info)
	}
	for i, c := range f.Columns {
		want := map[string]any{"name": c.Name, "dtype": c.DType, "encoding": "raw", "nullable": false}
		if d := cmp.Diff(want, info.Columns[i]); d != "" {
			t.Errorf("column %d of info: %s", i, d)
		}
	}
}

// checkStatistics compares the bounds of every record with the manifest's.
func checkStatistics(t *testing.T, r *cstore.Reader, f golden.File) {
	t.Helper()
	if r.HasStatistics() != (len(f.Statistics) > 0) {
		t.Fatalf("statistics: %v, want %v", r.HasStatistics(), len(f.Statistics) > 0)
	}
	for name, want := range f.Statistics {
		c, ok := r.Schema().Index(name)
		if !ok {
			t.Fatalf("no column %q", name)
		}
		for i := range r.Records() {
			lo, hi, usable := r.Bounds(c, i)
			if flag := want["prunable"][i]; flag != usable {
				t.Errorf("%q record %d: usable %v, want %v", name, i, usable, flag)
			}
			if !usable {
				continue
			}
			if got, w := shown(lo), want["min"][i]; got != jsonShown(w) {
				t.Errorf("%q record %d: least %s, want %s", name, i, got, jsonShown(w))
			}
			if got, w := shown(hi), want["max"][i]; got != jsonShown(w) {
				t.Errorf("%q record %d: greatest %s, want %s", name, i, got, jsonShown(w))
			}
		}
	}
}

// shown prints a cell the way the manifest spells it.
func shown(c colstore.Column) string {
	if t := c.Type(); t.Kind() == colstore.KindFloat {
		// The manifest prints all floats as float64.
		return strings.TrimSuffix(string(text.AppendFloat(nil, text.Float(t, c.At(0)), 64)), ".0")
	}
	return string(text.AppendJSON(nil, c, 0, text.JSONStyle{}))
}

func jsonShown(v any) string {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if strings.ContainsAny(v.String(), ".eE") && err == nil {
			return strings.TrimSuffix(string(text.AppendFloat(nil, f, 64)), ".0")
		}
		return v.String()
	case bool:
		return map[bool]string{true: "true", false: "false"}[v]
	default:
		return v.(string)
	}
}

func TestGoldenBad(t *testing.T) {
	bad := golden.LoadBad(t)
	if len(bad) != 110 {
		t.Fatalf("%d damaged files in the manifest", len(bad))
	}
	for _, b := range bad {
		t.Run(b.Name, func(t *testing.T) {
			path := golden.Path(t, "bad/"+b.Name)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := cstore.Open(path, nil)
			switch {
			case strings.HasPrefix(b.Right, "format error"):
				if !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), path) {
					t.Fatalf("%s: %v, want a format error that names the file", b.Damage, err)
				}
				return
			case !strings.HasPrefix(b.Right, "open normally"):
				t.Fatalf("unknown outcome %q", b.Right)
			case b.Name == "dtype_alias.cstore":
				// int32 instead of <i4: the manifest leaves it open, the table of dtypes does not have it.
				if !errors.Is(err, colstore.ErrFormat) {
					t.Fatalf("long dtype names: %v", err)
				}
				return
			case err != nil:
				t.Fatal(err)
			}
			defer r.Close()
			if n, want := len(slices.Collect(mapKeys(readAll(t, r, 0)))), r.Schema().Len(); r.Rows() > 0 && n != want {
				t.Errorf("%d columns read, want %d", n, want)
			}
			if strings.Contains(b.Right, "ignoring the statistics") && r.HasStatistics() {
				t.Errorf("%s: the statistics are used", b.Damage)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("reading changed the file")
			}
		})
	}
}

func mapKeys(m map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
