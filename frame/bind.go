package frame

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// Bind checks the steps against the columns of a source and returns the program that runs them. Nothing is read.
//
// Errors: *QueryError for expressions, *StepError for the other steps; the first one. A frame with a limit has no program
// of its own: see [Frame.Resolve].
func (f *Frame) Bind(s *colstore.Schema) (*Program, error) {
	set, err := BindSet(s, f)
	if err != nil {
		return nil, err
	}
	return set.programs[0], nil
}

// bound runs the steps over the columns of a source.
func (f *Frame) bound(s *colstore.Schema) (*binder, error) {
	return f.boundIn(&graph{ids: map[string]int{}}, s)
}

// boundIn runs the steps over the columns of a source, with what they compute as nodes of a graph.
func (f *Frame) boundIn(g *graph, s *colstore.Schema) (*binder, error) {
	switch {
	case f == nil:
		return nil, errNoFrame
	case f.err != nil:
		return nil, f.err
	}
	b := &binder{g: g, weight: none, varies: map[string]bool{}}
	names := f.names
	if names == nil {
		names = s.Names()
	}
	for _, n := range names {
		id := b.g.unknown()
		if i, ok := s.Index(n); ok {
			id = b.g.input(i, s.Field(i).Type)
		}
		b.columns = append(b.columns, binding{n, id})
	}
	for i, st := range f.steps() {
		if err := st.apply(b); err != nil {
			return nil, atStep(err, i, b.names())
		}
	}
	return b, nil
}

// binding is a column of the frame at some step: its name and the node it is.
type binding struct {
	name string
	id   int
}

// cut is a where, bound.
type cut struct {
	label  string
	pred   int  // bits
	weight int  // a float64 column, or none
	silent bool // of a sample: it is not counted
}

// binder is the state of binding: the columns as the steps so far left them.
type binder struct {
	g       *graph
	columns []binding
	cuts    []cut
	weight  int
	minus   bool            // an N−1 table is wanted
	split   bool            // the columns are to use nothing that the cuts compute
	varies  map[string]bool // variations by name
}

func (b *binder) index(name string) int {
	return slices.IndexFunc(b.columns, func(c binding) bool { return c.name == name })
}

func (b *binder) names() []string {
	out := make([]string, len(b.columns))
	for i, c := range b.columns {
		out[i] = c.name
	}
	return out
}

// known checks that columns are there.
func (b *binder) known(step string, names []string) error {
	for _, n := range names {
		if b.index(n) < 0 {
			return stepError(step, colstore.NoColumn(n, b.names()))
		}
	}
	return nil
}

// set gives a column a value: in its place, or at the end.
func (b *binder) set(name string, id int) {
	b.columns = slices.Clone(b.columns)
	if i := b.index(name); i >= 0 {
		b.columns[i].id = id
		return
	}
	b.columns = append(b.columns, binding{name, id})
}

// operand is a bound expression: a node, or the value of a literal that has no dtype yet.
type operand struct {
	id  int
	lit any
}

func (b *binder) typed(o operand) ops.Operand {
	if o.lit != nil {
		return ops.Operand{Lit: o.lit}
	}
	return ops.Typed(b.g.nodes[o.id].typ)
}

// expr binds an expression.
func (b *binder) expr(n *node) (operand, error) {
	switch n.kind {
	case nodeColumn:
		if i := b.index(n.name); i >= 0 {
			return operand{id: b.columns[i].id}, nil
		}
		if n.lit != nil { // true or false where no column has that name
			return operand{lit: n.lit}, nil
		}
		return operand{}, noColumnIn(n, b.names())
	case nodeRow:
		return operand{id: b.g.row()}, nil
	case nodeLiteral:
		return operand{lit: n.lit}, nil
	case nodeScalar:
		return operand{id: b.g.constant(n.scalar)}, nil
	case nodeMember:
		return b.member(n)
	case nodeCall:
		if to, ok := n.lit.(castTo); ok {
			x, err := b.column(n.args[0])
			if err != nil {
				return operand{}, err
			}
			id, err := b.cast(x, to.t, to.mode, n)
			if err != nil {
				return operand{}, n.wrap(err)
			}
			return operand{id: id}, nil
		}
		return b.call(n)
	}
	return operand{}, n.wrap(n.err)
}

// column binds an expression to a node; a literal gets its default dtype.
func (b *binder) column(n *node) (int, error) {
	o, err := b.expr(n)
	if err != nil {
		return none, err
	}
	if o.lit == nil {
		return o.id, nil
	}
	id, err := b.literal(o.lit)
	if err != nil {
		return none, n.wrap(err)
	}
	return id, nil
}

// literal returns a literal that meets nothing as a constant of its default dtype.
func (b *binder) literal(lit any) (int, error) {
	t, err := ops.Operand{Lit: lit}.DefaultType()
	if err != nil {
		return none, err
	}
	v, err := ops.Constant(lit, t)
	if err != nil {
		return none, err
	}
	return b.g.constant(v), nil
}

// value binds the expression of a column.
func (b *binder) value(e Expr) (int, error) { return b.column(e.n) }

// condition binds a predicate to bits.
func (b *binder) condition(e Expr) (int, error) {
	if !e.n.hasColumn(func(name string) bool { return b.index(name) >= 0 }) {
		return none, noColumnAtAll(e.n)
	}
	id, err := b.column(e.n)
	if err != nil {
		return none, err
	}
	if t := b.g.nodes[id].typ; t != colstore.Bool {
		return none, e.n.fail(colstore.ErrType, "the condition is %s, not bool; compare it with something", t.Name())
	}
	bits, err := b.g.asBits(id)
	if err != nil {
		return none, e.n.wrap(err)
	}
	return bits, nil
}

