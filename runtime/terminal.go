package runtime

import (
	"context"
	"errors"
	"fmt"
	"iter"
	goruntime "runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
)

// walkerFor sizes batches for a frame over a source, where a state of stateBytes is held for each batch in flight. Where
// the budget does not hold what all workers take, there are fewer.
func walkerFor(src colstore.Source, columns []string, rowBytes int, stateBytes int64, o *Options) (*walker, error) {
	if o == nil {
		o = &Options{}
	}
	for workers := first(o.Workers, goruntime.GOMAXPROCS(0)); ; workers = fewer(workers) {
		w, err := newWalker(src, columns, stateBytes*states(workers), rowBytes, widest(src.Schema()), limits{
			int64(first(o.Budget, pipeline.DefaultMemory)), o.BatchRows, workers,
		})
		if !errors.Is(err, colstore.ErrBudget) || workers == 1 {
			return w, err
		}
	}
}

// states is how many states there are at once: one for each slot, and the one that they are merged into.
func states(workers int) int64 { return int64(workers + readAhead + 1) }

// Batches yields the surviving rows of a frame over a source, in order, evaluated in parallel: the rows of
// frame.Batches. Batches without a survivor are left out. A batch is valid until the loop body ends.
func Batches(ctx context.Context, f *frame.Frame, o *Options) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		b, w, err := bindBranch(ctx, f, o)
		if err != nil {
			yield(nil, err)
			return
		}
		stop := errors.New("the loop ended")
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		out := make(chan *colstore.Batch)
		back, gone := make(chan struct{}), make(chan struct{})
		defer close(gone) // a loop body that panics gives nothing back
		b.sink = yielder{out, back, gone}
		r := &run{plan: &Plan{p: &pipeline.Pipeline{}}, src: b.frame.Source(), branches: []*runBranch{b}, tallied: true}
		done := make(chan error, 1)
		go func() {
			done <- r.write(ctx, w)
			close(out)
		}()
		more := true
		for batch := range out {
			if more && batch.Rows() > 0 {
				if more = yield(batch, nil); !more {
					cancel(stop)
				}
			}
			back <- struct{}{}
		}
		if err := <-done; err != nil && !errors.Is(err, stop) && more {
			yield(nil, err)
		}
	}
}

// sourced tells of a frame that cannot be run.
func sourced(f *frame.Frame) error {
	switch {
	case f == nil:
		return fmt.Errorf("%w: the frame is nil", colstore.ErrValue)
	case f.Err() != nil:
		return f.Err()
	case f.Source() == nil:
		return fmt.Errorf("%w: the frame has no source; use Over", colstore.ErrValue)
	}
	return nil
}

// bindBranch binds a frame over what its limits leave of its source.
func bindBranch(ctx context.Context, f *frame.Frame, o *Options) (*runBranch, *walker, error) {
	if err := sourced(f); err != nil {
		return nil, nil, err
	}
	f, err := f.Resolve(ctx)
	if err != nil {
		return nil, nil, err
	}
	prog, err := f.Bind(f.Source().Schema())
	if err != nil {
		return nil, nil, err
	}
	w, err := walkerFor(f.Source(), prog.Inputs(), prog.RowBytes(), 0, o)
	return &runBranch{branch: &branch{frame: f, prog: prog}, end: allRows}, w, err
}

// yielder is a sink that lends each batch to a loop and waits until it is done with it.
type yielder struct {
	out        chan<- *colstore.Batch
	back, gone <-chan struct{}
}

