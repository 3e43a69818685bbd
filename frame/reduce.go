package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
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
	states, err := r.States(0)
	if err != nil {
		return nil, err
	}
	for in, err := range f.src.Scan(ctx, colstore.Scan{Columns: r.p.Inputs(), Skip: r.Skipper()}) {
		if err != nil {
			return nil, err
		}
		if err := fault.Guard(func() error { return r.Add(ctx, in, nil, states) }); err != nil {
			return nil, colstore.Locate(f.src, err)
		}
	}
	return r.Values(states), nil
}

// A Reducer folds batches of a frame's source into the states of aggregates. Aggregates of one family over the same
// columns share a state.
type Reducer struct {
	p      *Program
	aggs   []ops.Agg
	shared []int     // by aggregate: its state
	makers []ops.Agg // by state: the aggregate that makes it
	cols   [][]int   // by state: the program's outputs that it folds
	bytes  int64
}

// Reducer binds aggregates of the columns of a frame without limits (see [Frame.Resolve]). Only what they and the cuts
// need is read.
func (f *Frame) Reducer(aggs ...ops.Agg) (*Reducer, error) {
	r := &Reducer{aggs: aggs, shared: make([]int, len(aggs))}
	var names []string
	families := map[string]int{}
	for i, a := range aggs {
		if a.New == nil || a.Value == nil {
			return nil, fmt.Errorf("%w: aggregate %d has no New or no Value; make it with ops.Sum, ops.Quantile and the like", colstore.ErrOption, i+1)
		}
		key := a.Family + "\x00" + strings.Join(a.Args, "\x00")
		at, ok := families[key]
		if !ok || a.Family == "" {
			at = len(r.makers)
			families[key] = at
			r.makers = append(r.makers, a)
			cols := make([]int, len(a.Args))
			for j, name := range a.Args {
				if cols[j] = slices.Index(names, name); cols[j] < 0 {
					cols[j] = len(names)
					names = append(names, name)
				}
			}
			r.cols = append(r.cols, cols)
			r.bytes += a.Bytes
		} else if a.Level > r.makers[at].Level {
			r.bytes += a.Bytes - r.makers[at].Bytes
			r.makers[at] = a
		}
		r.shared[i] = at
	}
	var err error
	if r.p, err = f.Select(names...).program(); err != nil {
		return nil, err
	}
	// Each is asked, not only the makers: a family may share a state and still not the conditions of its members.
	for _, a := range aggs {
		if _, err := r.state(a, r.typesOf(a), 0); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Reducer) typesOf(a ops.Agg) []colstore.DType {
	out := make([]colstore.DType, len(a.Args))
	for i, name := range a.Args {
		at, _ := r.p.schema.Index(name)
		out[i] = r.p.schema.Field(at).Type
	}
	return out
}

func (r *Reducer) state(a ops.Agg, types []colstore.DType, begin int64) (ops.State, error) {
	s, err := a.New(types, begin)
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Column != "" {
		return nil, err // it says which of the arguments
	}
	if err != nil {
		return nil, &colstore.Error{Column: strings.Join(a.Args, ", "), Err: err}
	}
	return s, nil
}

// Inputs returns the names of the only columns that need to be scanned.
func (r *Reducer) Inputs() []string { return r.p.Inputs() }

// Skipper returns the skipper of a scan whose rows are added.
func (r *Reducer) Skipper() *Skipper { return r.p.Skipper(0) }

// RowBytes returns the bytes that adding a batch holds per row of it.
func (r *Reducer) RowBytes() int { return r.p.RowBytes() }

// StateBytes returns what one set of states may come to hold.
func (r *Reducer) StateBytes() int64 { return r.bytes }

// States returns the empty states of rows from global row begin on.
func (r *Reducer) States(begin int64) ([]ops.State, error) {
	out := make([]ops.State, len(r.makers))
	for i, a := range r.makers {
		var err error
		if out[i], err = r.state(a, r.typesOf(a), begin); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Add folds the surviving rows of a batch into states. Batches come in row order.
func (r *Reducer) Add(ctx context.Context, in *colstore.Batch, mem colstore.Allocator, states []ops.State) error {
	args := make([][]colstore.Column, len(states))
	for i, cols := range r.cols {
		args[i] = make([]colstore.Column, len(cols))
	}
	plain := make([]colstore.Column, r.p.schema.Len())
	// A block of source rows at a time, since the states are told which block their values are of.
	for at := 0; at < in.Rows(); {
		row := in.Begin() + int64(at)
		end := min(in.Rows(), at+int(ops.BlockRows-row%ops.BlockRows))
		b, err := r.p.Eval(ctx, in.Slice(at, end), mem, nil)
		if err != nil {
			return err
		}
		r.fold(row, b, states, plain, args)
		at = end
	}
	return nil
}

// fold adds the rows of b, which begin at that row of the source, to the states and releases b, also if reading a mapping
// panics. plain and args are room to work in.
func (r *Reducer) fold(row int64, b *colstore.Batch, states []ops.State, plain []colstore.Column, args [][]colstore.Column) {
	defer b.Release()
	for i := range plain {
		if plain[i] = b.At(i); !plain[i].IsPlain() || plain[i].Stride() == 0 {
			plain[i] = plain[i].Copy()
		}
	}
	for i, s := range states {
		for j, c := range r.cols[i] {
			args[i][j] = plain[c]
		}
		s.Add(row, b.Rows(), args[i])
	}
}

// Values returns the results.
func (r *Reducer) Values(states []ops.State) []ops.Result {
	out := make([]ops.Result, len(r.aggs))
	for i, a := range r.aggs {
		out[i] = a.Value(states[r.shared[i]])
	}
	return out
}
