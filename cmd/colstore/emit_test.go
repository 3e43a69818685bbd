package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/recipes"
)

// sources fills the current folder with files of many formats that have the columns i, x, s.
func sources(t *testing.T) {
	t.Helper()
	files := map[string]string{
		"a.csv": "i,x,s\n1,0.5,a\n2,1.5,bb\n-3,,c\n", "b.csv": "i,x,s\n9,2.5,dd d\n7,-1,\n", "semi.txt": "i;x;s\n1;2;z\n3;4;y\n",
		"l.jsonl": "{\"i\":1,\"x\":[1,2],\"s\":\"u\"}\n{\"i\":4,\"x\":[],\"s\":\"v\"}\n", "c.jsonl": "{\"i\":1,\"x\":null,\"s\":\"u\"}\n{\"i\":4,\"x\":3,\"s\":\"v\"}\n", "we ird$ {name}.csv": "i,x,s\n5,5,e\n",
		"h/year=2023/k=a/p.csv": "i,x,s\n1,1,q\n", "h/year=2024/k=b%20b/p.csv": "i,x,s\n2,2,r\n3,3,s\n",
	}
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"convert a.csv -o p.parquet", "convert b.csv -o q.parquet", "convert a.csv --dtype i=int32 -o n.npz", "convert b.csv -o f.feather", "convert a.csv -o s.cstore"} {
		if text := printed(t, line); !strings.HasPrefix(text, "Converted") {
			t.Fatal(text)
		}
	}
}

// A recipe that convert prints does what convert does, byte by byte.
func TestEmitRecipe(t *testing.T) {
	t.Chdir(t.TempDir())
	sources(t)
	runs, none := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var args []string
		some := func(label string, flags ...[]string) {
			if rapid.IntRange(0, 5).Draw(t, label) == 0 {
				args = append(args, rapid.SampledFrom(flags).Draw(t, label+" flag")...)
			}
		}
		one := func(flag string, values ...string) [][]string {
			var out [][]string
			for _, v := range values {
				out = append(out, []string{flag, v})
			}
			return out
		}
		inputs := rapid.SampledFrom([][]string{
			{"a.csv", "b.csv"},
			{"[ab].csv"},
			{"p.parquet", "q.parquet"},
			{"p.parquet", "a.csv"},
			{"semi.txt", "--format", "csv", "--delimiter", ";"},
			{"h", "--hive"},
			{"h/*/*/*.csv", "--hive"},
			{"c.jsonl"},
			{"l.jsonl"},
			{"l.jsonl", "--jagged", "explode"},
			{"n.npz"},
			{"f.feather", "b.csv"},
			{"s.cstore"},
			{"we ird$ {name}.csv", "--no-glob"},
			{"h/year=2023/k=a/p.csv"},
		}).Draw(t, "inputs")
		args = append(args, inputs...)
		outputs := rapid.SampledFrom([][]string{
			{"-o", "out/all.parquet"},
			{"-o", "out/all.csv"},
			{"-o", "out/all.cstore"},
			{"-o", "out/all.feather"},
			{"-o", "out/all.jsonl"},
			{"-o", "out/all.json"},
			{"-o", "out/{stem}-{index:02d}.parquet"},
			{"-o", "out/{parent}_{stem}.json"},
			{"--output-dir", "out"},
			{"--output-dir", "out", "--format", "parquet"},
			{"-o", "out/all", "--format", "csv"},
		}).Draw(t, "outputs")
		args = append(args, outputs...)
		some("columns", one("--columns", "x,i", "s,i,x", "i", "s, x")...)
		some("dtype", one("--dtype", "i=float32", "i=U8", "x=f8", "s=S3")...)
		some("nulls", one("--nulls", "fill", "mask", "x=7", "s=it's")...)
		some("mismatch", one("--on-mismatch", "union", "drop")...)
		some("jagged", one("--jagged", "explode", "skip", "pad=2")...)
		some("paths", one("--source-column", "file", "the path")...)
		some("where", one("--where", "i > @low", "x < 3 or s == 'bb'", "i != 2 and i != -3")...)
		some("assign", one("--assign", "twice=i * 2", "t=s == @name", "y 2=x + @half")...)
		some("rename", one("--rename-column", "i=I", "x=a b")...)
		some("drop", one("--drop", "s", "x,s")...)
		some("limit", one("--limit", "3", "0")...)
		some("sample", one("--sample", "0.5", "0.75:12", "1")...)
		some("where again", one("--where", "True", "s in @list")...)
		some("compression", one("--compression", "zstd:2", "none")...)
		some("rows", one("--row-group", "1_000", "64 KiB")...)
		some("orient", one("--orient", "columns", "split", "records:values")...)
		some("missing", one("--missing", "NA,-", "")...)
		some("statistics", []string{"--statistics"}, []string{"--no-compact"}, []string{"--no-header"})
		some("batch", one("--batch-size", "64MiB", "2", "1_000")...)
		some("workers", one("--max-workers", "1", "3", "auto")...)
		args = append(args, "-p", "low=0", "-p", "half=float32:0.1", "-p", "name=S2:bb", "-p", `list:=["a","bb","q"]`, "--overwrite", "-q")

		if err := os.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if run(t.Context(), append([]string{"convert"}, args...), &out, &errs) != 0 {
			return // the flags do not go together, or with the data
		}
		want := contents(t)
		var recipe bytes.Buffer
		errs.Reset()
		if code := run(t.Context(), append([]string{"convert", "--emit-recipe"}, args...), &recipe, &errs); code != 0 {
			none++
			if code != exitUsage || !strings.Contains(errs.String(), "there is no recipe for this") || contents(t) != want {
				t.Fatalf("%q: exit %d\n%s", args, code, errs.String())
			}
			return
		}
		runs++
		if err := errors.Join(os.RemoveAll("out"), os.WriteFile("recipe.yaml", recipe.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		errs.Reset()
		if code := run(t.Context(), []string{"run", "recipe.yaml"}, &out, &errs); code != 0 {
			t.Fatalf("%q\n%s\nexit %d\n%s", args, recipe.String(), code, errs.String())
		}
		if got := contents(t); got != want {
			t.Fatalf("%q\n%s\ngot\n%q\nwant\n%q", args, recipe.String(), got, want)
		}
	})
	if runs == 0 {
		t.Errorf("%d recipes ran, %d conversions have none", runs, none)
	}
}

