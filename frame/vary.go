package frame

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// Vary declares a systematic variation: the frame as it would be if column had another value from here on, called
// name_up with the value of up and name_down with that of down; the zero Expr leaves one out. The expressions see the
// columns at this step. The frame itself, the nominal one, does not change; [Frame.Variations] gives the others, and
// [Frame.Cutflows] and [Frame.VariedBatches] all of them in one pass.
//
// Errors: colstore.ErrNoColumn, colstore.ErrDuplicate for a name that is taken.
func (f *Frame) Vary(name, column string, up, down Expr) *Frame {
	return f.with(&varyStep{name: name, column: column, up: up, down: down})
}

type varyStep struct {
	name, column string
	up, down     Expr
}

// varied returns the two sides of a variation that are there.
func (s *varyStep) varied() []Assignment {
	var out []Assignment
	for _, side := range []Assignment{{s.name + "_up", s.up}, {s.name + "_down", s.down}} {
		if side.Expr.n != nil {
			out = append(out, side)
		}
	}
	return out
}

func (s *varyStep) check() error {
	switch sides := s.varied(); {
	case s.name == "":
		return stepErrorf("vary", colstore.ErrValue, "the variation of column %q has no name", s.column)
	case len(sides) == 0:
		return stepErrorf("vary", colstore.ErrValue, "%s has neither an up nor a down expression", s.name)
	default:
		for _, e := range sides {
			if err := checkExpr(e.Expr, "vary "+s.name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *varyStep) reads(n *nameScope) error {
	if err := n.known("vary", []string{s.column}); err != nil {
		return err
	}
	all := maps.Clone(n.uses[s.column])
	for _, e := range s.varied() {
		use, err := n.expr(e.Expr.n)
		if err != nil {
			return err
		}
		maps.Copy(all, use)
	}
	n.set(s.column, all)
	return nil
}

func (s *varyStep) apply(b *binder) error {
	if err := b.known("vary", []string{s.column}); err != nil {
		return err
	}
	if b.varies[s.name] {
		return stepErrorf("vary", colstore.ErrDuplicate, "two variations are called %q", s.name)
	}
	b.varies[s.name] = true
	for _, e := range s.varied() {
		if _, err := b.value(e.Expr); err != nil {
			return err
		}
	}
	return nil
}

func (s *varyStep) text() string {
	var sides []string
	for _, e := range s.varied() {
		sides = append(sides, e.Name[len(s.name)+1:]+" "+e.Expr.String())
	}
	return "vary " + Col(s.column).String() + " as " + s.name + ": " + strings.Join(sides, "; ")
}

// A Variation is a frame and what it is called: "nominal", or a variation with its side, "jes_up".
type Variation struct {
	Name  string
	Frame *Frame
}

// Variations returns the nominal frame and those of its variations, in the order declared, up before down. Each has one
// column replaced where its variation was declared, and is nominal else.
func (f *Frame) Variations() []Variation {
	out := []Variation{{"nominal", f.varying(nil, "", Expr{})}}
	for _, s := range f.steps() {
		if v, ok := s.(*varyStep); ok {
			for _, side := range v.varied() {
				out = append(out, Variation{side.Name, f.varying(v, v.column, side.Expr)})
			}
		}
	}
	return out
}

// varying returns the steps without variations, but for one, which sets its column to e.
func (f *Frame) varying(vary *varyStep, column string, e Expr) *Frame {
	g := &Frame{src: f.src, names: f.names, err: f.err}
	for _, s := range f.steps() {
		if v, ok := s.(*varyStep); ok {
			if v != vary {
				continue
			}
			s = &assignStep{columns: []Assignment{{column, e}}}
		}
		g = &Frame{parent: g, step: s, src: f.src, names: f.names, err: f.err}
	}
	return g
}

// A NamedCutflow is the cutflow of a variation.
type NamedCutflow struct {
	Name    string
	Cutflow *Cutflow
}

// MarshalJSON writes name, cutflow, and n_minus_one if there is that table.
func (n NamedCutflow) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name      string   `json:"name"`
		Cutflow   *Cutflow `json:"cutflow"`
		NMinusOne *Cutflow `json:"n_minus_one,omitempty"`
	}{n.Name, n.Cutflow, n.Cutflow.NMinusOne})
}

