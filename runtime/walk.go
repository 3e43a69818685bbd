package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/numa"
)

// A unit is the smallest piece of work: a range of source rows, or one batch of a source that cannot start inside.
type unit struct {
	ordinal int
	rows    colstore.Range
	batch   *colstore.Batch // already decoded, for a source that is read in sequence
	slot    *slot
	release func(*slot)
	results [][]*colstore.Batch // by branch: rows that wait to be written in order
	placed  []int64             // by branch: rows written where they belong
}

// hold adds a holder of the unit's memory; every holder calls done once.
func (u *unit) hold() { u.slot.refs.Add(1) }

func (u *unit) done() {
	if u.slot.refs.Add(-1) == 0 {
		u.release(u.slot)
	}
}

// A walker takes the rows of a source through workers.
type walker struct {
	src       colstore.Source
	columns   []string
	skip      colstore.Skipper  // nil for none
	skipped   *colstore.Skipped // counts what it leaves out; nil for nobody who asks
	repeated  bool              // units are the same in every walk, whatever is skipped
	batchRows int
	workers   int
	slots     int
	share     int64
}

// visitor does the work. Batch is called for each batch of a unit, in order, in one goroutine; end after the last one.
// Units are worked on at the same time and end in any order.
type visitor struct {
	batch func(ctx context.Context, u *unit, b *colstore.Batch) error
	end   func(ctx context.Context, u *unit) error
}

// failures keeps the error of the first unit that failed. Units are worked on at the same time, so that a later one may
// fail before it.
type failures struct {
	mu      sync.Mutex
	ordinal int
	err     error
	stop    chan struct{} // closed at the first one: no more units are begun
}

// add takes the error of a unit into account.
func (f *failures) add(ordinal int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		close(f.stop)
	}
	if f.err == nil || ordinal < f.ordinal {
		f.ordinal, f.err = ordinal, err
	}
}

// before reports whether a unit before that of an ordinal failed.
func (f *failures) before(ordinal int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err != nil && f.ordinal < ordinal
}

// errStopped ends the handing out of units after one has failed.
var errStopped = errors.New("a unit failed")

