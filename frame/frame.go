package frame

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// A Frame is a list of steps over a source, or over any source of the right columns if it is unbound. It is immutable:
// every verb returns a child that shares the steps before it.
type Frame struct {
	parent *Frame
	step   step // of this frame; nil at the base
	src    colstore.Source
	names  []string // all columns of the table, if src has only some of them
	err    error    // the first error, of this step or of one before
	ready  *ready   // what was made of the frame; nil to make it anew every time
}

// ready keeps the programs of a frame over its source, so that small results do not cost as much as a large expression.
type ready struct {
	programs atomic.Pointer[programs]
	reducing atomic.Pointer[reducing]
}

// programs are those of a frame over the columns of a schema.
type programs struct {
	schema *colstore.Schema
	p      *Program
	split  *Program // of [Frame.splitProgram]
}

// New returns an unbound frame without steps: what recipes build, to be bound to a schema later.
func New() *Frame { return &Frame{} }

// From returns the frame of all columns and rows of src. It does not own src: who opened it closes it, after the last
// use of the frame.
func From(src colstore.Source) *Frame { return &Frame{src: src, ready: new(ready)} }

// Over returns the frame's steps over a source: how an unbound frame is run.
func (f *Frame) Over(src colstore.Source) *Frame { return f.OverPart(src, nil) }

// OverPart returns the frame's steps over a source that has only those columns of a table that the frame needs (see
// [Frame.SourceColumns]); names are all of the table's. Steps may name the others, and make of them what is dropped
// again; what dtype such a column has is not known and not asked.
func (f *Frame) OverPart(src colstore.Source, names []string) *Frame {
	g := &Frame{src: src, names: names}
	for _, s := range f.steps() {
		g = g.with(s)
	}
	if f.err != nil && g.err == nil {
		g.err = f.err
	}
	return g
}

// Then returns the steps of f followed by those of next, over the source of f.
func (f *Frame) Then(next *Frame) *Frame {
	if next == nil {
		next = &Frame{err: errNoFrame}
	}
	for _, s := range next.steps() {
		f = f.with(s)
	}
	if next.err != nil && f.err == nil {
		g := *f
		g.err = next.err
		return &g
	}
	return f
}

// with returns the child with one more step. Over a source the step is checked at once.
func (f *Frame) with(s step) *Frame {
	g := &Frame{parent: f, step: s, src: f.src, names: f.names, err: f.err, ready: new(ready)}
	if g.err == nil {
		g.err = s.check()
	}
	if g.err == nil && g.src != nil {
		_, g.err = g.bound(g.src.Schema())
	}
	return g
}

// steps returns the steps from the base on.
func (f *Frame) steps() []step {
	var out []step
	for g := f; g != nil; g = g.parent {
		if g.step != nil {
			out = append(out, g.step)
		}
	}
	slices.Reverse(out)
	return out
}

// Err returns the first error of the steps. Every terminal returns it too.
func (f *Frame) Err() error { return f.err }

// Cuts returns the number of cuts among the steps.
func (f *Frame) Cuts() int {
	n := 0
	for _, s := range f.steps() {
		if _, ok := s.(*whereStep); ok {
			n++
		}
	}
	return n
}

// Source returns the source, nil for an unbound frame.
func (f *Frame) Source() colstore.Source { return f.src }

// Schema returns the columns of a frame over a source.
func (f *Frame) Schema() (*colstore.Schema, error) {
	p, err := f.Unlimited().program()
	if err != nil {
		return nil, err
	}
	return p.Schema(), nil
}

// What is missing where there must be something.
var (
	errUnbound  = fmt.Errorf("%w: the frame has no source; use Over", colstore.ErrValue)
	errNoFrame  = fmt.Errorf("%w: the frame is nil; frame.New makes one without steps", colstore.ErrValue)
	errNoSchema = fmt.Errorf("%w: the columns to bind to are nil", colstore.ErrValue)
	errNoBatch  = fmt.Errorf("%w: the batch to evaluate is nil", colstore.ErrValue)
)