// setWeight binds the weight of the cuts that follow.
func (b *binder) setWeight(e Expr) error {
	id, err := b.column(e.n)
	if err != nil {
		return err
	}
	t := b.g.nodes[id].typ
	if !t.IsNumber() || t == colstore.Bool {
		return e.n.fail(colstore.ErrType, "a weight is a number, this is %s", t.Name())
	}
	b.weight, err = b.g.convert(id, colstore.Float64)
	if err != nil {
		return e.n.wrap(err)
	}
	return nil
}

// cast converts a node.
func (b *binder) cast(id int, t colstore.DType, mode ops.CastMode, origin *node) (int, error) {
	id = b.g.asColumn(id)
	if b.g.isUnknown(id) {
		return id, nil
	}
	from := b.g.nodes[id].typ
	t = ops.CastType(from, t)
	if from == t {
		return id, nil
	}
	k, fallible, err := ops.CastWith(from, t, mode)
	if err != nil {
		return none, err
	}
	to, err := b.g.compute(fmt.Sprintf("cast %d", mode), k, t, []int{id}, fallible, origin)
	return b.g.ranged(to, ops.Overload{Kernel: k, KernelRange: ops.CastRange(from, t, mode)}), err
}

// member binds "x in members".
func (b *binder) member(n *node) (operand, error) {
	x, err := b.expr(n.args[0])
	if err != nil {
		return operand{}, err
	}
	if x.lit == nil && b.g.isUnknown(x.id) {
		return x, nil
	}
	o, err := ops.Member(b.typed(x), n.members)
	if err != nil {
		return operand{}, n.wrap(err)
	}
	return b.overload(n, fmt.Sprintf("member %#v", memberKey(n.members)), o, []operand{x})
}

// memberKey prints members so that equal lists are equal text.
func memberKey(members []any) []string {
	out := make([]string, len(members))
	for i, m := range members {
		if s, ok := m.(colstore.Scalar); ok {
			out[i] = fmt.Sprintf("%s %x", s.Type(), s.Cell().At(0))
			continue
		}
		out[i] = fmt.Sprintf("%T %v", m, m)
	}
	return out
}

// call binds a function.
func (b *binder) call(n *node) (operand, error) {
	f, ok := n.function()
	if _, method := specials()[n.name]; method && n.fn == nil {
		return operand{}, n.fail(colstore.ErrValue, "from Go, %s is a method of Expr: Cast, Clip, IsIn", n.name)
	}
	if !ok {
		return operand{}, noFunction(n, n.name)
	}
	if err := n.checkArity(f, n.name, len(n.args)); err != nil {
		return operand{}, err
	}
	args := make([]operand, len(n.args))
	lits := make([]any, len(n.args))
	types := make([]ops.Operand, len(n.args))
	constant, unknown := true, false
	for i, a := range n.args {
		x, err := b.expr(a)
		if err != nil {
			return operand{}, err
		}
		args[i], types[i], lits[i] = x, b.typed(x), x.lit
		constant = constant && x.lit != nil
		unknown = unknown || x.lit == nil && b.g.isUnknown(x.id)
	}
	if unknown {
		return operand{id: b.g.unknown()}, nil
	}
	if constant && n.fn == nil {
		lit, ok, err := ops.Fold(f.Name, lits...)
		if err != nil {
			return operand{}, n.wrap(err)
		}
		if ok {
			return operand{lit: lit}, nil
		}
	}
	o, err := f.Resolve(types)
	if err != nil {
		return operand{}, n.wrap(err)
	}
	name := f.Name
	if n.fn != nil {
		name = fmt.Sprintf("%s %p", n.name, n.fn)
	}
	return b.overload(n, name, o, args)
}

// overload adds the node of a resolved function: its arguments converted, then what computes it.
func (b *binder) overload(n *node, name string, o ops.Overload, operands []operand) (operand, error) {
	use := o.Use
	if use == nil {
		for i := range operands {
			use = append(use, i)
		}
	} else {
		// What is not passed chose the kernel, so it tells calls apart: x ** 2 is not x ** x.
		name = fmt.Sprintf("%s %v", name, use)
		for i, x := range operands {
			if !slices.Contains(use, i) {
				name = fmt.Sprintf("%s %d=%T %v", name, i, x.lit, x.lit)
			}
		}
	}
	args := make([]int, len(use))
	for i, u := range use {
		var id int
		var err error
		switch x := operands[u]; {
		case o.Logic != ops.NoLogic:
			id, err = b.truthOf(x)
		case x.lit != nil:
			var v colstore.Scalar
			if v, err = ops.Constant(x.lit, o.Args[i]); err == nil {
				id, err = b.g.convert(b.g.constant(v), o.Args[i])
			}
		default:
			id, err = b.g.convert(x.id, o.Args[i])
		}
		if err != nil {
			return operand{}, n.wrap(err)
		}
		args[i] = id
	}
	var id int
	var err error
	switch {
	case o.Logic != ops.NoLogic:
		id = b.g.connect(o.Logic, args)
	case o.Test != nil:
		id, err = b.g.decide(name, o.Test, args, o.Fallible, n)
	default:
		id, err = b.g.compute(name, o.Kernel, o.Result, args, o.Fallible, n)
	}
	if err != nil {
		return operand{}, n.wrap(err)
	}
	return operand{id: b.g.ranged(id, o)}, nil
}

// truthOf binds an argument of a connective to bits.
func (b *binder) truthOf(x operand) (int, error) {
	if x.lit == nil {
		return b.g.asBits(x.id)
	}
	if _, isNone := x.lit.(ops.None); isNone {
		return b.g.truth(false), nil
	}
	id, err := b.literal(x.lit)
	if err != nil {
		return none, err
	}
	return b.g.asBits(id)
}
