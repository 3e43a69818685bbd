package source_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
)

// A file without a null has no mask of the column: in a union with one that has, all of its values are there. Where it lacks
// the column itself, none is.
func TestUnionOfMasks(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for name, text := range map[string]string{
		"1.jsonl": "{\"b\":true,\"k\":1}\n{\"b\":false,\"k\":2}\n",
		"2.jsonl": "{\"b\":true,\"k\":3}\n{\"b\":null,\"k\":4}\n",
		"3.jsonl": "{\"k\":5}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	src, err := source.Open(t.Context(), source.Spec{Paths: paths, Mismatch: source.Union, Nulls: source.Nulls{Mode: source.NullMask}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for column, want := range map[string][]bool{
		"b":       {true, false, true, false, false},
		"b_valid": {true, true, true, false, false},
	} {
		got, err := source.Values[bool](t.Context(), source.ViewOf(src), column)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", column, got, err, want)
		}
	}
	// The mask alone, whose column is not asked for.
	for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{"b_valid"}, BatchRows: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		got, err := colstore.CopyOf[bool](b.At(0))
		if want := b.Begin() < 3; err != nil || got[0] != want {
			t.Errorf("row %d: %v, %v", b.Begin(), got, err)
		}
	}
}
