package frame

import (
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
)

// NMinusOne asks for an N−1 table: the frame's cutflow, from whichever terminal, then says of each cut how many rows pass
// all the others, and how many of these pass it too ([Cutflow.NMinusOne]). It takes no second pass.
func (f *Frame) NMinusOne() *Frame { return f.with(minusStep{}) }

type minusStep struct{}

func (minusStep) check() error           { return nil }
func (minusStep) reads(*nameScope) error { return nil }
func (minusStep) text() string           { return "n-1 table" }

func (minusStep) apply(b *binder) error {
	b.minus = true
	return nil
}

// minusTally counts for an N−1 table. Its sums are as independent of batches as those of a [Tally].
type minusTally struct {
	rows   []int64         // by cut: that pass all others
	others []*ops.FloatSum // their weights; nil without a weight
	all    []*ops.FloatSum // weights of the rows that pass all cuts; nil too if an earlier cut has the same weight
}

func (p *Program) newMinusTally(begin int64) *minusTally {
	t := &minusTally{rows: make([]int64, len(p.cuts)), others: make([]*ops.FloatSum, len(p.cuts)), all: make([]*ops.FloatSum, len(p.cuts))}
	for i, c := range p.cuts {
		if c.weight == none {
			continue
		}
		t.others[i] = ops.NewFloatSum(begin)
		if p.firstOf(c.weight) == i {
			t.all[i] = ops.NewFloatSum(begin)
		}
	}
	return t
}

// firstOf returns the first cut with a weight.
func (p *Program) firstOf(weight int) int {
	for i, c := range p.cuts {
		if c.weight == weight {
			return i
		}
	}
	return none
}

func (t *minusTally) merge(next *minusTally) {
	for i := range t.rows {
		t.rows[i] += next.rows[i]
		if t.others[i] != nil {
			t.others[i].Merge(next.others[i])
		}
		if t.all[i] != nil {
			t.all[i].Merge(next.all[i])
		}
	}
}

// nMinusOne returns the N−1 table of a tally; flow is its cutflow.
func (p *Program) nMinusOne(t *Tally, flow *Cutflow) *Cutflow {
	out := &Cutflow{Cuts: make([]Cut, 0, len(flow.Cuts))}
	for i, c := range p.cuts {
		if c.silent {
			continue
		}
		cut := Cut{Label: flow.Cuts[len(out.Cuts)].Label, Entering: t.minus.rows[i], Passing: t.passing[len(p.cuts)-1]}
		if c.weight != none {
			cut.Weighted = true
			cut.WeightedEntering = t.minus.others[i].Value()
			cut.WeightedPassing = t.minus.all[p.firstOf(c.weight)].Value()
		}
		out.Cuts = append(out.Cuts, cut)
	}
	return out
}

// missed notes which of the rows was that reached cut i fail it, and which rows that failed another fail it too.
func (m *machine) missed(i int, was []uint64) {
	s := m.state
	for len(s.only) < len(m.p.cuts) {
		s.only = append(s.only, nil)
	}
	words := len(was)
	pred := s.bits[m.p.cuts[i].pred]
	for j := range i {
		kernel.And(s.only[j][:words], s.only[j][:words], pred)
	}
	if len(s.only[i]) < words {
		s.only[i] = make([]uint64, len(s.was))
	}
	for w := range words {
		s.only[i][w] = was[w] &^ pred[w]
	}
}

// minus counts the rows of the chunk that pass all cuts but one.
func (m *machine) minus() {
	if m.t == nil {
		return
	}
	s := m.state
	words := kernel.Words(m.n)
	sel, others := m.sel[:words], s.was[:words]
	for i, c := range m.p.cuts {
		if c.silent {
			continue
		}
		kernel.Or(others, sel, s.only[i])
		m.t.minus.rows[i] += int64(kernel.Count(others))
		if c.weight == none {
			continue
		}
		m.weigh(m.t.minus.others[i], c.weight, others)
		if all := m.t.minus.all[i]; all != nil {
			m.weigh(all, c.weight, sel)
		}
	}
}
