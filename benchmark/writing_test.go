package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// noise writes a .cstore file of four columns of floats.
func noise(t *testing.T, path string, rows int) {
	t.Helper()
	var fields []colstore.Field
	var cols []colstore.Column
	for i, name := range []string{"a", "b", "c", "d"} {
		v := make([]float64, rows)
		for r := range v {
			v[r] = float64(r + i + 1)
		}
		fields, cols = append(fields, colstore.Field{Name: name, Type: colstore.Float64}), append(cols, colstore.Wrap(v))
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err == nil {
		err = cstore.Store(t.Context(), path, b, &cstore.WriteOptions{Mkdirs: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every probe does its work and tells the rows and the seconds of it.
func TestProbes(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "table.cstore")
	noise(t, table, 1600)
	for i := range partFiles {
		noise(t, filepath.Join(dir, "noise", fmt.Sprintf("part_%d.cstore", i)), 200)
	}
	out := func(name string) string { return filepath.Join(dir, name+".cstore") }
	for _, test := range []struct {
		probe   string
		args    []string
		rows    int64
		records int64 // of the output; 0: none is written
		columns int
	}{
		{"frame", []string{table, out("frame")}, 1600, 1, 7},
		{"compact", []string{numbers(t, 10), out("compact")}, 10, 1, 2},
		{"concat", []string{filepath.Join(dir, "noise"), out("concat")}, 1600, 1, 4},
		{"small", []string{table, out("small"), "16"}, 1600, 16, 4},
		{"append", []string{table, filepath.Join(dir, "shards"), "1600"}, 1600, 0, 0},
		{"open", []string{table, "3"}, 1600, 0, 0},
		{"open-shards", []string{filepath.Join(dir, "noise"), "2"}, 1600, 0, 0},
	} {
		var b strings.Builder
		if err := measured(t.Context(), &b, test.probe, test.args); err != nil {
			t.Fatalf("%s: %v", test.probe, err)
		}
		var a account
		if err := json.Unmarshal([]byte(b.String()), &a); err != nil {
			t.Fatal(err)
		}
		if a.Rows != test.rows || a.Inner <= 0 || (test.records == 0) != (len(a.Exact) == 1) {
			t.Errorf("%s: %+v", test.probe, a)
		}
		if test.records == 0 {
			continue
		}
		info, err := cstore.Stat(test.args[1])
		if err != nil || info.Rows != test.rows || info.Records != test.records || len(info.Columns) != test.columns {
			t.Errorf("%s: %+v, %v", test.probe, info, err)
		}
	}
	if err := measured(t.Context(), &strings.Builder{}, "concat", []string{table, out("none")}); err == nil {
		t.Error("a file was read as a folder")
	}
}