// program binds the frame to its source.
func (f *Frame) program() (*Program, error) {
	switch {
	case f.err != nil:
		return nil, f.err
	case f.src == nil:
		return nil, errUnbound
	}
	return f.Bind(f.src.Schema())
}

// bothPrograms returns the frame's program and that of splitProgram, which is nil if there is none. They are made once for
// the frame.
func (f *Frame) bothPrograms() (p, split *Program, err error) {
	if f.err == nil && f.src != nil && f.ready != nil {
		if made := f.ready.programs.Load(); made != nil && made.schema == f.src.Schema() {
			return made.p, made.split, nil
		}
	}
	if p, err = f.program(); err != nil {
		return nil, nil, err
	}
	if len(p.appliers) > 0 || len(p.inputs) == 0 {
		return p, nil, nil
	}
	if split, err = f.splitProgram(p); err != nil {
		return nil, nil, err
	}
	if f.ready != nil {
		f.ready.programs.Store(&programs{f.src.Schema(), p, split})
	}
	return p, split, nil
}

// A CutOption is an optional word of [Frame.Where].
type CutOption func(*whereStep)

// Named gives the cut a label in the cutflow; without one, or with an empty one, it is "#" and its position.
func Named(label string) CutOption { return func(s *whereStep) { s.label = label } }

// Weighted sets the weight of this cut's sums in the cutflow and of those after it, until another is set: an Expr, or
// text in the query language.
func Weighted(weight any) CutOption {
	return func(s *whereStep) {
		s.weight, s.weightErr = weightOf(weight)
		s.setsWeight = true
	}
}

func weightOf(v any) (Expr, error) {
	if text, ok := v.(string); ok {
		return Parse(text, nil)
	}
	return Lit(v), nil
}

// Where keeps the rows for which e is true.
func (f *Frame) Where(e Expr, opts ...CutOption) *Frame {
	s := &whereStep{e: e}
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	return f.with(s)
}

// Weight sets the weight of the sums of the cuts after it; the zero Expr ends weighting.
func (f *Frame) Weight(e Expr) *Frame { return f.with(&weightStep{e: e, off: e.n == nil}) }

// An Assignment is one new or replaced column.
type Assignment struct {
	Name string
	Expr Expr
}

// Assign sets a column to the value of e: in its place if there is one of that name, else at the end.
func (f *Frame) Assign(name string, e Expr) *Frame { return f.AssignAll(Assignment{name, e}) }

// AssignAll sets several columns whose expressions all see the columns as they were before.
func (f *Frame) AssignAll(columns ...Assignment) *Frame {
	return f.with(&assignStep{columns: slices.Clone(columns)})
}

// Select keeps the named columns, in that order.
func (f *Frame) Select(names ...string) *Frame {
	return f.with(&selectStep{names: slices.Clone(names)})
}

// Drop removes the named columns.
func (f *Frame) Drop(names ...string) *Frame { return f.with(&dropStep{names: slices.Clone(names)}) }

// Rename renames columns, all at once, so that two can swap their names; they keep their places.
func (f *Frame) Rename(names map[string]string) *Frame {
	return f.with(&renameStep{names: maps.Clone(names)})
}

// Cast converts columns to other dtypes as NumPy's astype does.
func (f *Frame) Cast(types map[string]colstore.DType) *Frame { return f.CastWith(types, ops.CastPlain) }

// CastWith is [Frame.Cast] in a mode: NaN becomes 0, false or "", or what does not come back is an error.
func (f *Frame) CastWith(types map[string]colstore.DType, mode ops.CastMode) *Frame {
	return f.with(&castStep{types: maps.Clone(types), mode: mode})
}

// Fill replaces NaN and NaT in columns of floats and times by a value, which is what [Lit] takes.
func (f *Frame) Fill(values map[string]any) *Frame {
	return f.with(&fillStep{values: maps.Clone(values)})
}
