package runtime_test

import (
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// Pages of a mapped file stay for the next reduction, but all of them together take no more than the budget.
func TestReduceKeepsPagesWithinTheBudget(t *testing.T) {
	const rows = 1 << 20 // 8 MiB a column
	names := []string{"a", "b", "c", "d"}
	var fields []colstore.Field
	var cols []colstore.Column
	for i, n := range names {
		v := make([]float64, rows)
		for j := range v {
			v[j] = float64(i + j%10)
		}
		fields, cols = append(fields, colstore.Field{Name: n, Type: colstore.Float64}), append(cols, colstore.Wrap(v))
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.cstore")
	memory := source.Memory(b)
	defer memory.Close()
	if err := cstore.Store(t.Context(), path, b, nil); err != nil {
		t.Fatal(err)
	}
	src, err := source.OpenPath(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	reduce := func(budget colstore.ByteSize, workers int) {
		for _, n := range names {
			got, err := runtime.Reduce(t.Context(), frame.From(src), &runtime.Options{Budget: budget, Workers: workers}, ops.Sum(n))
			if want, _ := frame.From(memory).Reduce(t.Context(), ops.Sum(n)); err != nil || got[0].Float() != want[0].Float() {
				t.Fatalf("%v, %v, want %v", got, err, want)
			}
		}
	}
	const slack = 6 * colstore.MiB // at both ends of what stays, and of what was read last
	for _, workers := range []int{1, 3} {
		reduce(8*colstore.MiB, workers)
		if kept := colstore.ByteSize(fsxtest.Resident(t, path)); kept > 8*colstore.MiB+slack {
			t.Errorf("%d workers: %s stay mapped", workers, kept)
		}
	}
	if reduce(64*colstore.MiB, 2); colstore.ByteSize(fsxtest.Resident(t, path)) < 24*colstore.MiB {
		t.Errorf("%s stay mapped of %s, within the budget", colstore.ByteSize(fsxtest.Resident(t, path)), 4*8*colstore.MiB)
	}
}
