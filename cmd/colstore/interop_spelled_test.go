//go:build interop && unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// spellEveryDType writes every dtype as CSV, TSV and JSON for others to read, and reads what they spelled.
func (x interop) spellEveryDType(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_spelled.py", dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, flags := range map[string][]string{
		"spelled.csv":        nil,
		"spelled.tsv":        nil,
		"semicolon.csv":      {"--delimiter", ";"},
		"bare.csv":           {"--no-header"},
		"literal.jsonl":      {"--nonfinite", "literal"},
		"literal.json":       {"--nonfinite", "literal"},
		"literal.table.json": {"--nonfinite", "literal", "--orient", "table"},
		"null.jsonl":         nil,
	} {
		x.ok(t, append([]string{"convert", at("spelled.cstore"), "-o", at(name), "-q"}, flags...)...)
	}
	raw, err := os.ReadFile(at("dtypes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dtypes map[string]string
	if err := json.Unmarshal(raw, &dtypes); err != nil {
		t.Fatal(err)
	}
	if len(dtypes) != 40 {
		t.Fatalf("%d dtypes", len(dtypes))
	}
	var declared []string
	for column, code := range dtypes {
		declared = append(declared, "--dtype", column+"="+code)
	}
	for _, name := range []string{"python.csv", "python.tsv", "python.jsonl"} {
		x.ok(t, append([]string{"convert", at(name), "-o", at(name + ".cstore"), "-q"}, declared...)...)
	}
	x.peer(t, "check_spelled.py", dir)
}
