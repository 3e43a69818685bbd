package runtime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// Cutflows of variations and their N−1 tables are those of the sequential frame, for any workers, batches and files.
func TestCutflowsHideHowTheyRan(t *testing.T) {
	from := newInputs(t)
	rapid.Check(t, func(rt *rapid.T) {
		all, in := from.draw(t, rt)
		f := frame.New().
			Vary("scale", "x", frame.MustParse("x * 1.01"), frame.MustParse("x * 0.99")).Then(steps()).
			Vary("shift", "w", frame.MustParse("w + y"), frame.Expr{}).
			Where(frame.MustParse("y < 70"), frame.Weighted("w")).NMinusOne()
		want, err := f.Over(source.Memory(all)).Cutflows(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		o := &runtime.Options{
			Workers: rapid.SampledFrom([]int{1, 2, 7}).Draw(rt, "workers"), BatchRows: rapid.SampledFrom([]int{0, 17, 4096}).Draw(rt, "batch"),
		}
		opened, err := runtime.Open(t.Context(), pipeline.Input{Paths: in}, pipeline.Limits{}, f)
		if err != nil {
			rt.Fatal(err)
		}
		defer opened.Close()
		got, err := runtime.Cutflows(t.Context(), opened.Frame(0), o)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range want {
			if got[i].Name != want[i].Name || got[i].Cutflow.CSV() != want[i].Cutflow.CSV() || got[i].Cutflow.NMinusOne.CSV() != want[i].Cutflow.NMinusOne.CSV() {
				rt.Fatal(cmp.Diff(want[i], got[i]))
			}
		}
		one, err := runtime.Cutflow(t.Context(), opened.Frame(0), o)
		if err != nil || one.CSV() != want[0].Cutflow.CSV() || one.NMinusOne.CSV() != want[0].Cutflow.NMinusOne.CSV() {
			rt.Fatal(err)
		}
	})
}
