package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// Apply sets the columns that an operator makes of whole batches, as [Frame.Assign] sets columns: in their place, or at
// the end. The operator sees the columns as the steps before left them, and every row of the source: like a cut, it is not
// protected by the cuts before it. It runs only if something needs what it makes.
//
// Errors: colstore.ErrNoColumn for a column that it takes; when it runs, an error, a panic, or a result that is not what
// its Schema said, named with the operator.
func (f *Frame) Apply(op ops.BatchOp) *Frame {
	s := &applyStep{op: op}
	if op != nil {
		s.in, s.out = op.Columns()
	}
	return f.with(s)
}

type applyStep struct {
	op      ops.BatchOp
	in, out []string // in is nil for all columns
}

func (s *applyStep) name() string { return "apply " + s.op.Name() }

func (s *applyStep) check() error {
	switch {
	case s.op == nil:
		return stepErrorf("apply", colstore.ErrValue, "there is no operator")
	case len(s.out) == 0:
		return stepErrorf(s.name(), colstore.ErrValue, "it makes no column")
	}
	if err := duplicates(s.name(), s.in); err != nil {
		return err
	}
	return duplicates(s.name(), s.out)
}

func (s *applyStep) text() string {
	in := "all columns"
	if s.in != nil {
		in = nameList(s.in)
	}
	return s.name() + " to " + in + ", which makes " + nameList(s.out)
}

// takes returns the names of the columns that the operator takes, of those there are.
func (s *applyStep) takes(all []string) []string {
	if s.in == nil {
		return slices.Clone(all)
	}
	return s.in
}

func (s *applyStep) reads(n *nameScope) error {
	in := s.takes(n.order)
	if err := n.known(s.name(), in); err != nil {
		return err
	}
	all := nameSet{}
	for _, name := range in {
		for c := range n.uses[name] {
			all[c] = struct{}{}
		}
	}
	for _, name := range s.out {
		n.set(name, all)
	}
	return nil
}

func (s *applyStep) apply(b *binder) error {
	names := s.takes(b.names())
	if err := b.known(s.name(), names); err != nil {
		return err
	}
	args := make([]int, len(names))
	fields := make([]colstore.Field, len(names))
	unknown := false
	for i, name := range names {
		args[i] = b.g.asColumn(b.columns[b.index(name)].id)
		unknown = unknown || b.g.isUnknown(args[i])
		fields[i] = colstore.Field{Name: name, Type: b.g.nodes[args[i]].typ}
	}
	if unknown { // then nothing needs what it makes
		for _, name := range s.out {
			b.set(name, b.g.unknown())
		}
		return nil
	}
	in, err := colstore.NewSchema(fields...)
	if err != nil {
		return stepError(s.name(), err)
	}
	out, err := s.schema(in)
	if err != nil {
		return stepError(s.name(), err)
	}
	for i, id := range b.g.made(s, in, out, args) {
		b.set(s.out[i], id)
	}
	return nil
}

// schema asks the operator what it makes, and holds it to the names it told.
func (s *applyStep) schema(in *colstore.Schema) (*colstore.Schema, error) {
	out, err := s.op.Schema(in)
	if err != nil {
		return nil, err
	}
	if out == nil || !slices.Equal(out.Names(), s.out) {
		return nil, fmt.Errorf("%w: it makes %s, and its schema is %v", colstore.ErrMismatch, strings.Join(s.out, ", "), out)
	}
	for _, f := range out.All() {
		if f.Type != f.Type.Native() {
			return nil, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: %s is not in native byte order", colstore.ErrType, f.Type)}
		}
	}
	return out, nil
}

// applied is an operator at some columns.
type applied struct {
	step    *applyStep
	in, out *colstore.Schema
	args    []int
}

// made returns the nodes of the columns that an operator makes: those of the same step at the same arguments, if there
// are some.
func (g *graph) made(s *applyStep, in, out *colstore.Schema, args []int) []int {
	at := slices.IndexFunc(g.applied, func(a *applied) bool { return a.step == s && slices.Equal(a.args, args) })
	if at < 0 {
		at = len(g.applied)
		g.applied = append(g.applied, &applied{s, in, out, args})
	}
	ids := make([]int, out.Len())
	for i, f := range out.All() {
		ids[i] = g.add(fmt.Sprintf("made %d %d", at, i), gnode{op: gMade, typ: f.Type, applied: at, input: i, args: args})
	}
	return ids
}

// An applier runs one operator before the chunks of a batch.
type applier struct {
	*applied
	args *Program // computes what it takes
}

// madeInput is an input of a program that an applier makes, behind the columns of the source.
type madeInput struct{ applier, column int }

// appliers compiles the operators that live nodes need, in an order in which each finds what it takes. numbers maps those
// of the graph to those of the program.
func (c *compiler) appliers(live []bool, s *colstore.Schema) ([]applier, error) {
	var out []applier
	needed := make([]bool, len(c.g.applied))
	for id, n := range c.g.nodes {
		if live[id] && n.op == gMade {
			needed[n.applied] = true
		}
	}
	for i, a := range c.g.applied {
		if !needed[i] {
			continue
		}
		b := &binder{g: c.g}
		for j, id := range a.args {
			b.columns = append(b.columns, binding{a.in.Field(j).Name, id})
		}
		programs, err := compileWith(s, out, c.appliedAt, b)
		if err != nil {
			return nil, err
		}
		c.appliedAt[i] = len(out)
		out = append(out, applier{a, programs[0]})
	}
	return out, nil
}

// run applies the operator to the rows of a batch. before are the results of the appliers before it.
//
// Memory: the result is the caller's to release.
func (a *applier) run(ctx context.Context, in *colstore.Batch, mem colstore.Allocator, before []*colstore.Batch) (*colstore.Batch, error) {
	args, err := evaluateWith(ctx, []*Program{a.args}, in, mem, nil, before)
	if err != nil {
		return nil, err
	}
	defer args[0].Release()
	fail := func(err error) (*colstore.Batch, error) {
		return nil, &colstore.Error{Op: a.step.name(), Err: err}
	}
	out, err := a.guarded(ctx, args[0], mem)
	switch {
	case err != nil:
		return fail(err)
	case out == nil:
		return fail(fmt.Errorf("%w: it gave no batch", colstore.ErrMismatch))
	case out.Rows() != in.Rows():
		err = fmt.Errorf("%w: it gave %d rows for %d", colstore.ErrMismatch, out.Rows(), in.Rows())
	case !out.Schema().Equal(a.out):
		err = fmt.Errorf("%w: it gave %s, its schema says %s", colstore.ErrMismatch, out.Schema(), a.out)
	default:
		return out, nil
	}
	out.Release()
	return fail(err)
}

var errPanic = errors.New("panic")

// guarded calls the operator and turns a panic of it into an error; a fault on mapped memory stays one, for whoever
// guards against that.
func (a *applier) guarded(ctx context.Context, in *colstore.Batch, mem colstore.Allocator) (out *colstore.Batch, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			panic(r)
		default:
			out, err = nil, fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	return a.step.op.Apply(ctx, in, mem)
}

// appliedBytes returns what the appliers hold per row of a batch.
func (l *layout) appliedBytes() int {
	n := 0
	for _, a := range l.appliers {
		n += a.args.RowBytes() + a.out.RowBytes()
	}
	return n
}
