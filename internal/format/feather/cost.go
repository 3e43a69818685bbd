package feather

import (
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/source/format"
)

// cursorBytes is what a cursor takes without its buffers, about.
const cursorBytes = 1 << 10

// costs are what cursors hold, by the places of their columns, once somebody asked: it takes a look at every buffer.
type costs struct {
	mu   sync.Mutex
	held map[int]held
}

// held is what a cursor holds: all the time; all the time if its streams are thrifty; during a read, apart from that.
type held struct{ always, thrifty, reading int64 }

// thriftFrom is what cursors of a scan may hold before their streams are thrifty.
const thriftFrom = 16 << 20

// Cost returns what a scan of columns holds: what was decoded and not handed out, dictionaries, the buffers of views, and
// the text and headers that are under way in each goroutine. Columns that are shown as they lie in the file take nothing.
func (s *source) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = s.plan.Schema.Names()
	}
	cost := colstore.Cost{Rescan: true}
	values, lists := map[int]bool{}, map[int]bool{} // that are in the cost, by leaf
	whole := 0
	var all held
	for _, n := range columns {
		i, ok := s.plan.Schema.Index(n)
		if !ok {
			continue
		}
		o := s.plan.Outputs[i]
		if s.views[o.Input] && !o.Mask {
			continue
		}
		cost.Rescan = false
		cost.Row += s.plan.Schema.Field(i).Type.Size()
		in := &s.plan.Inputs[o.Input]
		isList := s.f.leaves[in.Place].list != nil
		// The columns of a list are read together.
		if isList && !lists[in.Place] {
			lists[in.Place] = true
			cost.Fixed += s.holdsLists(in)
		}
		if values[in.Place] || s.at[o.Input] == format.UnfoldedCount {
			continue
		}
		values[in.Place] = true
		h := s.holds(&in.Column)
		if isList { // whose cursors share nothing
			cost.Fixed += h.always + h.reading
			continue
		}
		whole++
		all.always += h.always
		all.thrifty += h.thrifty
		all.reading = max(all.reading, h.reading)
	}
	if all.always > thriftFrom {
		all.always = all.thrifty
		all.reading += againBytes
	}
	cost.Fixed += all.always + all.reading*int64(min(whole, maxThreads))
	return cost
}

// isThrifty reports whether the streams of a scan of some inputs are thrifty.
func (s *source) isThrifty(inputs []scanned) bool {
	var n int64
	for _, c := range inputs {
		n += s.holds(&c.in.Column).always
	}
	return n > thriftFrom
}

// holds returns what a cursor of a column holds.
func (s *source) holds(c *columnar.Column) held {
	s.costs.mu.Lock()
	defer s.costs.mu.Unlock()
	h, ok := s.costs.held[c.Place]
	if !ok {
		h = s.f.holds(c)
		if s.costs.held == nil {
			s.costs.held = map[int]held{}
		}
		s.costs.held[c.Place] = h
	}
	size := s.dicts.size(c)
	h.always += size
	h.thrifty += size
	return h
}

// holds returns what a cursor of a column holds beside its dictionary: of each buffer no more than it decodes to.
func (f *file) holds(c *columnar.Column) held {
	t, p := c.Type, f.leaves[c.Place].place
	h := held{always: cursorBytes, thrifty: cursorBytes}
	if t.Kind == columnar.Null {
		return h
	}
	var most int64 // of what a read needs
	n := 2
	switch {
	case t.OffsetBytes() > 0 && t.Index == nil:
		n, most = 3, stepBytes+2*(stepRows+1)*int64(t.OffsetBytes())
	case t.IsView() || t.Index != nil:
		most = stepRows * columnar.ViewBytes
	case t.Kind == columnar.Date32:
		most = stepRows * int64(t.ValueBytes())
	}
	var views, window, thrifty int64
	for i := range f.batches {
		b := &f.batches[i]
		first := b.buffer(p)
		var sum, thrift, declared int64
		for _, buf := range b.Buffers[first : first+n] {
			if st, err := f.stream(&b.body, buf); err == nil {
				n, t := st.holds()
				sum += n
				thrift += t
				declared += st.size
			}
		}
		window, thrifty = max(window, sum), max(thrifty, thrift)
		h.reading = max(h.reading, min(most, 2*declared))
		if t.IsView() && t.Index == nil {
			var all, most int64
			for _, buf := range b.Buffers[first+2 : first+2+int(b.Variadic[p.view])] {
				if st, err := f.stream(&b.body, buf); err == nil {
					all, most = all+st.size, max(most, st.size)
				}
			}
			views = max(views, min(all, viewBytes+2*most))
		}
	}
	h.always += window + views
	h.thrifty += thrifty + views
	return h
}

// size returns the bytes of a column's dictionary, if it is held.
func (d *dictionaries) size(c *columnar.Column) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.held[c.Place]
	if !ok {
		return 0
	}
	n := int64(0)
	for _, b := range h.values.Buffers {
		n += int64(len(b))
	}
	return n
}
