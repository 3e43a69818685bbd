package formattest_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
	"github.com/colstore/colstore-go/source/formattest"
)

// file returns a file with this text.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// spelled are the dtypes that JSON gives a column that is declared so: of whole numbers it takes the values alone, and a
// narrower dtype is a cast of what was read.
var spelled = slices.DeleteFunc(format.DTypes(9), func(t colstore.DType) bool {
	return t.Size() < 8 && (t.Kind() == colstore.KindInt || t.Kind() == colstore.KindUint)
})

// Every format of the module passes, in each of its ways to lay out a file.
func TestFormats(t *testing.T) {
	type m = map[string]any
	text := map[string]colstore.DType{"s": colstore.TextOf(2)}
	for name, c := range map[string]formattest.Config{
		"cstore":         {Format: "cstore", Truncation: true},
		"cstore records": {Format: "cstore", Write: m{"compact": false, "statistics": true}, Truncation: true},
		"parquet":        {Format: "parquet", Truncation: true, Checksums: true},
		"parquet groups": {Format: "parquet", Write: m{"row_group": "1024", "compression": "snappy"}, Truncation: true, Checksums: true},
		"parquet stored": {Format: "parquet", Write: m{"row_group": "64 KiB", "compression": "none"}, Truncation: true, Checksums: true},
		"feather":        {Format: "feather", Truncation: true},
		"feather stored": {Format: "feather", Write: m{"compression": "none"}, Truncation: true},
		"feather zstd":   {Format: "feather", Write: m{"compression": "zstd"}, Truncation: true},
		"npz":            {Format: "npz", Truncation: true, Checksums: true},
		"npz deflate":    {Format: "npz", Write: m{"compression": "deflate:1"}, Truncation: true, Checksums: true},
		"csv": {Format: "csv", Text: true, Untyped: true, Entwined: true, Nulls: &formattest.Nulls{
			Path: file(t, "n.csv", "n,m\n1,2\n,3\n4,5\n"), Column: "n", Row: 1, Value: "-5", DTypes: map[string]colstore.DType{"n": colstore.Int64},
		}},
		"csv semicolons": {Format: "csv", Text: true, Untyped: true, Entwined: true, Read: m{"delimiter": ";"}, Write: m{"delimiter": ";"}},
		"tsv":            {Format: "tsv", Text: true, Untyped: true, Entwined: true},
		"json": {Format: "json", DTypes: spelled, Text: true, Untyped: true, Rowless: true, Entwined: true, Truncation: true, Write: m{"nonfinite": "literal"}, Nulls: &formattest.Nulls{
			Path: file(t, "n.json", `[{"s":"a"},{"s":null},{"s":"b"}]`), Column: "s", Row: 1, Value: "?", DTypes: text,
		}},
		"json columns": {Format: "json", DTypes: spelled, Text: true, Untyped: true, Entwined: true, Truncation: true, Write: m{"nonfinite": "literal", "orient": "columns"}},
		"json split":   {Format: "json", DTypes: spelled, Text: true, Untyped: true, Entwined: true, Truncation: true, Write: m{"nonfinite": "literal", "orient": "split"}},
		"json index": {
			Format: "json", DTypes: spelled, Text: true, Untyped: true, Rowless: true, Entwined: true, Truncation: true, Read: m{"orient": "index"},
			Write: m{"nonfinite": "literal", "orient": "index"},
		},
		"json table": {Format: "json", Text: true, Entwined: true, Truncation: true, Write: m{"nonfinite": "literal", "orient": "table"}},
		"jsonl": {Format: "jsonl", DTypes: spelled, Text: true, Untyped: true, Rowless: true, Entwined: true, Write: m{"nonfinite": "literal"}, Nulls: &formattest.Nulls{
			Path: file(t, "n.jsonl", "{\"s\":\"a\"}\n{\"s\":null}\n{\"s\":\"b\"}\n"), Column: "s", Row: 1, Value: "?", DTypes: text,
		}},
	} {
		t.Run(name, func(t *testing.T) { formattest.Run(t, c) })
	}
}
