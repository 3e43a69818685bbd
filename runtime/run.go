package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/sink"
)

// Run runs a pipeline: every output is published, or none.
//
// Errors: those of Prepare, of reading and of writing, each naming what it is about; the context's cause if it ends.
func Run(ctx context.Context, p *pipeline.Pipeline, o *Options) (*Report, error) {
	l, err := Prepare(ctx, p, o)
	if err != nil {
		return nil, err
	}
	report, err := l.Run(ctx)
	return report, errors.Join(err, l.Close())
}

// Run carries out the plan.
func (l *Plan) Run(ctx context.Context) (_ *Report, err error) {
	began := time.Now()
	r := &run{plan: l, tallies: newMerger((*frame.Tally).Merge)}
	report := &Report{Name: l.p.Name, Inputs: l.in.Paths(), Warnings: l.in.Warnings()}
	defer func() {
		err = errors.Join(err, r.abort()) // does nothing after Commit
	}()
	for _, b := range l.branches {
		if b.out.Mode == pipeline.Missing && newer(b.out.Path, l.in.Paths()) {
			report.Outputs = append(report.Outputs, OutputReport{Path: b.out.Path, Skipped: true})
			continue
		}
		r.branches = append(r.branches, &runBranch{branch: b})
	}
	if err := r.create(ctx, l.workers); err != nil {
		return nil, err
	}
	if len(r.branches) > 0 {
		if err := r.limit(ctx); err != nil {
			return nil, err
		}
		if report.Copied, err = r.copy(ctx); err != nil {
			return nil, err
		}
		if !report.Copied {
			if err := r.evaluated(ctx); err != nil {
				return nil, err
			}
		}
		if err := r.publish(ctx); err != nil {
			return nil, err
		}
	}
	for _, b := range r.branches {
		report.Outputs = append(report.Outputs, b.report())
		if w, ok := b.sink.(colstore.Warner); ok {
			for _, text := range w.Warnings() {
				if !slices.Contains(report.Warnings, text) { // outputs of one file system say the same
					report.Warnings = append(report.Warnings, text)
				}
			}
		}
	}
	report.Rows, report.Skipped, report.Skips = r.done.Load(), r.skipped, r.skips
	report.Cutflow = r.cutflow()
	report.Elapsed = time.Since(began)
	return report, nil
}

// report tells of the published output.
func (b *runBranch) report() OutputReport {
	o := OutputReport{Path: b.out.Path, Rows: b.rows.Load()}
	shards, ok := sink.Published(b.sink)
	if !ok {
		o.Bytes = sizeOf(o.Path)
		return o
	}
	for _, s := range shards {
		o.Shards = append(o.Shards, s.Path)
		o.Bytes += s.Bytes
	}
	return o
}

// newer reports whether a file is there and newer than all inputs.
func newer(path string, inputs []string) bool {
	st, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, in := range inputs {
		if i, err := os.Stat(in); err != nil || i.ModTime().After(st.ModTime()) {
			return false
		}
	}
	return true
}

func sizeOf(path string) int64 {
	if st, err := os.Stat(path); err == nil {
		return st.Size()
	}
	return 0
}

// run is a plan at work.
type run struct {
	plan     *Plan
	src      colstore.Source // the rows of the input that any branch needs
	end      int64           // where they end, allRows without limits
	branches []*runBranch
	set      *frame.Set            // all branches together; nil for one
	tallies  *merger[*frame.Tally] // of the first branch
	tallied  bool                  // by the counting pass, or nobody asks
	total    *frame.Tally          // all of it, once it is known
	skipped  int64                 // input rows that statistics left out
	skips    colstore.SkipCounts
	done     atomic.Int64 // input rows of this phase
}

// runBranch is an output at work.
type runBranch struct {
	*branch
	sink   colstore.Sink
	offset colstore.OffsetSink // set if rows are written where they belong
	starts []int64             // output row at which each unit begins, for a cut branch with an offset sink
	end    int64               // the row of the input where the branch's limits end it, beyond all without a limit
	rows   atomic.Int64        // written
	queue  chan result
}

// result is what a unit left for a branch whose rows are written in order.
type result struct {
	u       *unit
	batches []*colstore.Batch
}

// create makes the sinks of all branches, which may encode with so many workers.
func (r *run) create(ctx context.Context, workers int) error {
	for _, b := range r.branches {
		b.spec.Threads = workers
		s, err := sink.Create(ctx, b.spec)
		if err != nil {
			return err
		}
		b.sink = s
	}
	return nil
}

