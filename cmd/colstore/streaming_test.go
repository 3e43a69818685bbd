//go:build linux && !race

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
)

// A conversion takes an input of at least eight times its budget.
const timesBudget = 8

// aboveBudget is what a program may take beside the budget: itself, and what is mapped.
const aboveBudget = 96 * colstore.MiB

// A streaming is a line of the table of TestStreaming. TABLE in it is numbers and then text.
type streaming struct {
	budget int // MiB
	line   string
}

// streamed has every format as input and as output, to and from .cstore and to another foreign format, in all its ways to
// lie in a file. Spelled out, numbers take a multiple of their bytes; what is measured against the budget is the bytes of
// the values. Parquet and Feather are written in row groups of up to 32 MiB whatever the budget, so theirs is the default.
var streamed = []streaming{
	{64, "TABLE.cstore TABLE.cstore TABLE.cstore TABLE.cstore -o TABLE.parquet"},
	{64, "TABLE.parquet -o TABLE.feather"},
	{64, "TABLE.feather -o TABLE.stored.parquet --compression none"},
	{16, "TABLE.stored.parquet -o back.cstore"},
	{16, "TABLE.feather -o back.cstore"},
	{16, "TABLE.cstore -o TABLE.npz"},
	{16, "TABLE.cstore -o TABLE.deflate.npz --compression deflate:1"},
	{16, "TABLE.npz -o back.cstore"},
	{16, "TABLE.deflate.npz -o back.cstore"},
	{16, "TABLE.npz TABLE.npz -o both.npz"},
	{4, "TABLE.cstore -o TABLE.csv --columns COLUMNS"},
	{4, "TABLE.csv -o back.cstore"},
	{4, "TABLE.csv -o TABLE.tsv"},
	{4, "TABLE.tsv -o TABLE.jsonl"},
	{4, "TABLE.jsonl -o TABLE.json"},
	{4, "TABLE.json -o TABLE.columns.json --orient columns"},
	{4, "TABLE.columns.json -o TABLE.2.csv"},
	{4, "TABLE.jsonl -o back.cstore"},
	{4, "TABLE.json -o TABLE.3.npz"},
	{4, "TABLE.columns.json -o back.cstore"},
}

// streamedNumbers are lines for numbers alone: branches of a tree hold no text.
var streamedNumbers = []streaming{
	{16, "TABLE.cstore -o TABLE.root"},
	{16, "TABLE.npz -o TABLE.2.root"},
	{16, "TABLE.root -o back.cstore"},
	{64, "TABLE.root TABLE.root TABLE.root TABLE.root -o TABLE.3.parquet"},
}

// Every format streams in both directions, numbers and text: the peak of a conversion does not depend on its input, which
// is several times the budget.
func TestStreaming(t *testing.T) {
	dir := t.TempDir()
	writeNumbers(t, filepath.Join(dir, "numbers.cstore"), 2<<20) // 128 MiB
	writeTexts(t, filepath.Join(dir, "text.cstore"), 1_245_184)  // 128 MiB
	if testing.Short() {
		t.Log("short: text alone")
	}
	inputs, outputs := map[string]bool{}, map[string]bool{}
	for _, table := range []struct{ name, columns string }{{"numbers", "a,b,c"}, {"text", "u"}} {
		if testing.Short() && table.name == "numbers" {
			continue
		}
		lines := streamed
		if table.name == "numbers" {
			lines = slices.Concat(streamed, streamedNumbers)
		}
		for _, c := range lines {
			line := strings.NewReplacer("TABLE", table.name, "COLUMNS", table.columns).Replace(c.line)
			args := append([]string{"convert"}, fields(line)...)
			cut := slices.Index(args, "-o")
			size := colstore.ByteSize(0)
			for _, in := range args[1:cut] {
				inputs[filepath.Ext(in)] = true
				size += bytesOfRows(t, filepath.Join(dir, in))
			}
			outputs[filepath.Ext(args[cut+1])] = true
			budget := colstore.ByteSize(c.budget) * colstore.MiB
			if size < timesBudget*budget {
				t.Errorf("%s: the input is %s, less than %d times %s", line, size, timesBudget, budget)
			}
			peak := peakOf(t, dir, append(args, "--batch-size", strconv.Itoa(c.budget)+"MiB", "-q")...)
			t.Logf("%8s of %2d MiB, input %8s: convert %s", peak, c.budget, size, line)
			if peak > budget+aboveBudget {
				t.Errorf("%s took %s, the budget is %s", line, peak, budget)
			}
			for _, old := range []string{"back.cstore", "both.npz"} {
				_ = os.Remove(filepath.Join(dir, old)) // what later lines do not read
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, table.name+"*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			_ = os.Remove(f)
		}
	}
	if testing.Short() {
		return // ROOT has numbers alone
	}
	for _, f := range source.Formats() {
		if ext := f.Extensions[0]; f.Read != nil && !inputs[ext] || f.Write != nil && !outputs[ext] {
			t.Errorf("%s is not converted in both directions", f.Name)
		}
	}
}

// bytesOfRows returns the bytes that the values of a file take in memory.
func bytesOfRows(t *testing.T, path string) colstore.ByteSize {
	t.Helper()
	src, err := source.OpenPath(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return colstore.ByteSize(src.Rows() * int64(src.Schema().RowBytes()))
}
