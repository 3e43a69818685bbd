package runtime_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
)

// What branches share, in cuts or in columns, is computed once a row of the input for all of them.
func TestBranchesShare(t *testing.T) {
	const rows = 20_000
	dir := t.TempDir()
	in := store(t, dir, table(t, rows, 1), 1<<30, 1<<30)
	for name, shared := range map[string]struct{ cut, column bool }{"a cut": {true, false}, "a column": {false, true}, "both": {true, true}} {
		var counted atomic.Int64
		half := ops.Map1("half", "", func(in, out []float64) {
			counted.Add(int64(len(in)))
			for i, v := range in {
				out[i] = v / 2
			}
		})
		steps := frame.New()
		if shared.cut {
			steps = steps.Where(frame.CallFunc(&half, frame.Col("x")).Gt(0))
		}
		if shared.column {
			steps = steps.Assign("h", frame.CallFunc(&half, frame.Col("x")))
		}
		p := &pipeline.Pipeline{Input: pipeline.Input{Paths: in}, Frame: steps}
		for _, branch := range []string{"k > 0", "k > 10", "ok"} {
			p.Branches = append(p.Branches, pipeline.Branch{
				Frame:  frame.New().Where(frame.MustParse(branch)),
				Output: pipeline.Output{Path: filepath.Join(dir, branch+".csv"), Mode: pipeline.Replace},
			})
		}
		if _, err := runtime.Run(t.Context(), p, &runtime.Options{Workers: 3, Budget: 64 * colstore.MiB}); err != nil {
			t.Fatal(err)
		}
		if n := counted.Load(); n != rows {
			t.Errorf("%s: %d rows computed, want %d", name, n, rows)
		}
	}
}