func (r *run) abort() error {
	var err error
	for _, b := range r.branches {
		if b.sink != nil {
			err = errors.Join(err, b.sink.Abort())
		}
	}
	return err
}

// fit sizes the batches. Where the budget does not hold what the endpoints take for all workers, there are fewer.
func (r *run) fit(ctx context.Context) (*walker, error) {
	for workers := r.plan.workers; ; {
		w, err := r.walker(workers)
		if !errors.Is(err, colstore.ErrBudget) || workers == 1 {
			return w, err
		}
		workers = fewer(workers)
		if err := r.abort(); err != nil {
			return nil, err
		}
		if err := r.create(ctx, workers); err != nil {
			return nil, err
		}
	}
}

// fewer returns the next lower number of workers to try.
func fewer(workers int) int { return workers - max(1, workers/4) }

// evaluated takes all rows through the programs to the sinks.
func (r *run) evaluated(ctx context.Context) error {
	r.share()
	w, err := r.fit(ctx)
	if err != nil {
		return err
	}
	if err := r.route(ctx, w); err != nil {
		return err
	}
	return r.write(ctx, w)
}

// walker sizes the batches of so many workers.
func (r *run) walker(workers int) (*walker, error) {
	l := r.plan
	fixed, row := int64(0), 0
	wide := widest(r.src.Schema())
	for _, b := range r.branches {
		fixed += costOf(b.sink, nil).Fixed
		row += b.prog.RowBytes()
	}
	if len(r.branches) == 1 && costOf(r.src, l.in.columns).Row == 0 {
		wide = widest(r.branches[0].prog.Schema())
	}
	return newWalker(r.src, l.in.columns, fixed, row, wide, limits{l.budget, l.rows, workers})
}

// route decides for each branch whether its rows can be written where they belong. That takes their number: it is known
// without a cut, and cheap to find where the input can be read twice.
func (r *run) route(ctx context.Context, w *walker) error {
	counting := false
	rows := r.src.Rows()
	rescan := costOf(r.src, r.plan.in.columns).Rescan
	for _, b := range r.branches {
		o, ok := b.sink.(colstore.OffsetSink)
		switch {
		case !ok || rows < 0:
		case !b.prog.HasCuts():
			if err := o.Reserve(min(rows, b.end)); err != nil {
				return err
			}
			b.offset = o
		case rescan:
			b.offset, counting = o, true
		}
	}
	if !counting {
		return nil
	}
	return r.count(ctx, w)
}

// count finds how many rows of each unit survive, for the branches with cuts, and where they go.
func (r *run) count(ctx context.Context, w *walker) error {
	type counter struct {
		b    *runBranch
		prog *frame.Program
		rows sync.Map // ordinal → *int64
	}
	var counters []*counter
	var columns []string
	for i, b := range r.branches {
		if b.offset == nil || !b.prog.HasCuts() {
			continue
		}
		prog, err := b.frame.Unlimited().Select().Bind(r.src.Schema())
		if err != nil {
			return err
		}
		counters = append(counters, &counter{b: b, prog: prog})
		columns = union(columns, prog.Inputs())
		if i == 0 {
			r.tallied = true
		}
	}
	w.repeated = true
	scan := *w
	scan.columns = columns
	progs := make([]*frame.Program, len(counters))
	for i, c := range counters {
		progs[i] = c.prog
	}
	skip := r.skipper(r.tallied, PhaseCount, progs...)
	scan.skip = r.skipping(skip)
	units := 0
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	scan.walk(ctx, g, visitor{
		batch: func(ctx context.Context, u *unit, in *colstore.Batch) error {
			rows := in.Rows()
			for _, c := range counters {
				in := c.b.within(in)
				if in == nil {
					continue
				}
				var t *frame.Tally
				if c.b == r.branches[0] {
					t = r.tally(u, c.prog, in)
				}
				out, err := c.prog.Eval(ctx, in, u.slot, t)
				if err != nil {
					return err
				}
				n, _ := c.rows.LoadOrStore(u.ordinal, new(int64))
				*n.(*int64) += int64(out.Rows())
				out.Release()
			}
			r.progress(PhaseCount, int64(rows))
			return nil
		},
		end: func(_ context.Context, u *unit) error {
			mu.Lock()
			units = max(units, u.ordinal+1)
			mu.Unlock()
			if r.tallied {
				r.tallies.finish(u.ordinal)
			}
			return nil
		},
	})
	if err := g.Wait(); err != nil {
		return err
	}
	for _, c := range counters {
		total := int64(0)
		for i := range units {
			c.b.starts = append(c.b.starts, total)
			if n, ok := c.rows.Load(i); ok {
				total += *n.(*int64)
			}
		}
		if err := c.b.offset.Reserve(total); err != nil {
			return err
		}
	}
	r.done.Store(0)
	if r.tallied {
		r.settle(counters[0].prog, skip)
	}
	return nil
}

