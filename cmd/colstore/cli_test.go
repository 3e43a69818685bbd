package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/internal/golden"
)

var update = flag.Bool("update", false, "rewrite the golden texts")

// workplace enters a folder with fixtures of every format.
func workplace(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"expr.cstore", "all_dtypes_multi.cstore", "expr_multi.cstore", "bad/wrong_magic.cstore",
		"foreign/csv/simple.csv", "foreign/csv/ragged_long.csv", "foreign/csv/missing.csv", "foreign/csv/dup_header.csv",
		"foreign/parquet/bad_truncated.parquet", "foreign/parquet/list.parquet", "foreign/parquet/null_i32.parquet", "foreign/parquet/sorted_pages.parquet",
		"bad/stats_lie.cstore", "bad/stats_crc.cstore", "bad/trunc_multi_body.cstore", "bad/rows_too_many.cstore", "bad/rec_crc.cstore",
		"bad/n_records_1_of_3.cstore", "bad/manifest_not_json.cstore", "bad/trailing_garbage.cstore", "foreign/parquet/bad_page_crc.parquet", "foreign/npz/names.npz", "foreign/npz/versions.npz", "foreign/npz/ragged.npz",
		"foreign/feather/ipc_stream.feather", "foreign/feather/feather_v1.feather", "foreign/feather/list.feather", "jagged/plain_default.parquet", "jagged/plain.arrow", "foreign/feather/null_i32.feather",
		"stats_sorted.cstore",
		"foreign/root/jagged.root", "foreign/root/two_trees.root", "foreign/root/subdir.root", "foreign/root/cycles.root", "foreign/root/rntuple.root",
		"foreign/root/hist_only.root",
	} {
		put(filepath.Base(name), golden.Bytes(t, name))
	}
	for _, name := range jsonFixtures {
		put(filepath.Base(name), golden.Bytes(t, name))
	}
	put("lists.jsonl", []byte(`{"id":1,"x":[1.5,2],"c":{"a":"p","b":[1]}}`+"\n"+`{"id":2,"x":[],"c":{"a":"qq","b":[2,3]}}`+"\n"+`{"id":3,"x":[4,5,6],"c":{"a":"r","b":[]}}`+"\n"))
	put("null_lists.jsonl", []byte(`{"x":[1.5,null]}`+"\n"+`{"x":null}`+"\n"))
	put("lists.yaml", []byte("recipe: 1\nfrom: {path: lists.jsonl, jagged: pad=2}\nsteps:\n  - where: x_n > 0\nto: {path: padded.csv, mode: replace, columns: [id, x]}\n"))
	put("plain.txt", []byte("what a table is not\n"))
	put("recipe.yaml", []byte("recipe: 1\nfrom: expr.cstore\nsteps:\n  - where: {expr: i4 > 0, name: positive}\n  - assign: {twice: i4 * 2}\n"+
		"to: {path: out.parquet, mode: replace, columns: [i4, twice]}\nreport: {cutflow: flow.csv}\n"))
	put("range.yaml", []byte("recipe: 1\nfrom: stats_sorted.cstore\nsteps:\n  - where: key > 200\n  - where: key % 2 == 0\nto: {path: range.cstore, mode: replace}\n"))
	put("wrong.yaml", []byte("recipe: 1\nfrom: expr.cstore\nsteps:\n  - where: i5 > 0\n  - fiter: i4 > 0\nto: out.parquet\n"))
	put("sales/year=2023/month=12/a.csv", []byte("item,price\npen,1.5\n"))
	put("sales/year=2024/month=1/a.csv", []byte("item,price\nink,20\nnib,3\n"))
	put("sales/year=2024/month=2/b.csv", []byte("item,price\ncap,4\n"))
	for name, row := range map[string]string{
		"a_int": `{"n":1,"b":true}`, "a_big": `{"n":18446744073709551615,"b":false}`, "a_low": `{"n":-1,"b":true}`, "a_text": `{"n":"x","b":true}`, "a_null": `{"n":2,"b":null}`,
	} {
		put(name+".jsonl", []byte(row+"\n"))
	}
	put("each.yaml", []byte("recipe: 1\nfrom: {path: 'sales/*/*/*.csv', hive: true, source_column: file}\nto: 'each/{index}-{parent}.jsonl'\n"))
	put("shards.yaml", []byte("recipe: 1\nfrom: expr.cstore\nto: {path: made/, shard_size: 4, shard_name: 'p{index:02d}'}\n"))
	put("more.yaml", []byte("recipe: 1\nfrom: expr.cstore\nsteps:\n  - where: i4 > 0\nto:\n  - {path: made/, mode: append, shard_name: 'p{index:02d}', statistics: true}\n  - {path: none/, where: i4 > 1000000}\n"))
	put("back.yaml", []byte("recipe: 1\nfrom: made/\nto: {path: made/, mode: append}\n"))
	t.Chdir(dir)
}

