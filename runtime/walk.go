package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
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
	keep      int64             // bytes of mapped pages that may stay behind it
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
	failed := &failures{stop: make(chan struct{})}
	h := &handing{release: func(s *slot) { free <- s }, failed: failed}
	h.take = func() (*slot, error) {
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
	if err := safely(func() error { h.ranges = w.splits(); return nil }); err != nil {
		failed.add(0, err)
	}
	next := h.next
	if slices.ContainsFunc(h.ranges, w.isLong) {
		units := make(chan *unit)
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
			if err := safely(func() error { return w.dispatch(ctx, h, hand) }); err != nil && !errors.Is(err, errStopped) {
				failed.add(h.ordinal, err)
			}
			return nil
		})
		next = func() *unit { return <-units }
	}
	var working sync.WaitGroup
	working.Add(w.workers)
	for range w.workers {
		group.Go(func() error {
			defer numa.Bind(ctx)()
			for u := next(); u != nil; u = next() {
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

// splits returns the ranges that the source is cut into: all of it is one where it must be read in sequence.
func (w *walker) splits() []colstore.Range {
	if s, ok := w.src.(colstore.Splitter); ok && w.src.Rows() >= 0 {
		return s.Splits(w.batchRows)
	}
	return []colstore.Range{{}}
}

// isLong reports whether a range is read in sequence, to be divided.
func (w *walker) isLong(r colstore.Range) bool {
	return r == (colstore.Range{}) || r.Rows() > int64(w.batchRows)
}

// handing is the handing out of units, in order.
type handing struct {
	ranges  []colstore.Range
	ordinal int // of the next unit
	take    func() (*slot, error)
	release func(*slot)
	failed  *failures
	mu      sync.Mutex // held by next
}

// next makes a unit of the next range, for the worker that asks; nil if there is none, or nothing is to be done any more.
// Workers ask in turn, without a goroutine in between, which would have to be woken for every unit.
func (h *handing) next() *unit {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ordinal == len(h.ranges) {
		return nil
	}
	u, err := h.unit(h.ranges[h.ordinal])
	if err != nil && !errors.Is(err, errStopped) {
		h.failed.add(h.ordinal, err)
	}
	return u
}

// unit makes the next unit, of a range.
func (h *handing) unit(r colstore.Range) (*unit, error) {
	s, err := h.take()
	if err != nil {
		return nil, err
	}
	u := &unit{ordinal: h.ordinal, rows: r, slot: s, release: h.release}
	h.ordinal++
	return u, nil
}

// leave gives a unit back that is not worked on.
func (u *unit) leave() {
	if u.batch != nil {
		u.batch.Release()
	}
	u.done()
}

// dispatch hands out the units of a source some of whose ranges are long.
func (w *walker) dispatch(ctx context.Context, h *handing, hand func(*unit) error) error {
	for _, r := range h.ranges {
		if w.isLong(r) {
			if err := w.sequence(ctx, r, h, hand); err != nil {
				return err
			}
			continue
		}
		u, err := h.unit(r)
		if err != nil {
			return err
		}
		if err := hand(u); err != nil {
			return err
		}
	}
	return nil
}

// sequence reads a range that cannot be divided, here, with the workers' help inside a batch, and makes a unit of each
// batch.
func (w *walker) sequence(ctx context.Context, rows colstore.Range, h *handing, hand func(*unit) error) error {
	s, err := h.take()
	if err != nil {
		return err
	}
	mem := &lane{cur: s, owner: map[*byte]*slot{}}
	skip := w.skip
	if w.repeated {
		skip = nil // each batch is a unit
	}
	for b, err := range w.src.Scan(ctx, colstore.Scan{Columns: w.columns, Rows: rows, BatchRows: w.batchRows, Skip: skip, Skipped: w.skipped, Mem: mem, Threads: w.workers, Once: true, Keep: w.keep}) {
		if err != nil {
			return err
		}
		b.Retain()
		u := &unit{ordinal: h.ordinal, rows: colstore.Range{Begin: b.Begin(), End: b.Begin() + int64(b.Rows())}, batch: b, slot: s, release: h.release}
		h.ordinal++
		if err := hand(u); err != nil {
			b.Release()
			return err
		}
		if s, err = h.take(); err != nil {
			return err
		}
		mem.enter(s)
	}
	h.release(s)
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
	for b, err := range w.src.Scan(ctx, colstore.Scan{Columns: w.columns, Rows: u.rows, BatchRows: w.batchRows, Skip: w.skip, Skipped: w.skipped, Mem: u.slot, Threads: 1, Once: true, Keep: w.keep}) {
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
