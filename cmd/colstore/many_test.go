package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files of several formats, with dtypes that differ, nulls in some of them and folders that say something, become the same
// bytes for any batches and workers.
func TestManyFilesHideHowTheyRan(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 6 {
		var csv, lines strings.Builder
		csv.WriteString("n,x,s\n")
		for i := range 400 {
			fmt.Fprintf(&csv, "%d,%g,%s\n", i*k-100, float64(i)/4, strings.Repeat("ab", i%(k+2)))
			b := "true"
			if k%2 == 1 && i%7 == 3 {
				b = "null"
			}
			fmt.Fprintf(&lines, "{\"n\":%d,\"x\":%d,\"s\":%q,\"b\":%s}\n", i+k, i, strings.Repeat("é", i%(k+1)), b)
		}
		write(fmt.Sprintf("in/k=%d/a.csv", k), csv.String())
		write(fmt.Sprintf("in/k=%d/b.jsonl", k), lines.String())
		if text := printed(t, fmt.Sprintf("convert in/k=%d/a.csv --dtype n=int16 -o in/k=%d/c.parquet", k, k)); !strings.HasPrefix(text, "Converted") {
			t.Fatal(text)
		}
	}
	for name, line := range map[string]string{
		"union":  "convert in/*/*.* --hive --on-mismatch union --dtype n=int64 --dtype x=float64 --dtype s=U12 --nulls mask --source-column file --where 'k != 3 and n % 3 == 0'",
		"strict": "convert in/*/*.jsonl --nulls mask --hive --source-column file --columns b,s,k",
		"drop":   "convert in/*/a.csv in/*/*.parquet --on-mismatch drop --dtype n=float32 --where 'x > 20' --hive",
	} {
		for _, ext := range []string{"cstore", "parquet", "csv"} {
			want := ""
			for i, setting := range []string{"", " --max-workers 1", " --max-workers 3 --batch-size 7", " --batch-size 1", " --max-workers 2 --batch-size 96MiB"} {
				out := fmt.Sprintf("%s-%d.%s", name, i, ext)
				if text := printed(t, line+" -q -o "+out+setting); !strings.HasPrefix(text, "Converted") {
					t.Fatalf("%s%s: %s", line, setting, text)
				}
				got, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					want = string(got)
				} else if string(got) != want {
					t.Errorf("%s to %s%s: other bytes", line, ext, setting)
				}
			}
		}
	}
}
