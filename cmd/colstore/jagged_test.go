package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/internal/golden"
)

// What lists become is the same bytes for any batch, number of workers, and split of the rows into files.
func TestJaggedBytes(t *testing.T) {
	workplace(t)
	for _, name := range []string{"nulls_pages.parquet", "nulls_batches.arrow"} {
		if err := os.WriteFile(name, golden.Bytes(t, "jagged/"+name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf(`{"id":%d,"l":[%s],"o":{"p":"%s"}}`, i, strings.TrimSuffix(strings.Repeat("7,", i%5), ","), strings.Repeat("é", i%3)))
	}
	for name, part := range map[string][]string{"rows.jsonl": lines, "rows1.jsonl": lines[:3], "rows2.jsonl": lines[3:20], "rows3.jsonl": lines[20:]} {
		if err := os.WriteFile(name, []byte(strings.Join(part, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for input, others := range map[string][]string{
		"nulls_pages.parquet": nil, "nulls_batches.arrow": nil, "rows.jsonl": {"rows1.jsonl rows2.jsonl rows3.jsonl"},
	} {
		var want []byte
		for _, in := range append([]string{input}, others...) {
			for _, how := range []string{"", "--batch-size 1", "--batch-size 7 --max-workers 3", "--max-workers 1"} {
				line := "convert " + in + " -o out.cstore --overwrite --jagged explode --nulls fill " + how
				if got := printed(t, line); strings.Contains(got, "(exit") {
					t.Fatalf("%s: %s", line, got)
				}
				got, err := os.ReadFile("out.cstore")
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: other bytes", line)
				}
			}
		}
	}
}
