package frame_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/frame"
)

// The N−1 table of a cut has the counts and sums, bit by bit, of a frame without that cut, for any batches.
func TestNMinusOne(t *testing.T) {
	t.Parallel()
	conditions := []string{"x > -2", "i % 3 != 0", "x * i < 900", "i > 40 or x == 1", "i % 5 != 2"}
	weights := []string{"", "x * 0.1", "i + 0.3"}
	rapid.Check(t, func(rt *rapid.T) {
		src := stream{numbers(t, rapid.SampledFrom([]int{0, 1, 700, 9000}).Draw(rt, "rows")), rapid.SampledFrom([]int{7, 512, 5000, 100_000}).Draw(rt, "batch")}
		type cut struct {
			condition frame.Expr
			weight    frame.Expr // in force
		}
		var cuts []cut
		base := frame.From(src)
		if rapid.Bool().Draw(rt, "sample") {
			base = base.Sample(0.6, 2)
		}
		f := base
		var weight frame.Expr
		for range rapid.IntRange(0, 5).Draw(rt, "cuts") {
			if w := rapid.SampledFrom(weights).Draw(rt, "weight"); w != "" {
				weight = frame.MustParse(w)
				f = f.Weight(weight)
			}
			c := frame.MustParse(rapid.SampledFrom(conditions).Draw(rt, "condition"))
			cuts = append(cuts, cut{c, weight})
			f = f.Where(c)
		}
		f = f.NMinusOne()
		flow, err := f.Report(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		all := frame.MustParse("i >= 0")
		want := &frame.Cutflow{Cuts: []frame.Cut{}}
		for i, c := range cuts {
			others := base
			for j, o := range cuts {
				if i != j {
					others = others.Where(o.condition)
				}
			}
			one, err := others.Weight(c.weight).Where(c.condition).Report(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			last := one.Cuts[len(one.Cuts)-1]
			last.Label = flow.Cuts[i].Label
			if c.weight.String() != "" {
				// The survivors in the order of the cuts have the same sum: it is one over rows, not over cuts.
				whole, err := base.Then(wheres(cuts, func(c cut) frame.Expr { return c.condition })).Weight(c.weight).Where(all).Report(t.Context())
				if err != nil {
					rt.Fatal(err)
				}
				if got := whole.Cuts[len(whole.Cuts)-1].WeightedPassing; got != last.WeightedPassing {
					rt.Fatalf("sums of the same rows differ: %v and %v", got, last.WeightedPassing)
				}
			}
			want.Cuts = append(want.Cuts, last)
		}
		if d := cmp.Diff(want, flow.NMinusOne); d != "" {
			rt.Fatal(d)
		}
		plain, err := f.Over(src).Report(t.Context())
		if err != nil || cmp.Diff(plain, flow) != "" {
			rt.Fatal(err, cmp.Diff(plain, flow))
		}
	})
}

func wheres[T any](cuts []T, condition func(T) frame.Expr) *frame.Frame {
	f := frame.New()
	for _, c := range cuts {
		f = f.Where(condition(c))
	}
	return f
}
