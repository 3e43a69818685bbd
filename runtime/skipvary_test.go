package runtime_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// The cutflows of a frame and its variations are the same whether or not groups are left out, and a group is left out only
// where none of them needs it.
func TestSkippingVariationsIsNeutral(t *testing.T) {
	cases, skipped := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		table := drawTable(rt, false, true)
		blind := *table
		blind.blind = true
		f := frame.New()
		for i, column := range []string{"f8", "i4"} {
			sides := []frame.Expr{frame.Col(column).Mul(2), frame.Col(column).Add(1)}
			if rapid.Bool().Draw(rt, "varied") {
				f = f.Vary(fmt.Sprint("v", i), column, sides[0], sides[1])
			}
		}
		if f = f.Then(drawSteps(rt, table.Schema())); !bindable(f, table.Schema()) {
			return
		}
		flows := func(flows []frame.NamedCutflow, err error) string {
			if err != nil {
				return "failed"
			}
			text := ""
			for _, flow := range flows {
				text += fmt.Sprintf("%s %+v\n", flow.Name, flow.Cutflow)
			}
			return text
		}
		want := flows(f.Over(&blind).Cutflows(t.Context()))
		before := skipped
		if got := flows(f.Over(counting{Source: table, skipped: &skipped}).Cutflows(t.Context())); got != want {
			rt.Fatalf("in sequence\n%s instead of\n%s", got, want)
		}
		if cases++; skipped == before {
			return
		}
		o := &runtime.Options{Workers: rapid.IntRange(1, 3).Draw(rt, "workers"), BatchRows: rapid.SampledFrom([]int{1, 5, 64, 1000}).Draw(rt, "batch")}
		if got := flows(runtime.Cutflows(t.Context(), f.Over(table), o)); got != want {
			rt.Fatalf("in parallel\n%s instead of\n%s", got, want)
		}
	})
	if skipped < cases/10 {
		t.Errorf("only %d groups were left out in %d cases: the test has no teeth", skipped, cases)
	}
}

// A view of the rows that a predicate picks, limits and the first rows are the same with and without statistics, from
// folders of shards.
func TestSkippingViewsIsNeutral(t *testing.T) {
	dir := t.TempDir()
	cases, skipped := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		table := drawTable(rt, false, true)
		where := drawPredicate(rt, 2)
		f := frame.New().Where(where).Limit(int64(rapid.IntRange(0, 40).Draw(rt, "limit")))
		if !bindable(frame.New().Where(where), table.Schema()) {
			return
		}
		src, _ := written(t.Context(), rt, dir, ".cstore", table, rapid.IntRange(1, 4).Draw(rt, "files"), true)
		defer src.Close()
		n := rapid.IntRange(0, 20).Draw(rt, "n")
		look := func(f *frame.Frame, v *source.View) string {
			b, err := v.Pick(source.Where(where)).Collect(t.Context())
			if err != nil {
				return "failed"
			}
			rows := bytesOf(b)
			limited, err := f.Collect(t.Context())
			if err != nil {
				return "failed"
			}
			first, numbers, err := f.Ends(t.Context(), n, n%2 == 0, 0)
			if err != nil {
				return "failed"
			}
			return fmt.Sprint(rows, bytesOf(limited), bytesOf(first), numbers)
		}
		want := look(f.Over(blinded{src}), source.ViewOf(blinded{src}))
		counted := counting{Source: src, skipped: &skipped}
		if got := look(f.Over(counted), source.ViewOf(counted)); got != want {
			rt.Fatalf("%s instead of\n%s", got, want)
		}
		cases++
	})
	if skipped < cases/10 {
		t.Errorf("only %d groups were left out in %d cases: the test has no teeth", skipped, cases)
	}
}