// limit finds where the limits of the branches end the input for them. Rows that no branch needs are not scanned.
func (r *run) limit(ctx context.Context) error {
	r.end = 0
	for _, b := range r.branches {
		end, limited, err := b.frame.End(ctx)
		if err != nil {
			return err
		}
		if b.end = allRows; limited {
			b.end = end
		}
		r.end = max(r.end, b.end)
	}
	if r.src = r.plan.in.src; r.end < allRows {
		r.src = frame.Prefix(r.src, r.end)
	}
	return nil
}

// share binds the branches together, if there are several. Each of them was bound alone: if all of them compute more at
// once than is allowed, they stay so.
func (r *run) share() {
	if len(r.branches) < 2 {
		return
	}
	frames := make([]*frame.Frame, len(r.branches))
	for i, b := range r.branches {
		frames[i] = b.frame.Unlimited()
	}
	if set, err := frame.BindSet(r.src.Schema(), frames...); err == nil {
		r.set = set
	}
}

// allRows is more rows than there are.
const allRows = 1<<63 - 1

// within returns the rows of a batch that the branch's limits leave, nil if there are none.
func (b *runBranch) within(in *colstore.Batch) *colstore.Batch {
	switch left := b.end - in.Begin(); {
	case left >= int64(in.Rows()):
		return in
	case left > 0:
		return in.Slice(0, int(left))
	}
	return nil
}

func union(a, b []string) []string {
	seen := map[string]bool{}
	for _, n := range a {
		seen[n] = true
	}
	for _, n := range b {
		if !seen[n] {
			a = append(a, n)
		}
	}
	return a
}

// tally returns the tally of a unit, which begins where its first batch does.
func (r *run) tally(u *unit, p *frame.Program, in *colstore.Batch) *frame.Tally {
	return r.tallies.get(u.ordinal, func() *frame.Tally { return p.NewTally(in.Begin()) })
}