// contents returns the files of the folder out, and their bytes.
func contents(t *rapid.T) string {
	t.Helper()
	var out strings.Builder
	files, err := filepath.Glob("out/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s: %s\n", f, text)
	}
	return out.String()
}

// What has no recipe is refused, and nothing is written.
func TestEmitRecipeRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	sources(t)
	for line, want := range map[string]string{
		"a.csv -o o.csv --nulls mask --nulls x=1": "either all treated alike",
		"h/*/*/*.csv":                                                   "no template names the outputs",
		"a.csv -o o.csv --where 's == \"${x}\"'":                        "R331",
		"a.csv b.csv --rename a=z":                                      "no template names the outputs",
		"a.csv -o o.csv -p t=S3:\xff --where 's == @t'":                 "UTF-8",
		"a.csv -o o.csv --sample 0.5:18446744073709551615":              "seed",
		"a.csv -o o.csv --rename-column 's=${s}'":                       "R331",
		"a.csv -o o.csv --where 's in @t' -p t:=[null]":                 "no type",
		"a.csv -o o.csv --where 'i > @t' -p t:=null":                    "no type",
		"a.csv -o o.csv --where 'i > @t-x' -p t=1 -p t-x=2 --drop i":    "R211",
		"a.csv b.csv -o 'out/{name}' --overwrite":                       "",
		"a.csv p.parquet -o 'out/{name}' --overwrite":                   "different options",
		"a.csv -o o.json --nonfinite literal --orient split":            "",
		"a.csv -o o.csv --limit 1_000 --sample 1e-9 --sample 0.25:0000": "",
	} {
		got := printed(t, "convert --emit-recipe "+strings.ReplaceAll(line, `"`, "\""))
		if want != "" && (!strings.Contains(got, want) || !strings.Contains(got, "(exit 2)")) {
			t.Errorf("%s\n%s", line, got)
		}
		if text, _, _ := strings.Cut(got, "(stderr)"); want == "" {
			if _, err := recipes.Parse("r.yaml", []byte(text), nil); err != nil {
				t.Errorf("%s\n%s\n%v", line, got, err)
			}
		}
	}
	if files, err := filepath.Glob("o*"); err != nil || len(files) > 0 {
		t.Errorf("%q was written, %v", files, err)
	}
}
