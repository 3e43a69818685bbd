package frame

import (
	"context"

	"github.com/colstore/colstore-go/ops"
)

// Reduce folds columns of the frame to aggregates, all in one pass over the source. Results are in the order of aggs.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for an aggregate that the columns' dtypes do not have, colstore.ErrOption
// for one that cannot be, those of reading.
func (f *Frame) Reduce(ctx context.Context, aggs ...ops.Agg) ([]ops.Result, error) {
	f, err := f.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	r, err := f.Reducer(aggs...)
	if err != nil {
		return nil, err
	}
	return r.Run(ctx)
}