// BindVariations binds the frame and its variations over its source, in the order of [Frame.Variations].
//
// Errors: those of [Frame.Bind]; a frame with a limit, which would end each variation at another row.
func (f *Frame) BindVariations() (*Set, []Variation, error) {
	switch {
	case f.err != nil:
		return nil, nil, f.err
	case f.src == nil:
		return nil, nil, errUnbound
	case f.Limited():
		return nil, nil, stepErrorf("vary", colstore.ErrValue, "a limit would end each variation at another row; take it out, or put the rows into a file first")
	}
	all := f.Variations()
	frames := make([]*Frame, len(all))
	for i, v := range all {
		frames[i] = v.Frame
	}
	set, err := BindSet(f.src.Schema(), frames...)
	return set, all, err
}

// Cutflows returns the cutflow of the frame and of each of its variations, from one pass over the source. They have the
// bits that the report of each frame alone has.
func (f *Frame) Cutflows(ctx context.Context) ([]NamedCutflow, error) {
	set, all, err := f.Select().BindVariations()
	if err != nil {
		return nil, err
	}
	tallies := set.NewTallies(0)
	for batches, err := range f.variedOver(ctx, set, 0, tallies) {
		if err != nil {
			return nil, err
		}
		releaseAll(batches)
	}
	return set.Cutflows(all, tallies), nil
}

// Cutflows returns the counts of tallies of all frames, under the names of variations. It panics if there are not as many of
// each.
func (s *Set) Cutflows(all []Variation, tallies []*Tally) []NamedCutflow {
	out := make([]NamedCutflow, len(all))
	for i, v := range all {
		out[i] = NamedCutflow{v.Name, s.Cutflow(i, tallies[i])}
	}
	return out
}

// VariedBatches yields for each batch of at most rows rows of the source the surviving rows of the frame and of each of
// its variations, in the order of [Frame.Variations], from one pass. Batches may be empty; all are valid until the loop
// body ends. rows of 0 is the source's choice. Rows that statistics exclude for all of them are left out, as by
// [Frame.Batches].
func (f *Frame) VariedBatches(ctx context.Context, rows int) iter.Seq2[[]*colstore.Batch, error] {
	return func(yield func([]*colstore.Batch, error) bool) {
		set, _, err := f.BindVariations()
		if err != nil {
			yield(nil, err)
			return
		}
		for batches, err := range f.variedOver(ctx, set, rows, nil) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !lendAll(batches, yield) {
				return
			}
		}
	}
}

func lendAll(batches []*colstore.Batch, yield func([]*colstore.Batch, error) bool) bool {
	defer releaseAll(batches)
	return yield(batches, nil)
}

func releaseAll(batches []*colstore.Batch) {
	for _, b := range batches {
		b.Release()
	}
}

// variedOver yields what a set makes of every batch of the source; the loop body releases it.
func (f *Frame) variedOver(ctx context.Context, set *Set, rows int, tallies []*Tally) iter.Seq2[[]*colstore.Batch, error] {
	return func(yield func([]*colstore.Batch, error) bool) {
		skip := set.Skipper(tallies != nil)
		for in, err := range f.src.Scan(ctx, colstore.Scan{Columns: set.Inputs(), BatchRows: rows, Skip: skip}) {
			var out []*colstore.Batch
			if err == nil {
				err = fault.Guard(func() (err error) {
					out, err = set.Eval(ctx, in, nil, tallies)
					return err
				})
			}
			if !yield(out, colstore.Locate(f.src, err)) || err != nil {
				return
			}
		}
		skip.AddTo(tallies...)
	}
}
