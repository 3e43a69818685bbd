package frame

import (
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
)

// A pruner decides from bounds of columns that no row of a group passes the cuts of a program. It evaluates the program's
// own graph over ranges of values, so that its answers follow from the same conversions and comparisons.
//
// It is immutable.
type pruner struct {
	nodes  []gnode
	order  []int // the nodes that the cuts need, arguments first
	schema *colstore.Schema
	cuts   []prunedCut
}

// prunedCut is a cut as far as leaving rows out concerns it.
type prunedCut struct {
	pred     int
	weighted bool
}

// newPruner returns the pruner of a compiled program, nil if it cannot leave out anything: nothing of a cut follows from
// bounds, values can make the cuts fail, which must not depend on statistics, or an N−1 table counts what the cuts drop.
func newPruner(p *Program, b *binder, s *colstore.Schema) *pruner {
	if len(b.cuts) == 0 || b.minus || slices.ContainsFunc(p.dense, func(in instr) bool { return in.fallible }) {
		return nil
	}
	r := &pruner{nodes: b.g.nodes, schema: s}
	needed := make([]bool, len(r.nodes))
	for _, c := range b.cuts {
		b.g.walk(c.pred, needed, func(int) {})
		r.cuts = append(r.cuts, prunedCut{c.pred, c.weight != none})
	}
	for id := range r.nodes { // arguments have lower numbers
		if needed[id] {
			r.order = append(r.order, id)
		}
	}
	known := r.known()
	for _, c := range r.cuts {
		if known[c.pred].refuted {
			return r
		}
	}
	return nil
}

// ranged gives a node the range of what computes it, and returns the node. It may be one that was there before, for which
// the function is another: and is its argument where the other is true.
func (g *graph) ranged(id int, o ops.Overload) int {
	if id != none {
		switch n := &g.nodes[id]; {
		case n.op == gKernel && o.Kernel != nil:
			n.span = o.KernelRange
		case n.op == gTest && o.Test != nil:
			n.decided = o.Range
		}
	}
	return id
}

// knowledge is what bounds of its inputs can tell of a node: of a column, its bounds; of a truth value, that it is true
// in every row, or false in every row.
type knowledge struct{ spanned, proved, refuted bool }

// known tells of every node what bounds could tell.
func (r *pruner) known() []knowledge {
	out := make([]knowledge, len(r.nodes))
	for _, id := range r.order {
		n := &r.nodes[id]
		all := true // arguments have bounds
		for _, a := range n.args {
			all = all && out[a].spanned
		}
		k := &out[id]
		switch n.op {
		case gInput, gRow:
			k.spanned = true
		case gConst:
			k.spanned = ops.ValidBounds(point(n))
		case gTruth:
			k.proved, k.refuted = n.truth, !n.truth
		case gKernel:
			k.spanned = all && n.span != nil
		case gTest:
			k.proved = all && n.decided != nil
			k.refuted = k.proved
		case gBytes:
			k.spanned = true
		case gLogic:
			a, b := out[n.args[0]], out[n.args[len(n.args)-1]]
			switch n.logic {
			case ops.And:
				k.proved, k.refuted = a.proved && b.proved, a.refuted || b.refuted
			case ops.Or:
				k.proved, k.refuted = a.proved || b.proved, a.refuted && b.refuted
			case ops.Not:
				k.proved, k.refuted = a.refuted, a.proved
			default:
				k.proved = (a.proved || a.refuted) && (b.proved || b.refuted)
				k.refuted = k.proved
			}
		}
	}
	return out
}

// point returns the bounds of a constant.
func point(n *gnode) colstore.Bounds {
	v := n.value.Cell()
	return colstore.Bounds{Lo: v, Hi: v}
}

// outcome is what is known of a node in one group: bounds of a column if ok, or whether a truth value holds in some row and
// fails in some.
type outcome struct {
	b            colstore.Bounds
	ok           bool
	holds, fails bool
}