// write evaluates all rows and writes them.
func (r *run) write(ctx context.Context, w *walker) error {
	g, ctx := errgroup.WithContext(ctx)
	workers, walking := errgroup.WithContext(ctx)
	for _, b := range r.branches {
		if b.offset == nil {
			b.queue = make(chan result)
			g.Go(func() error { return safely(func() error { return b.writeInOrder(ctx) }) })
		}
	}
	progs := make([]*frame.Program, len(r.branches))
	for i, b := range r.branches {
		progs[i] = b.prog
	}
	skip := r.skipper(!r.tallied, PhaseWrite, progs...)
	w.skip, w.skipped = r.skipping(skip), new(colstore.Skipped)
	w.walk(walking, workers, visitor{batch: r.evaluate, end: r.hand})
	g.Go(func() error {
		if err := workers.Wait(); err != nil {
			return err // which ends those who write
		}
		for _, b := range r.branches {
			if b.queue != nil {
				close(b.queue)
			}
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return err
	}
	r.skipped, r.skips = skip.Rows(), w.skipped.Counts()
	if !r.tallied {
		r.settle(progs[0], skip)
	}
	return nil
}

// evaluate runs the programs over a batch. Rows that can be written where they belong are.
func (r *run) evaluate(ctx context.Context, u *unit, in *colstore.Batch) error {
	out, err := r.results(ctx, u, in)
	defer func() {
		for _, b := range out { // what an error left over
			if b != nil {
				b.Release()
			}
		}
	}()
	if err != nil {
		return err
	}
	for i, b := range r.branches {
		rows := out[i]
		if rows == nil {
			continue
		}
		out[i] = nil
		if b.offset == nil {
			u.keep(i, len(r.branches), rows)
			continue
		}
		row := in.Begin()
		if b.starts != nil {
			row = u.place(i, len(r.branches), b.starts[u.ordinal], int64(rows.Rows()))
		}
		if err := b.writeAt(ctx, row, rows); err != nil {
			return err
		}
	}
	r.progress(PhaseWrite, int64(in.Rows()))
	return nil
}

// results returns the rows of each branch that survive of a batch, nil for one whose limits end before. A batch that all
// branches take whole is evaluated for all of them together, so that what they share is computed once.
func (r *run) results(ctx context.Context, u *unit, in *colstore.Batch) ([]*colstore.Batch, error) {
	out, tallies := make([]*colstore.Batch, len(r.branches)), make([]*frame.Tally, len(r.branches))
	whole := r.set != nil
	for i, b := range r.branches {
		part := b.within(in)
		whole = whole && part == in
		if i == 0 && part != nil && !r.tallied && b.prog.HasCuts() {
			tallies[i] = r.tally(u, b.prog, part)
		}
	}
	if whole {
		return r.set.Eval(ctx, in, u.slot, tallies)
	}
	for i, b := range r.branches {
		part := b.within(in)
		if part == nil {
			continue
		}
		var err error
		if out[i], err = b.prog.Eval(ctx, part, u.slot, tallies[i]); err != nil {
			return out, err
		}
	}
	return out, nil
}

// writeAt writes a batch where it belongs, and releases it.
func (b *runBranch) writeAt(ctx context.Context, row int64, out *colstore.Batch) error {
	defer out.Release() // also if reading a mapping panics
	b.rows.Add(int64(out.Rows()))
	return b.offset.WriteAt(ctx, row, out)
}

// hand gives what a unit became to the goroutines that write in order.
func (r *run) hand(ctx context.Context, u *unit) error {
	if !r.tallied {
		r.tallies.finish(u.ordinal)
	}
	for i, b := range r.branches {
		if b.queue == nil {
			continue
		}
		res := result{u, u.kept(i)}
		u.hold()
		select {
		case b.queue <- res:
		case <-ctx.Done():
			res.drop()
			return context.Cause(ctx)
		}
	}
	return nil
}

// drop gives up a result that will not be written.
func (r result) drop() {
	releaseAll(r.batches)
	r.u.done()
}

// writeInOrder writes the results of units as their ordinals come up.
func (b *runBranch) writeInOrder(ctx context.Context) error {
	waiting := map[int]result{}
	defer func() {
		for _, res := range waiting {
			res.drop()
		}
	}()
	next := 0
	for {
		var got result
		var ok bool
		select {
		case got, ok = <-b.queue:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !ok {
			break
		}
		waiting[got.u.ordinal] = got
		for {
			res, ok := waiting[next]
			if !ok {
				break
			}
			delete(waiting, next)
			next++
			if err := b.writeAll(ctx, res); err != nil {
				return err
			}
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("unit %d was never finished", next) // cannot happen: workers ended without an error
	}
	return nil
}

// writeAll writes what a unit became, and drops it.
func (b *runBranch) writeAll(ctx context.Context, res result) error {
	defer res.drop() // also if reading a mapping panics
	for _, out := range res.batches {
		if err := b.sink.Write(ctx, out); err != nil {
			return err
		}
		b.rows.Add(int64(out.Rows()))
	}
	return nil
}

// publish makes all outputs and reports durable, then visible one after the other.
func (r *run) publish(ctx context.Context) (err error) {
	r.progress(PhaseCommit, 0)
	for _, b := range r.branches {
		if p, ok := b.sink.(colstore.Preparer); ok {
			if err := safely(func() error { return p.Prepare(ctx) }); err != nil {
				return err
			}
		}
	}
	reports, err := stageReports(fsx.Of(ctx), r.cutflow(), r.plan.p.Reports)
	defer func() {
		for _, s := range reports {
			err = errors.Join(err, s.Abort()) // does nothing after Commit
		}
	}()
	if err != nil {
		return err
	}
	for i, b := range r.branches {
		if err := safely(func() error { return b.sink.Commit(ctx) }); err != nil {
			if i > 0 {
				err = fmt.Errorf("%w (%d of %d outputs were published before)", err, i, len(r.branches))
			}
			return err
		}
	}
	for _, s := range reports {
		if err := s.Commit(); err != nil {
			return fmt.Errorf("%w (the outputs were published before)", err)
		}
	}
	return nil
}

func (r *run) progress(phase Phase, rows int64) {
	done := r.done.Add(rows)
	if r.plan.events != nil {
		r.plan.events(Event{Name: r.plan.p.Name, Phase: phase, Rows: done, Total: r.src.Rows()})
	}
}

// cutflow returns the counts of the cuts that all branches share.
func (r *run) cutflow() *frame.Cutflow {
	if r.plan.p.Frame == nil || len(r.branches) == 0 {
		return &frame.Cutflow{}
	}
	f := r.branches[0].prog.Cutflow(r.total)
	if n := r.plan.p.Frame.Cuts(); n < len(f.Cuts) {
		f.Cuts, f.NMinusOne = f.Cuts[:n], nil // the table is of all cuts, those of the branch too
	}
	return f
}
