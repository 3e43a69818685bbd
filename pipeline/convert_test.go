package pipeline_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/pipeline"
)

var formats = []pipeline.Format{
	{Name: "cstore", Extensions: []string{".cstore"}}, {Name: "parquet", Extensions: []string{".parquet", ".pq"}}, {Name: "csv", Extensions: []string{".csv"}},
}

func TestConvertPlans(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, n := range []string{"a.parquet", "b.parquet", "in10.csv", "in2.csv", "x.cstore", "odd.dat", "sub/a.parquet"} {
		if err := os.MkdirAll(filepath.Dir(n), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(n, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	type job = pipeline.Job
	one := func(in, out string) job { return job{Inputs: []string{in}, Output: out} }
	tests := []struct {
		name    string
		sources []string
		o       pipeline.ConvertOptions
		merge   bool
		want    []job
	}{
		{"extension swapped", []string{"a.parquet", "in2.csv"}, pipeline.ConvertOptions{}, false, []job{one("a.parquet", "a.cstore"), one("in2.csv", "in2.cstore")}},
		{"beside the input", []string{"sub/a.parquet"}, pipeline.ConvertOptions{}, false, []job{one("sub/a.parquet", "sub/a.cstore")}},
		{"native to another", []string{"x.cstore"}, pipeline.ConvertOptions{Format: "parquet"}, false, []job{one("x.cstore", "x.parquet")}},
		{"foreign to foreign", []string{"in2.csv"}, pipeline.ConvertOptions{Format: "parquet"}, false, []job{one("in2.csv", "in2.parquet")}},
		{
			"merge in natural order",
			[]string{"in*.csv"},
			pipeline.ConvertOptions{Output: "all.cstore"},
			true,
			[]job{{Inputs: []string{"in2.csv", "in10.csv"}, Output: "all.cstore"}},
		},
		{"one literal", []string{"a.parquet"}, pipeline.ConvertOptions{Output: "z.csv"}, false, []job{one("a.parquet", "z.csv")}},
		{
			"template",
			[]string{"a.parquet", "sub/a.parquet"},
			pipeline.ConvertOptions{Output: "{parent}_{stem}_{index:03d}_{{}}.cstore"},
			false,
			[]job{one("a.parquet", "._a_000_{}.cstore"), one("sub/a.parquet", "sub_a_001_{}.cstore")},
		},
		{"name and plain index", []string{"a.parquet"}, pipeline.ConvertOptions{Output: "{name}.{index}.csv"}, false, []job{one("a.parquet", "a.parquet.0.csv")}},
		{
			"folder and new names",
			[]string{"a.parquet", "b.parquet"},
			pipeline.ConvertOptions{OutputDir: "out", Rename: map[string]string{"a": "first", "b": "second.cstore"}},
			false,
			[]job{one("a.parquet", "out/first.cstore"), one("b.parquet", "out/second.cstore")},
		},
		{
			"format of a source without extension",
			[]string{"odd.dat"},
			pipeline.ConvertOptions{Format: "csv"},
			false,
			[]job{{Inputs: []string{"odd.dat"}, InputFormat: "csv", Output: "odd.cstore"}},
		},
		{
			"format of a source, output given",
			[]string{"odd.dat"},
			pipeline.ConvertOptions{Format: "csv", Output: "o.cstore"},
			false,
			[]job{{Inputs: []string{"odd.dat"}, InputFormat: "csv", Output: "o.cstore"}},
		},
		{
			"format of an output without extension",
			[]string{"a.parquet"},
			pipeline.ConvertOptions{Format: "csv", Output: "o.dat"},
			false,
			[]job{{Inputs: []string{"a.parquet"}, Output: "o.dat", OutputFormat: "csv"}},
		},
	}
	for _, c := range tests {
		c.o.Formats = formats
		got, err := pipeline.Convert(c.sources, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, got.Jobs); d != "" || got.Merge != c.merge {
			t.Errorf("%s (merge %v): %s", c.name, got.Merge, d)
		}
	}
}

func TestConvertRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, n := range []string{"a.parquet", "a.csv", "x.cstore"} {
		if err := os.WriteFile(n, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		sources []string
		o       pipeline.ConvertOptions
		is      error
		says    string
	}{
		{"missing", []string{"no.parquet"}, pipeline.ConvertOptions{}, fs.ErrNotExist, "no.parquet"},
		{"pattern without a match", []string{"no*.parquet"}, pipeline.ConvertOptions{}, fs.ErrNotExist, "no*.parquet"},
		{"native without a target", []string{"x.cstore"}, pipeline.ConvertOptions{}, colstore.ErrOption, "x.cstore"},
		{"two inputs, one output", []string{"a.parquet", "a.csv"}, pipeline.ConvertOptions{}, colstore.ErrOption, "a.cstore"},
		{"template that names both alike", []string{"a.parquet", "a.csv"}, pipeline.ConvertOptions{Output: "{stem}.cstore"}, colstore.ErrOption, "a.cstore"},
		{"unknown field", []string{"a.csv"}, pipeline.ConvertOptions{Output: "{foo}.cstore"}, colstore.ErrOption, "{foo}"},
		{"positional field", []string{"a.csv"}, pipeline.ConvertOptions{Output: "{}.cstore"}, colstore.ErrOption, "{}"},
		{"unbalanced", []string{"a.csv"}, pipeline.ConvertOptions{Output: "{stem.cstore"}, colstore.ErrOption, "{stem"},
		{"unbalanced close", []string{"a.csv"}, pipeline.ConvertOptions{Output: "stem}.cstore"}, colstore.ErrOption, "}"},
		{"width of a text", []string{"a.csv"}, pipeline.ConvertOptions{Output: "{stem:03d}.cstore"}, colstore.ErrOption, "{index}"},
		{"bad width", []string{"a.csv"}, pipeline.ConvertOptions{Output: "{index:x}.cstore"}, colstore.ErrOption, "{index:x}"},
		{"no extension", []string{"a.csv"}, pipeline.ConvertOptions{Output: "{stem}_x"}, colstore.ErrOption, "a_x"},
		{"literal and folder", []string{"a.csv"}, pipeline.ConvertOptions{Output: "o.cstore", OutputDir: "d"}, colstore.ErrOption, "--output-dir"},
		{"unknown format", []string{"x.cstore"}, pipeline.ConvertOptions{Format: "parqet"}, colstore.ErrOption, `"parquet"`},
	}
	for _, c := range tests {
		c.o.Formats = formats
		got, err := pipeline.Convert(c.sources, c.o)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	if c, err := pipeline.Convert([]string{"a.csv", "a.csv"}, pipeline.ConvertOptions{Output: "o.cstore", Formats: formats}); err != nil || len(c.Warnings) != 1 {
		t.Errorf("an input listed twice: %+v, %v", c, err)
	}
}

func TestConvertDescribes(t *testing.T) {
	merge := &pipeline.Conversion{Merge: true, Jobs: []pipeline.Job{{Inputs: []string{"in0.npz", "in1.npz"}, Output: "all.cstore"}}}
	if got, want := merge.Describe("Would convert"), "Would convert (merge) 2 files into all.cstore:\n    in0.npz\n    in1.npz\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	each := &pipeline.Conversion{Jobs: []pipeline.Job{{Inputs: []string{"in0.npz"}, Output: "in0.cstore"}}}
	if got, want := each.Describe("Converted"), "Converted 1 file(s):\n    in0.npz -> in0.cstore\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