// walk visits all rows. Slots are granted in the order of the units, so that the oldest can always finish; an error, or
// the end of the context, stops everything. Of several errors the one of the first unit counts, whatever the workers'
// number: units before it are finished first. group is where its goroutines run; they end on their own.
func (w *walker) walk(ctx context.Context, group *errgroup.Group, v visitor) {
	free := make(chan *slot, w.slots)
	for range w.slots {
		free <- &slot{share: w.share}
	}
	release := func(s *slot) { free <- s }
	units := make(chan *unit)
	failed := &failures{stop: make(chan struct{})}
	take := func() (*slot, error) {
		select {
		case s := <-free:
			s.refs.Store(1)
			return s, nil
		case <-failed.stop:
			return nil, errStopped
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	hand := func(u *unit) error {
		select {
		case units <- u:
			return nil
		case <-failed.stop:
			return errStopped
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	group.Go(func() error {
		defer close(units)
		ordinal := 0
		err := safely(func() error { return w.dispatch(ctx, &ordinal, take, hand, release) })
		if err != nil && !errors.Is(err, errStopped) {
			failed.add(ordinal, err)
		}
		return nil
	})
	var working sync.WaitGroup
	working.Add(w.workers)
	for range w.workers {
		group.Go(func() error {
			defer numa.Bind(ctx)()
			for u := range units {
				if failed.before(u.ordinal) {
					u.leave()
				} else if err := safely(func() error { return w.work(ctx, u, v) }); err != nil {
					failed.add(u.ordinal, err)
				}
			}
			working.Done()
			working.Wait() // a unit before the one that failed may fail too
			return failed.err
		})
	}
}

// leave gives a unit back that is not worked on.
func (u *unit) leave() {
	if u.batch != nil {
		u.batch.Release()
	}
	u.done()
}

// dispatch cuts the source into units, in order. ordinal is that of the next one.
func (w *walker) dispatch(ctx context.Context, ordinal *int, take func() (*slot, error), hand func(*unit) error, release func(*slot)) error {
	splitter, ok := w.src.(colstore.Splitter)
	if !ok || w.src.Rows() < 0 {
		return w.sequence(ctx, colstore.Range{}, ordinal, take, hand, release)
	}
	for _, r := range splitter.Splits(w.batchRows) {
		if r.Rows() > int64(w.batchRows) {
			if err := w.sequence(ctx, r, ordinal, take, hand, release); err != nil {
				return err
			}
			continue
		}
		s, err := take()
		if err != nil {
			return err
		}
		if err := hand(&unit{ordinal: *ordinal, rows: r, slot: s, release: release}); err != nil {
			return err
		}
		*ordinal++
	}
	return nil
}

// sequence reads a range that cannot be divided, here, with the workers' help inside a batch, and makes a unit of each
// batch.
func (w *walker) sequence(ctx context.Context, rows colstore.Range, ordinal *int, take func() (*slot, error), hand func(*unit) error, release func(*slot)) error {
	s, err := take()
	if err != nil {
		return err
	}
	mem := &lane{cur: s, owner: map[*byte]*slot{}}
	skip := w.skip
	if w.repeated {
		skip = nil // each batch is a unit
	}
	for b, err := range w.src.Scan(ctx, colstore.Scan{Columns: w.columns, Rows: rows, BatchRows: w.batchRows, Skip: skip, Skipped: w.skipped, Mem: mem, Threads: w.workers, Once: true}) {
		if err != nil {
			return err
		}
		b.Retain()
		u := &unit{ordinal: *ordinal, rows: colstore.Range{Begin: b.Begin(), End: b.Begin() + int64(b.Rows())}, batch: b, slot: s, release: release}
		*ordinal++
		if err := hand(u); err != nil {
			b.Release()
			return err
		}
		if s, err = take(); err != nil {
			return err
		}
		mem.enter(s)
	}
	release(s)
	return nil
}

// work visits the batches of a unit.
func (w *walker) work(ctx context.Context, u *unit, v visitor) error {
	defer u.done()
	defer u.drop()
	if u.batch != nil {
		defer u.batch.Release()
		if err := v.batch(ctx, u, u.batch); err != nil {
			return colstore.Locate(w.src, err)
		}
		return v.end(ctx, u)
	}
	for b, err := range w.src.Scan(ctx, colstore.Scan{Columns: w.columns, Rows: u.rows, BatchRows: w.batchRows, Skip: w.skip, Skipped: w.skipped, Mem: u.slot, Threads: 1, Once: true}) {
		if err != nil {
			return err
		}
		if err := v.batch(ctx, u, b); err != nil {
			return colstore.Locate(w.src, err)
		}
	}
	return v.end(ctx, u)
}

// safely runs f under a fault guard and turns a panic, which can only be a bug of a function or format, into an error:
// other outputs are aborted in order then.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return fault.Guard(f)
}

// keep holds a batch that branch i of n made of the unit until the unit is handed on.
func (u *unit) keep(i, n int, b *colstore.Batch) {
	if u.results == nil {
		u.results = make([][]*colstore.Batch, n)
	}
	u.results[i] = append(u.results[i], b)
}

// kept hands over what branch i made of the unit.
func (u *unit) kept(i int) []*colstore.Batch {
	if u.results == nil {
		return nil
	}
	out := u.results[i]
	u.results[i] = nil
	return out
}

// drop releases what was not handed over.
func (u *unit) drop() {
	for _, batches := range u.results {
		releaseAll(batches)
	}
	u.results = nil
}

func releaseAll(batches []*colstore.Batch) {
	for _, b := range batches {
		b.Release()
	}
}

// place returns the output row of the next rows rows of branch i of n, of which the unit's begin at start.
func (u *unit) place(i, n int, start, rows int64) int64 {
	if u.placed == nil {
		u.placed = make([]int64, n)
	}
	row := start + u.placed[i]
	u.placed[i] += rows
	return row
}
