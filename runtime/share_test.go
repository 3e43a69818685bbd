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
	"github.com/colstore/colstore-go/source"
)

// What branches share is computed once for all of them: in cuts for every row of the input, in columns for every row that
// any of them keeps.
func TestBranchesShare(t *testing.T) {
	const rows = 20_000
	dir := t.TempDir()
	all := table(t, rows, 1)
	in := store(t, dir, all, 1<<30, 1<<30)
	kept, err := frame.From(source.Memory(all)).Where(frame.MustParse("k > 0 or ok")).Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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
		want := int64(rows)
		if !shared.cut {
			want = kept
		}
		if n := counted.Load(); n != want {
			t.Errorf("%s: %d rows computed, want %d", name, n, want)
		}
	}
}