// outcomes evaluates the nodes for a group of rows.
func (r *pruner) outcomes(rows colstore.Range, bounds func(column string) (colstore.Bounds, bool)) []outcome {
	out := make([]outcome, len(r.nodes))
	args := make([]colstore.Bounds, 0, 2)
	for _, id := range r.order {
		n, o := &r.nodes[id], &out[id]
		o.holds, o.fails = true, true
		args = args[:0]
		for _, a := range n.args {
			if out[a].ok {
				args = append(args, out[a].b)
			}
		}
		complete := len(args) == len(n.args)
		switch n.op {
		case gInput:
			o.b, o.ok = inputBounds(r.schema.Field(n.input), bounds)
		case gRow:
			o.b, o.ok = colstore.Bounds{Lo: colstore.ScalarOf(rows.Begin).Cell(), Hi: colstore.ScalarOf(rows.End - 1).Cell()}, true
		case gConst:
			o.b = point(n)
			o.ok = ops.ValidBounds(o.b)
		case gTruth:
			o.holds, o.fails = n.truth, !n.truth
		case gKernel:
			if complete && n.span != nil {
				o.b, o.ok = n.span(args)
			}
		case gTest:
			if complete && n.decided != nil {
				o.holds, o.fails = n.decided(args)
			}
		case gBytes:
			a := out[n.args[0]]
			o.b, o.ok = colstore.Bounds{Lo: colstore.ScalarOf(!a.fails).Cell(), Hi: colstore.ScalarOf(a.holds).Cell()}, true
		case gLogic:
			a, b := out[n.args[0]], out[n.args[len(n.args)-1]]
			switch n.logic {
			case ops.And:
				o.holds, o.fails = a.holds && b.holds, a.fails || b.fails
			case ops.Or:
				o.holds, o.fails = a.holds || b.holds, a.fails && b.fails
			case ops.Not:
				o.holds, o.fails = a.fails, a.holds
			case ops.Xor:
				o.holds, o.fails = a.holds && b.fails || a.fails && b.holds, a.holds && b.holds || a.fails && b.fails
			}
		}
	}
	return out
}

// inputBounds returns a column's bounds in native byte order; ok is false if they are not those of the column.
func inputBounds(f colstore.Field, bounds func(column string) (colstore.Bounds, bool)) (colstore.Bounds, bool) {
	b, ok := bounds(f.Name)
	if !ok || b.Lo.Type() != f.Type || b.Hi.Type() != f.Type || b.Lo.Rows() != 1 || b.Hi.Rows() != 1 {
		return b, false
	}
	for _, c := range []*colstore.Column{&b.Lo, &b.Hi} {
		raw := make([]byte, f.Type.Size())
		kernel.Load(raw, *c)
		var err error
		if *c, err = colstore.NewColumn(f.Type.Native(), 1, raw); err != nil {
			return b, false
		}
	}
	return b, ops.ValidBounds(b)
}

// excludes reports whether no row of a group passes the cuts, and how many of the first tallied cuts all of them pass
// until then; their counts are known by that.
func (r *pruner) excludes(tallied int, rows colstore.Range, bounds func(column string) (colstore.Bounds, bool)) (passed int, ok bool) {
	out := r.outcomes(rows, bounds)
	for i, c := range r.cuts {
		o := out[c.pred]
		switch {
		case i < tallied && c.weighted:
			return 0, false // the weights of the rows count
		case !o.holds:
			return passed, true
		case i >= tallied:
		case o.fails:
			return 0, false
		default:
			passed++
		}
	}
	return 0, false
}

// conditions lists what bounds can refute, in the query language.
func (r *pruner) conditions() []string {
	known := r.known()
	var out []string
	var list func(id int)
	list = func(id int) {
		n := &r.nodes[id]
		if n.op == gLogic && n.logic == ops.And {
			for _, a := range n.args {
				list(a)
			}
		} else if known[id].refuted {
			out = append(out, r.show(id))
		}
	}
	for _, c := range r.cuts {
		list(c.pred)
	}
	return out
}

// show prints a truth value.
func (r *pruner) show(id int) string {
	n := &r.nodes[id]
	switch {
	case n.op == gLogic && n.logic == ops.Not:
		return "not " + r.show(n.args[0])
	case n.op == gLogic:
		word := map[ops.Logic]string{ops.And: " and ", ops.Or: " or ", ops.Xor: " ^ "}[n.logic]
		return "(" + r.show(n.args[0]) + word + r.show(n.args[1]) + ")"
	case n.origin != nil:
		return n.origin.show()
	case n.op == gInput:
		return (&node{kind: nodeColumn, name: r.schema.Field(n.input).Name}).show()
	case n.op == gRow:
		return Row().String()
	case n.op == gConst || n.op == gTruth:
		v, _ := (&graph{nodes: r.nodes}).isConst(id)
		return Lit(v).String()
	case len(n.args) > 0:
		return r.show(n.args[0]) // the truth of a column, or its cast
	}
	return "…"
}