func (y yielder) Write(ctx context.Context, b *colstore.Batch) error {
	select {
	case y.out <- b:
		select {
		case <-y.back:
		case <-y.gone:
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (yielder) Commit(context.Context) error { return nil }
func (yielder) Abort() error                 { return nil }

// Cutflow returns the cutflow of a frame over a source, counted in parallel: that of frame.Report.
func Cutflow(ctx context.Context, f *frame.Frame, o *Options) (*frame.Cutflow, error) {
	if err := sourced(f); err != nil {
		return nil, err
	}
	b, w, err := bindBranch(ctx, f.Select(), o)
	if err != nil {
		return nil, err
	}
	tallies := newMerger((*frame.Tally).Merge)
	skip := b.prog.Skipper(f.Cuts())
	w.skip = skip
	err = walkAll(ctx, w, visitor{
		batch: func(ctx context.Context, u *unit, in *colstore.Batch) error {
			t := tallies.get(u.ordinal, func() *frame.Tally { return b.prog.NewTally(in.Begin()) })
			out, err := b.prog.Eval(ctx, in, u.slot, t)
			if err != nil {
				return err
			}
			out.Release()
			return nil
		},
		end: func(_ context.Context, u *unit) error {
			tallies.finish(u.ordinal)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	t := tallies.value()
	if t == nil {
		t = b.prog.NewTally(0)
	}
	skip.AddTo(t)
	return b.prog.Cutflow(t), nil
}

// Reduce folds columns of a frame over a source to aggregates, in one parallel pass, with the same bits as [frame.Frame.Reduce].
func Reduce(ctx context.Context, f *frame.Frame, o *Options, aggs ...ops.Agg) (out []ops.Result, err error) {
	if err = sourced(f); err != nil {
		return nil, err
	}
	if f, err = f.Resolve(ctx); err != nil {
		return nil, err
	}
	r, err := f.Reducer(aggs...)
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = &Options{}
	}
	held := r.StateBytes() * states(first(o.Workers, goruntime.GOMAXPROCS(0)))
	if len(aggs) > 1 && held > int64(first(o.Budget, pipeline.DefaultMemory))/2 {
		return reduceHalves(ctx, f, o, aggs)
	}
	if isSmall(f.Source(), r, o) {
		err = safely(func() (err error) {
			out, err = r.Run(ctx)
			return err
		})
		return out, err
	}
	w, err := walkerFor(f.Source(), r.Inputs(), r.RowBytes(), r.StateBytes(), o)
	if err != nil {
		return nil, err
	}
	w.skip = r.Skipper()
	budget := int64(first(o.Budget, pipeline.DefaultMemory))
	if rows := f.Source().Rows(); o.BatchRows == 0 && rows > 0 && !r.Computes() {
		w.batchRows = evenRows(rows, r.InputBytes(), w.batchRows, w.workers)
	}
	// A reduction holds little. What it leaves of its budget, the pages of mapped files may take that it reads first: the next
	// reduction finds them mapped.
	row := costOf(f.Source(), r.Inputs()).Row + r.RowBytes()
	w.keep = budget - held - int64(w.slots)*int64(w.batchRows)*int64(row)
	states := newMerger(func(into, next []ops.State) {
		for i := range into {
			into[i].Merge(next[i])
		}
	})
	err = walkAll(ctx, w, visitor{
		batch: func(ctx context.Context, u *unit, in *colstore.Batch) error {
			s := states.get(u.ordinal, func() []ops.State {
				s, err := r.States(in.Begin())
				if err != nil {
					panic(err) // Reducer has made states of these dtypes before
				}
				return s
			})
			return r.Add(ctx, in, u.slot, s)
		},
		end: func(_ context.Context, u *unit) error {
			states.finish(u.ordinal)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	total := states.value()
	if total == nil {
		if total, err = r.States(0); err != nil {
			return nil, err
		}
	}
	return r.Values(total), nil
}

// evenRows returns how many rows, at most some, each of several workers is to fold at a time, so that none is long alone with
// the last ones. Of few bytes the handing out would be seen.
func evenRows(rows int64, rowBytes, most, workers int) int {
	const (
		least = 2 * colstore.MiB
		turns = 8 // of each worker
	)
	n := max(1, rows/int64(turns*workers), int64(least)/int64(max(1, rowBytes)))
	n = (n + blockRows - 1) / blockRows * blockRows
	return int(min(n, int64(most)))
}

// What is folded in less time than workers take to be begun, some 40 µs.
const (
	smallRows   = 8192
	smallBytes  = colstore.MiB // of columns that are folded as they lie in memory
	smallStates = colstore.MiB // those of quantiles take several ns a value
)

// isSmall reports whether workers would not pay, and one batch of all rows is within the budget.
func isSmall(src colstore.Source, r *frame.Reducer, o *Options) bool {
	rows := src.Rows()
	if rows < 0 || rows > int64(smallBytes) {
		return false
	}
	bytes := rows * int64(r.InputBytes())
	if held := bytes + rows*int64(r.RowBytes()) + r.StateBytes(); held > int64(first(o.Budget, pipeline.DefaultMemory))/4 {
		return false
	}
	if c, ok := src.(colstore.Coster); !ok || !c.Cost(r.Inputs()).Rescan {
		return false // decoding takes longer than folding, and memory of its own
	}
	return rows <= smallRows || bytes <= int64(smallBytes) && !r.Computes() && r.StateBytes() < int64(smallStates)
}

// reduceHalves takes two passes, or more, for aggregates whose states would take most of the budget together. Neighbours that
// share a state stay together where they can.
func reduceHalves(ctx context.Context, f *frame.Frame, o *Options, aggs []ops.Agg) ([]ops.Result, error) {
	half := len(aggs) / 2
	for half > 1 && sharesState(aggs[half-1], aggs[half]) {
		half--
	}
	first, err := Reduce(ctx, f, o, aggs[:half]...)
	if err != nil {
		return nil, err
	}
	rest, err := Reduce(ctx, f, o, aggs[half:]...)
	return append(first, rest...), err
}

func sharesState(a, b ops.Agg) bool {
	return a.Family != "" && a.Family == b.Family && slices.Equal(a.Args, b.Args)
}

// walkAll visits all rows and waits.
func walkAll(ctx context.Context, w *walker, v visitor) error {
	g, ctx := errgroup.WithContext(ctx)
	w.walk(ctx, g, v)
	return g.Wait()
}