// printed runs a command line and returns what it printed, and how it ended.
func printed(t *testing.T, line string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), fields(line), &out, &errs)
	text := out.String()
	if errs.Len() > 0 {
		text += "(stderr)\n" + errs.String()
	}
	if code != 0 {
		text += fmt.Sprintf("(exit %d)\n", code)
	}
	return seconds.ReplaceAllString(text, "T s")
}

var seconds = regexp.MustCompile(`\d+\.\d\d s(, \d+ MB/s)?`)

// fields splits a line at blanks outside single quotes.
func fields(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 0 {
			out = append(out, strings.Fields(part)...)
		} else {
			out = append(out, part)
		}
	}
	return out
}

// TestCommands holds what commands print against testdata/commands.txt: a line with the arguments, ----, the output, ====.
// The commands run one after the other in one folder.
func TestCommands(t *testing.T) {
	path := filepath.Join("testdata", "commands.txt")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path, err = filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	workplace(t)
	var b strings.Builder
	for c := range strings.SplitSeq(string(old), "====\n") {
		line, want, ok := strings.Cut(c, "----\n")
		if !ok {
			continue
		}
		got := printed(t, strings.TrimSpace(line))
		if got != want && !*update {
			t.Errorf("%s:\n%s\nwant:\n%s", strings.TrimSpace(line), got, want)
		}
		b.WriteString(line + "----\n" + got + "====\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A failed conversion leaves the folder as it was: no new file, and the old output.
func TestFailuresLeaveNothing(t *testing.T) {
	workplace(t)
	if got := printed(t, "convert expr.cstore -o out.cstore --columns i4"); strings.Contains(got, "exit") {
		t.Fatal(got)
	}
	before := listing(t)
	for _, line := range []string{
		"convert wrong_magic.cstore -o out.cstore --overwrite",
		"convert bad_truncated.parquet -o out.cstore --overwrite",
		"convert list.parquet -o out.cstore --overwrite",
		"convert null_i32.parquet -o out.cstore --overwrite",
		"convert ragged_long.csv -o out.cstore --overwrite",
		"convert trailing_comma.json -o out.cstore --overwrite",
		"convert mixed_type.json -o out.cstore --overwrite",
		"convert expr.cstore -o out.cstore",
		"convert expr.cstore -o out.cstore --overwrite --columns nothing",
		"convert expr.cstore -o out.cstore --overwrite --where 'nothing > 1'",
		"convert expr.cstore -o out.cstore --overwrite --where 'i4 + '",
		"convert expr.cstore -o out.cstore --overwrite --dtype i4=S2 --assign 'i4=u + 1'",
		"convert expr.cstore -o new/folder/out.cstore --where 'nothing > 1'",
		"convert expr.cstore -o plain.txt/out.cstore",
		"convert expr.cstore simple.csv -o out.cstore --overwrite",
		"convert missing.cstore -o out.cstore --overwrite",
		"convert expr.cstore -o out.xyz",
		"convert expr.cstore -o out.cstore --overwrite --assign 'z=i4 + 1' --batch-size 8B",
		"run wrong.yaml",
	} {
		if got := printed(t, line); !strings.Contains(got, "(exit ") || strings.Count(got, "panic") > 0 {
			t.Errorf("%s: %s", line, got)
		}
		if after := listing(t); after != before {
			t.Errorf("%s left\n%s\nwant\n%s", line, after, before)
		}
	}
}

// Several small files become Parquet at once, although a writer's row group takes more than a share of the budget; and a
// name in --nulls has to be there.
func TestSmallFilesAtOnce(t *testing.T) {
	workplace(t)
	if got := printed(t, "convert simple.csv missing.csv ragged_long.csv --output-dir out --format parquet"); !strings.Contains(got, "1 of 3 outputs failed") {
		t.Error(got)
	}
	if got := printed(t, "info out/simple.parquet out/missing.parquet"); strings.Contains(got, "exit") {
		t.Error(got)
	}
	if got := printed(t, "convert simple.csv -o n.cstore --nulls nothing=1"); !strings.Contains(got, "(exit 1)") {
		t.Error(got)
	}
}

// listing names the files below the working folder and their content's length.
func listing(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(".", func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(p)
		fmt.Fprintf(&b, "%s %x\n", p, len(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A context that is over ends a command with the code of an interruption.
func TestInterrupted(t *testing.T) {
	workplace(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"convert", "expr.cstore", "-o", "o.cstore"}, &out, &errs); code != exitInterrupted {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	if _, err := os.Stat("o.cstore"); err == nil {
		t.Error("there is an output")
	}
}
