package frame

import (
	"maps"
	"slices"

	"github.com/colstore/colstore-go"
)

// SourceColumns returns which of a source's columns the frame needs, in the source's order: those that reach an output, a
// cut or a weight. It works on names alone, so that a file need not find out the types of columns nobody asks for.
//
// Errors: the name errors that binding would give.
func (f *Frame) SourceColumns(names []string) ([]string, error) {
	s, err := f.scope(names)
	if err != nil {
		return nil, err
	}
	for _, n := range s.order {
		maps.Copy(s.needed, s.uses[n])
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, ok := s.needed[n]; return !ok }), nil
}

// OutputColumns returns the columns that the steps make of a source's columns, in order, by their names alone.
//
// Errors: the name errors that binding would give.
func (f *Frame) OutputColumns(names []string) ([]string, error) {
	s, err := f.scope(names)
	if err != nil {
		return nil, err
	}
	return s.order, nil
}

// scope runs the steps over names.
func (f *Frame) scope(names []string) (*nameScope, error) {
	if f.err != nil {
		return nil, f.err
	}
	s := &nameScope{uses: map[string]nameSet{}, order: slices.Clone(names), needed: nameSet{}}
	for _, n := range names {
		s.uses[n] = nameSet{n: {}}
	}
	for i, st := range f.steps() {
		if err := st.reads(s); err != nil {
			return nil, atStep(err, i, slices.Clone(s.order))
		}
	}
	return s, nil
}

type nameSet map[string]struct{}

// nameScope is what is known of columns without types: their order, and which source columns each is made of.
type nameScope struct {
	order  []string
	uses   map[string]nameSet
	needed nameSet // by cuts and weights
}

// expr returns the source columns that an expression is made of.
func (s *nameScope) expr(n *node) (nameSet, error) {
	out := nameSet{}
	return out, s.collect(n, out)
}

func (s *nameScope) collect(n *node, out nameSet) error {
	if n.kind == nodeColumn {
		use, ok := s.uses[n.name]
		if !ok && n.lit == nil {
			return noColumnIn(n, s.order)
		}
		maps.Copy(out, use)
	}
	for _, a := range n.args {
		if err := s.collect(a, out); err != nil {
			return err
		}
	}
	return nil
}

// need marks what a cut or weight is made of.
func (s *nameScope) need(e Expr) error {
	use, err := s.expr(e.n)
	maps.Copy(s.needed, use)
	return err
}

func (s *nameScope) set(name string, use nameSet) {
	if _, ok := s.uses[name]; !ok {
		s.order = append(s.order, name)
	}
	s.uses[name] = use
}

func (s *nameScope) known(step string, names []string) error {
	for _, n := range names {
		if _, ok := s.uses[n]; !ok {
			return stepError(step, colstore.NoColumn(n, s.order))
		}
	}
	return nil
}

func (s *nameScope) keep(names []string) {
	uses := make(map[string]nameSet, len(names))
	for _, n := range names {
		uses[n] = s.uses[n]
	}
	s.order, s.uses = slices.Clone(names), uses
}

func (s *whereStep) reads(n *nameScope) error {
	if s.setsWeight {
		if err := n.need(s.weight); err != nil {
			return err
		}
	}
	return n.need(s.e)
}

func (s *weightStep) reads(n *nameScope) error {
	if s.off {
		return nil
	}
	return n.need(s.e)
}

func (s *assignStep) reads(n *nameScope) error {
	uses := make([]nameSet, len(s.columns))
	for i, c := range s.columns {
		use, err := n.expr(c.Expr.n)
		if err != nil {
			return s.explain(err)
		}
		uses[i] = use
	}
	for i, c := range s.columns {
		n.set(c.Name, uses[i])
	}
	return nil
}

func (s *selectStep) reads(n *nameScope) error {
	if err := n.known("select", s.names); err != nil {
		return err
	}
	n.keep(s.names)
	return nil
}

func (s *dropStep) reads(n *nameScope) error {
	if err := n.known("drop", s.names); err != nil {
		return err
	}
	n.keep(slices.DeleteFunc(slices.Clone(n.order), func(name string) bool { return slices.Contains(s.names, name) }))
	return nil
}

func (s *renameStep) reads(n *nameScope) error {
	if err := n.known("rename", slices.Sorted(maps.Keys(s.names))); err != nil {
		return err
	}
	order, err := s.renamed(n.order)
	if err != nil {
		return err
	}
	uses := make(map[string]nameSet, len(n.uses))
	for i, name := range n.order {
		uses[order[i]] = n.uses[name]
	}
	n.order, n.uses = order, uses
	return nil
}

func (s *castStep) reads(n *nameScope) error {
	return n.known("cast", slices.Sorted(maps.Keys(s.types)))
}

func (s *fillStep) reads(n *nameScope) error {
	return n.known("fill", slices.Sorted(maps.Keys(s.values)))
}
