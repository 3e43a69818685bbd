package main

import (
	"os"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/internal/golden"
)

// A conversion of a tree gives the same bytes whatever the batches and workers are, and so do several files of the tree.
func TestROOTBatches(t *testing.T) {
	workplace(t)
	for _, name := range []string{"baskets_zlib.root", "baskets_none.root", "baskets_lzma.root"} {
		if err := os.WriteFile(name, golden.Bytes(t, "foreign/root/"+name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ line, output string }{
		{"convert baskets_zlib.root", "t.cstore"},
		{"convert baskets_none.root --where 'i8 > 0 and f64 == f64' --assign 'sum=f32+i16'", "t.parquet"},
		{"convert baskets_lzma.root --columns u64,flag,f64,i8", "t.feather"},
		{"convert baskets_zlib.root baskets_none.root baskets_lzma.root", "t.cstore"},
		{"convert jagged.root", "t.cstore"},
	} {
		var first []byte
		for i, s := range []string{"", " --batch-size 16", " --batch-size 64MiB", " --batch-size 7 --max-workers 1", " --batch-size 64MiB --max-workers 3"} {
			if got := printed(t, c.line+" -o "+c.output+" --overwrite"+s); strings.Contains(got, "exit") {
				t.Fatalf("%s%s:\n%s", c.line, s, got)
			}
			data, err := os.ReadFile(c.output)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = data
			} else if string(data) != string(first) {
				t.Errorf("%s%s gives other bytes", c.line, s)
			}
		}
	}
}
