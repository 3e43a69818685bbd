package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// numbers writes a .cstore file of two columns in two records: x is 0, 1, 2, …, and y its half.
func numbers(t *testing.T, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "numbers.cstore")
	schema, err := colstore.NewSchema(colstore.Field{Name: "x", Type: colstore.Float64}, colstore.Field{Name: "y", Type: colstore.Float64})
	if err != nil {
		t.Fatal(err)
	}
	w, err := cstore.Create(path, schema, &cstore.WriteOptions{Layout: cstore.LayoutPerWrite})
	if err != nil {
		t.Fatal(err)
	}
	for begin := range 2 {
		x, y := make([]float64, rows/2), make([]float64, rows/2)
		for i := range x {
			x[i] = float64(begin*len(x) + i)
			y[i] = x[i] / 2
		}
		b, err := colstore.NewBatch(schema, colstore.Wrap(x), colstore.Wrap(y))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// index writes row numbers as peers/make.py does.
func index(t *testing.T, rows ...int64) string {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, rows)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "numbers.rows")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProbeGather(t *testing.T) {
	rows := []int64{7, 0, 9, 3}
	var want []float64
	for _, scale := range []float64{1, 0.5} {
		var data []byte
		for _, r := range rows {
			data, _ = binary.Append(data, binary.LittleEndian, float64(r)*scale)
		}
		want = append(want, float64(crc32.ChecksumIEEE(data)))
	}
	var out strings.Builder
	if err := measured(t.Context(), &out, "gather", []string{numbers(t, 10), index(t, rows...)}); err != nil {
		t.Fatal(err)
	}
	var got account
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Exact); diff != "" {
		t.Error(diff)
	}
	if got.Inner <= 0 {
		t.Errorf("inner seconds %v", got.Inner)
	}
}

func TestProbeGatherFails(t *testing.T) {
	file, missing := numbers(t, 10), filepath.Join(t.TempDir(), "missing")
	tests := []struct {
		name  string
		probe string
		args  []string
		is    error
		text  string
	}{
		{"row", "gather", []string{file, index(t, 10)}, colstore.ErrRange, ""},
		{"file", "gather", []string{missing, index(t, 1)}, fs.ErrNotExist, ""},
		{"index", "gather", []string{file, missing}, fs.ErrNotExist, ""},
		{"arguments", "gather", []string{file}, nil, `-probe "gather" with 1 arguments`},
		{"name", "take", []string{file, file}, nil, `-probe "take"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := measured(t.Context(), &strings.Builder{}, tt.probe, tt.args)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v", err)
			}
		})
	}
}
