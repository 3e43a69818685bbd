package runtime

import (
	"context"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// Cutflows returns the cutflow of a frame over a source and of each of its variations, counted in one parallel pass: those
// of frame.Cutflows.
func Cutflows(ctx context.Context, f *frame.Frame, o *Options) ([]frame.NamedCutflow, error) {
	if err := sourced(f); err != nil {
		return nil, err
	}
	set, all, err := f.Select().BindVariations()
	if err != nil {
		return nil, err
	}
	w, err := walkerFor(f.Source(), set.Inputs(), set.RowBytes(), 0, o)
	if err != nil {
		return nil, err
	}
	skip := set.Skipper(true)
	w.skip = skip
	tallies := newMerger(func(into, next []*frame.Tally) {
		for i := range into {
			into[i].Merge(next[i])
		}
	})
	err = walkAll(ctx, w, visitor{
		batch: func(ctx context.Context, u *unit, in *colstore.Batch) error {
			t := tallies.get(u.ordinal, func() []*frame.Tally { return set.NewTallies(in.Begin()) })
			out, err := set.Eval(ctx, in, u.slot, t)
			releaseAll(out)
			return err
		},
		end: func(_ context.Context, u *unit) error {
			tallies.finish(u.ordinal)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	total := tallies.value()
	if total == nil {
		total = set.NewTallies(0)
	}
	skip.AddTo(total...)
	return set.Cutflows(all, total), nil
}
