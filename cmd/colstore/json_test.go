package main

import (
	"os"
	"strings"
	"testing"
)

// jsonFixtures are the JSON files of a workplace.
var jsonFixtures = []string{
	"foreign/json/split.json", "foreign/json/index.json", "foreign/json/missing_key.json", "foreign/json/nulls_num.json", "foreign/json/ints_huge.json",
	"foreign/json/mixed_type.json", "foreign/json/records.json", "foreign/json/trailing_comma.json", "foreign/ndjson/simple.ndjson",
}

// A conversion from and to JSON gives the same bytes whatever the batches and workers are.
func TestJSONBatches(t *testing.T) {
	workplace(t)
	settings := []string{"", " --batch-size 16", " --batch-size 64MiB", " --batch-size 7 --max-workers 1", " --batch-size 12MiB --max-workers 3"}
	same := func(line, output string) {
		t.Helper()
		var first []byte
		for i, s := range settings {
			if got := printed(t, line+" -o "+output+" --overwrite"+s); strings.Contains(got, "exit") {
				t.Fatalf("%s%s:\n%s", line, s, got)
			}
			data, err := os.ReadFile(output)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = data
			} else if string(data) != string(first) {
				t.Errorf("%s%s gives other bytes", line, s)
			}
		}
	}
	columns := " --columns i1,i8,u8,f2,f4,f8,b,s,u,d,t,dt --where 'i1 > 0 or i1 <= 0'"
	same("convert expr_multi.cstore"+columns, "t.jsonl")
	same("convert t.jsonl", "back.cstore")
	for _, orient := range []string{"records", "columns", "split", "index", "values", "table"} {
		same("convert expr_multi.cstore --orient "+orient+columns, orient+".json")
		same("convert "+orient+".json --orient "+orient, "back.cstore")
		same("convert "+orient+".json --orient "+orient+" --nulls mask", "masked.cstore")
	}
}
