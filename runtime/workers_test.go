package runtime_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// TestMoreWorkersThanTheBudgetHolds asks for as many workers as a large machine has: there are fewer then, and the output
// is the same.
func TestMoreWorkersThanTheBudgetHolds(t *testing.T) {
	var fields []colstore.Field
	var cols []colstore.Column
	for i := range 24 {
		values := make([]float64, 5000)
		for j := range values {
			values[j] = float64(i * j)
		}
		fields, cols = append(fields, colstore.Field{Name: fmt.Sprintf("c%d", i), Type: colstore.Float64}), append(cols, colstore.Wrap(values))
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	src := source.Memory(b)
	defer src.Close()
	f := frame.From(src).Where(frame.MustParse("c1 % 3 == 0"))
	dir := t.TempDir()
	for _, ext := range []string{".parquet", ".cstore", ".csv", ".npz"} {
		var want []byte
		for _, workers := range []int{1, 8, 64, 500} {
			path := filepath.Join(dir, fmt.Sprintf("%d%s", workers, ext))
			if _, err := runtime.Write(t.Context(), f, pipeline.Output{Path: path}, &runtime.Options{Workers: workers}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if workers == 1 {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s: %d workers write other bytes than one", ext, workers)
			}
		}
	}
	if _, err := runtime.Reduce(t.Context(), f, &runtime.Options{Workers: 500}, ops.Median("c1"), ops.Median("c2")); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
