package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
)

// Of several values that are refused the one of the first row is told, whatever batches, workers and outputs are.
func TestFirstErrorOfTheRows(t *testing.T) {
	dir := t.TempDir()
	var json, csv strings.Builder
	csv.WriteString("a,b\n")
	for i := range 20_000 {
		a, b := fmt.Sprint(i), "true"
		if i >= 7_001 && i%7 == 1 { // row 7001 is the first
			a = "null"
		}
		if i > 7_001 && i%2 == 0 {
			b = "null"
		}
		fmt.Fprintf(&json, "{\"a\":%s,\"b\":%s}\n", a, b)
		fmt.Fprintf(&csv, "%s,%s\n", strings.TrimPrefix(a, "null"), strings.TrimPrefix(b, "null"))
	}
	for name, text := range map[string]string{"in.jsonl": json.String(), "in.csv": csv.String()} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2, 5} {
			for _, rows := range []int{0, 256, 1000} {
				for _, ext := range []string{".cstore", ".csv"} {
					p := &pipeline.Pipeline{
						Input: pipeline.Input{Paths: []string{path}, DTypes: map[string]colstore.DType{"a": colstore.Int64, "b": colstore.Bool}},
						Frame: frame.New(), Branches: []pipeline.Branch{{Output: pipeline.Output{Path: filepath.Join(dir, "out"+ext)}}},
					}
					_, err := runtime.Run(t.Context(), p, &runtime.Options{Workers: workers, BatchRows: rows})
					if err == nil || !strings.Contains(err.Error(), `column "a": row 7001: null value`) {
						t.Errorf("%s to %s, %d workers, batches of %d: %v", name, ext, workers, rows, err)
					}
				}
			}
		}
	}
}
