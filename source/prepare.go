package source

import (
	"context"
	"sync/atomic"

	"github.com/colstore/colstore-go"
)

// held is rows in memory that a prepared view keeps at hand, for itself and the views that are made of it.
type held struct {
	memory *memoryRows
	refs   atomic.Int64 // one for the view, one for every read; 0 is given back
	closed atomic.Bool
}

// retain adds a holder; ok is false if the memory was given back.
func (h *held) retain() (ok bool) {
	for {
		n := h.refs.Load()
		if n == 0 {
			return false
		}
		if h.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (h *held) release() {
	if h.refs.Add(-1) == 0 {
		h.memory.close()
	}
}

// Prepare returns the evaluated view with its rows at hand: mapped files stay mapped and where rows lie stays known until
// Close, also for views that are made of it. Reading it with [View.CollectInto] and its like then allocates nothing but, for
// large reads, goroutines. A source whose rows do not lie in memory is evaluated only.
//
// Memory: until Close, also of a source that is closed before; the caller's to close.
// Errors: those of Evaluate, and of mapping files.
func (v *View) Prepare(ctx context.Context) (*View, error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	p := w.derive()
	m, ok, err := mapped(p.src, p.columns, colstore.Range{Begin: 0, End: p.src.Rows()}, p.rows)
	if err != nil {
		return nil, err
	}
	if ok {
		p.held, p.owns = &held{memory: m}, true
		p.held.refs.Store(1)
	}
	return p, nil
}

// Close gives back what [View.Prepare] holds. The source is not the view's, and stays open; other views have nothing to
// close.
func (v *View) Close() error {
	if v.owns && v.held.closed.CompareAndSwap(false, true) {
		v.held.release()
	}
	return nil
}

// derive returns a view to be made another of.
func (v *View) derive() *View {
	w := *v
	w.owns = false
	return &w
}

// access is rows in memory while they are read.
type access struct {
	memory *memoryRows
	held   *held // whose they are, if not the read's own
}

// access returns the rows of an evaluated view in memory, with at least the columns of a schema; ok is false if they do not
// lie there. The caller closes it.
func (v *View) access(schema *colstore.Schema) (a access, ok bool, err error) {
	if v.held != nil && v.held.retain() {
		return access{v.held.memory, v.held}, true, nil
	}
	r, isRun := v.rows.(run)
	if k, ok := v.src.(keeper); ok {
		// What cannot be kept, since a file was cut or is gone, may be no part of these rows.
		if h, err := k.keep(schema, !isRun); err == nil && h != nil {
			return access{h.memory, h}, true, nil
		}
	}
	rows := colstore.Range{Begin: 0, End: v.src.Rows()}
	if isRun && r.n > 0 {
		last := r.first + (r.n-1)*r.step
		rows = colstore.Range{Begin: min(r.first, last), End: max(r.first, last) + 1}
	}
	m, ok, err := mapped(v.src, schema, rows, v.rows)
	return access{memory: m}, ok, err
}

func (a access) close() {
	if a.held != nil {
		a.held.release()
	} else {
		a.memory.close()
	}
}

// columnsOf appends which of the memory's columns those of a schema are.
func (m *memoryRows) columnsOf(dst []int, s *colstore.Schema) []int {
	for i, f := range s.All() {
		if m.schema != s {
			i, _ = m.schema.Index(f.Name)
		}
		dst = append(dst, i)
	}
	return dst
}
