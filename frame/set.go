package frame

import (
	"context"

	"github.com/colstore/colstore-go"
)

// A Set is several frames over one source, bound together: a subexpression that they share is computed once for all of
// them. It is immutable and safe for concurrent use.
//
// What the cuts and weights of any frame need is computed over every row. A part that the columns of several frames share,
// and that cannot fail, is computed once over the rows that any frame keeps; the rest over the survivors of each frame.
type Set struct{ programs []*Program }

// BindSet binds frames to the columns of a source. Frames with limits have no program: see [Frame.Resolve].
//
// Errors: those of [Frame.Bind].
func BindSet(s *colstore.Schema, frames ...*Frame) (*Set, error) {
	if s == nil {
		return nil, errNoSchema
	}
	g := &graph{ids: map[string]int{}}
	binders := make([]*binder, len(frames))
	for i, f := range frames {
		if f != nil && f.err == nil && f.Limited() {
			return nil, errLimited
		}
		var err error
		if binders[i], err = f.boundIn(g, s); err != nil {
			return nil, err
		}
	}
	if len(binders) == 0 {
		return &Set{}, nil
	}
	programs, err := compileAll(s, binders...)
	if err != nil {
		return nil, err
	}
	for i, f := range frames {
		programs[i].from = &bound{f.steps(), s, max(s.Len(), len(f.names)), g, binders[i].columns, binders[i].cuts}
	}
	return &Set{programs}, nil
}

// sharedNodes finds what the columns of more than one binder are made of, of what is computed and cannot fail.
func sharedNodes(g *graph, binders []*binder) map[int]bool {
	if len(binders) < 2 {
		return nil
	}
	users := make([]int, len(g.nodes))
	for _, b := range binders {
		seen := make([]bool, len(g.nodes))
		for _, c := range b.columns {
			g.walk(c.id, seen, func(id int) { users[id]++ })
		}
	}
	// Arguments come before what is made of them.
	safe := make([]bool, len(g.nodes))
	out := map[int]bool{}
	for id, n := range g.nodes {
		safe[id] = !n.fallible
		for _, a := range n.args {
			safe[id] = safe[id] && safe[a]
		}
		out[id] = users[id] > 1 && safe[id] && len(n.args) > 0 && n.op != gMade
	}
	return out
}

// Len returns the number of frames.
func (s *Set) Len() int { return len(s.programs) }

// Schema returns the columns of the result of frame i.
func (s *Set) Schema(i int) *colstore.Schema { return s.programs[i].schema }

// Inputs returns the names of the only columns that need to be scanned, in the source's order.
func (s *Set) Inputs() []string {
	if len(s.programs) == 0 {
		return []string{}
	}
	return s.programs[0].Inputs()
}

// RowBytes returns the bytes that evaluating a batch holds per row of it, for all frames.
func (s *Set) RowBytes() int {
	n := 0
	for i, p := range s.programs {
		if i == 0 {
			n = p.appliedBytes()
		}
		n += p.outputBytes()
	}
	return n
}

// NewTallies returns a tally of no rows for each frame; see [Program.NewTally].
func (s *Set) NewTallies(begin int64) []*Tally {
	out := make([]*Tally, len(s.programs))
	for i, p := range s.programs {
		out[i] = p.NewTally(begin)
	}
	return out
}

// Cutflow returns the counts of a tally of frame i.
func (s *Set) Cutflow(i int, t *Tally) *Cutflow { return s.programs[i].Cutflow(t) }

// Eval runs all frames over a batch and returns the surviving rows of each. tallies is nil or has one for each frame.
// Memory, errors and concurrency are those of [Program.Eval]; each result is the caller's to release.
func (s *Set) Eval(ctx context.Context, in *colstore.Batch, mem colstore.Allocator, tallies []*Tally) ([]*colstore.Batch, error) {
	return evaluate(ctx, s.programs, in, mem, tallies)
}
