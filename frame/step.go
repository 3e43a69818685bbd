package frame

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// A step is one verb of a frame. check finds what is wrong whatever the columns; reads tells the names it looks up, for
// finding out which columns of a source are needed before their types are known; apply changes the binder's columns; text is
// the step as a reader would write it.
type step interface {
	check() error
	reads(s *nameScope) error
	apply(b *binder) error
	text() string
}

type whereStep struct {
	e          Expr
	label      string
	weight     Expr
	weightErr  error
	setsWeight bool
}

func (s *whereStep) check() error {
	if s.weightErr != nil {
		return s.weightErr
	}
	if err := checkExpr(s.e, "where"); err != nil {
		return err
	}
	if !s.e.n.hasColumn(anyName) {
		return noColumnAtAll(s.e.n)
	}
	if s.setsWeight {
		return checkExpr(s.weight, "weight")
	}
	return nil
}

func noColumnAtAll(n *node) error {
	return n.fail(colstore.ErrType, "the condition references no column")
}

func (s *whereStep) apply(b *binder) error {
	if s.setsWeight {
		if err := b.setWeight(s.weight); err != nil {
			return err
		}
	}
	id, err := b.condition(s.e)
	if err != nil {
		return err
	}
	b.cuts = append(b.cuts, cut{label: s.label, pred: id, weight: b.weight})
	return nil
}

type weightStep struct {
	e   Expr
	off bool
}

func (s *weightStep) check() error {
	if s.off {
		return nil
	}
	return checkExpr(s.e, "weight")
}

func (s *weightStep) apply(b *binder) error {
	if s.off {
		b.weight = none
		return nil
	}
	return b.setWeight(s.e)
}

type assignStep struct{ columns []Assignment }

func (s *assignStep) check() error {
	seen := map[string]bool{}
	for _, c := range s.columns {
		if err := checkExpr(c.Expr, "assign "+c.Name); err != nil {
			return err
		}
		if seen[c.Name] {
			return stepErrorf("assign", colstore.ErrDuplicate, "column %q is set twice", c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}

func (s *assignStep) apply(b *binder) error {
	ids := make([]int, len(s.columns))
	for i, c := range s.columns {
		id, err := b.value(c.Expr)
		if err != nil {
			return s.explain(err)
		}
		ids[i] = id
	}
	for i, c := range s.columns {
		b.set(c.Name, ids[i])
	}
	return nil
}

// explain adds to an unknown name that it is made in this same step.
func (s *assignStep) explain(err error) error {
	q, ok := errors.AsType[*QueryError](err)
	if !ok || q.Column == "" {
		return err
	}
	for _, c := range s.columns {
		if q.Column == c.Name {
			q.Msg = fmt.Sprintf("%q is made in this same assign; expressions see the columns from before the step", c.Name)
		}
	}
	return err
}

type selectStep struct{ names []string }

func (s *selectStep) check() error { return duplicates("select", s.names) }

func (s *selectStep) apply(b *binder) error {
	if err := b.known("select", s.names); err != nil {
		return err
	}
	columns := make([]binding, len(s.names))
	for i, n := range s.names {
		columns[i] = binding{n, b.columns[b.index(n)].id}
	}
	b.columns = columns
	return nil
}

type dropStep struct{ names []string }

func (s *dropStep) check() error { return duplicates("drop", s.names) }

func (s *dropStep) apply(b *binder) error {
	if err := b.known("drop", s.names); err != nil {
		return err
	}
	b.columns = slices.DeleteFunc(slices.Clone(b.columns), func(c binding) bool { return slices.Contains(s.names, c.name) })
	return nil
}

type renameStep struct{ names map[string]string }

func (s *renameStep) check() error { return nil }

func (s *renameStep) apply(b *binder) error {
	if err := b.known("rename", slices.Sorted(maps.Keys(s.names))); err != nil {
		return err
	}
	names, err := s.renamed(b.names())
	if err != nil {
		return err
	}
	columns := make([]binding, len(names))
	for i, n := range names {
		columns[i] = binding{n, b.columns[i].id}
	}
	b.columns = columns
	return nil
}

// renamed returns the names after the step.
func (s *renameStep) renamed(names []string) ([]string, error) {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if to, ok := s.names[n]; ok {
			out[i] = to
		}
	}
	seen := map[string]bool{}
	for _, n := range out {
		if seen[n] {
			return nil, stepErrorf("rename", colstore.ErrDuplicate, "two columns would be called %q", n)
		}
		seen[n] = true
	}
	return out, nil
}

type castStep struct {
	types map[string]colstore.DType
	mode  ops.CastMode
}

func (s *castStep) check() error {
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		if t := s.types[name]; !t.Valid() && !t.IsString() {
			return stepErrorf("cast", colstore.ErrType, "column %q: no such dtype", name)
		}
	}
	return nil
}

func (s *castStep) apply(b *binder) error {
	names := slices.Sorted(maps.Keys(s.types))
	if err := b.known("cast", names); err != nil {
		return err
	}
	for _, name := range names {
		from := b.columns[b.index(name)].id
		id, err := b.cast(from, s.types[name], s.mode, Col(name).n)
		if err != nil {
			return stepError("cast", &colstore.Error{Column: name, Err: err})
		}
		b.set(name, id)
	}
	return nil
}

type fillStep struct{ values map[string]any }

func (s *fillStep) check() error {
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		if err := checkExpr(Lit(s.values[name]), "fill "+name); err != nil {
			return err
		}
	}
	return nil
}

func (s *fillStep) apply(b *binder) error {
	names := slices.Sorted(maps.Keys(s.values))
	if err := b.known("fill", names); err != nil {
		return err
	}
	for _, name := range names {
		old := b.columns[b.index(name)].id
		if b.g.isUnknown(old) {
			continue
		}
		t := b.g.nodes[old].typ
		test := "isnan"
		switch {
		case t.IsTime():
			test = "isnat"
		case t.Kind() != colstore.KindFloat:
			return stepErrorf("fill", colstore.ErrType, "column %q is %s, which has no missing values (only floats and times have)", name, t.Name())
		}
		id, err := b.value(Call("where", Call(test, Col(name)), s.values[name], Col(name)))
		if err == nil && b.g.nodes[id].typ != t {
			err = fmt.Errorf("%w: the value would make it %s", colstore.ErrType, b.g.nodes[id].typ.Name())
		}
		if err != nil {
			return stepError("fill", &colstore.Error{Column: name, Err: err})
		}
		b.set(name, id)
	}
	return nil
}

// checkExpr finds what is wrong with an expression whatever the columns.
func checkExpr(e Expr, where string) error {
	if e.n == nil {
		return stepErrorf(where, colstore.ErrValue, "the expression is empty")
	}
	return checkNode(e.n)
}

func checkNode(n *node) error {
	switch n.kind {
	case nodeBad:
		return n.wrap(n.err)
	case nodeList:
		return n.fail(colstore.ErrType, "a list has a place only to the right of in")
	case nodeCall:
		if n.name == castName && n.fn == nil {
			break
		}
		f, ok := n.function()
		if !ok {
			return noFunction(n, n.name)
		}
		if err := n.checkArity(f, n.name, len(n.args)); err != nil {
			return err
		}
	}
	for _, a := range n.args {
		if err := checkNode(a); err != nil {
			return err
		}
	}
	return nil
}

func duplicates(step string, names []string) error {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return stepErrorf(step, colstore.ErrDuplicate, "column %q is named twice", n)
		}
		seen[n] = true
	}
	return nil
}
