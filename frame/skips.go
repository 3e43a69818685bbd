package frame

import (
	"context"

	"github.com/colstore/colstore-go"
)

// Skips returns what statistics leave out of the source of the frame and its variations, limits aside, where its rows are wanted and, if counted,
// the counts of its cuts too. It is what a scan does but for reading rows: the zero value where nothing can be left out.
//
// Errors: those of binding, and of the source.
func (f *Frame) Skips(ctx context.Context, counted bool) (colstore.SkipCounts, error) {
	set, _, err := f.Unlimited().BindVariations()
	if err != nil {
		return colstore.SkipCounts{}, err
	}
	skip := set.Skipper(counted)
	if !skip.prunes() {
		return colstore.SkipCounts{}, nil
	}
	var s colstore.Skipped
	for _, err := range f.src.Scan(ctx, colstore.Scan{Columns: set.Inputs(), Skip: skip, Skipped: &s, Dry: true}) {
		// A source that yields rows does not heed the wish for none: it has nothing to leave out, or only part of it has.
		return colstore.SkipCounts{}, err
	}
	return s.Counts(), nil
}
