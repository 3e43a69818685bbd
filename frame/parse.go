package frame

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/query"
	"github.com/colstore/colstore-go/ops"
)

// Params are the values of @name in a query: what [Lit] takes, and slices of that beside "in". They are never taken from
// anywhere else, and a name that no query uses is fine.
type Params map[string]any

// Parse reads an expression in the query language: a value or a condition, one grammar. Names are resolved when a frame
// uses it.
//
// Errors: *QueryError for the syntax, an unknown parameter, or one of a type that has no place there.
func Parse(text string, params Params) (Expr, error) {
	tree, err := query.Parse(text)
	if err != nil {
		if e, ok := errors.AsType[*query.Error](err); ok {
			return Expr{}, &QueryError{Text: e.Text, Offset: e.Offset, End: e.End, Msg: e.Msg, Err: colstore.ErrValue}
		}
		return Expr{}, err
	}
	c := converter{text: text, params: params}
	n, err := c.node(tree)
	if err != nil {
		return Expr{}, err
	}
	return Expr{n}, nil
}

// MustParse is [Parse] without parameters for examples, tests and package variables: it panics on an error.
func MustParse(text string) Expr {
	e, err := Parse(text, nil)
	if err != nil {
		panic(err)
	}
	return e
}

// converter turns a syntax tree into expression nodes.
type converter struct {
	text   string
	params Params
}

// at returns a node with the place of a syntax node.
func (c *converter) at(q query.Node, n node) *node {
	n.text = c.text
	n.begin, n.end = q.Span()
	return &n
}

func (c *converter) node(q query.Node) (*node, error) {
	switch q := q.(type) {
	case *query.Name:
		if !q.Quoted && (q.Name == "true" || q.Name == "false") {
			// A column of that name wins; which there are is known at binding.
			return c.at(q, node{kind: nodeColumn, name: q.Name, lit: q.Name == "true"}), nil
		}
		return c.at(q, node{kind: nodeColumn, name: q.Name}), nil
	case *query.Param:
		return c.param(q)
	case *query.Int:
		return c.at(q, node{kind: nodeLiteral, lit: q.Value}), nil
	case *query.Float:
		return c.at(q, node{kind: nodeLiteral, lit: q.Value}), nil
	case *query.Text:
		return c.at(q, node{kind: nodeLiteral, lit: q.Value}), nil
	case *query.Bytes:
		return c.at(q, node{kind: nodeLiteral, lit: q.Value}), nil
	case *query.Bool:
		return c.at(q, node{kind: nodeLiteral, lit: q.Value}), nil
	case *query.None:
		return c.at(q, node{kind: nodeLiteral, lit: ops.None{}}), nil
	case *query.Unary:
		return c.call(q, unaryNames[q.Op], q.X)
	case *query.Binary:
		return c.call(q, binaryNames[q.Op], q.X, q.Y)
	case *query.Not:
		return c.call(q, "logical_not", q.X)
	case *query.BoolOp:
		name := "logical_and"
		if q.Op == query.Or {
			name = "logical_or"
		}
		return c.fold(q, name, q.Items)
	case *query.Compare:
		return c.compare(q)
	case *query.Call:
		return c.function(q)
	case *query.List:
		return c.list(q, q.Items)
	case *query.Tuple:
		return c.list(q, q.Items)
	}
	return nil, c.at(q, node{}).fail(colstore.ErrType, "... has no value to compute with")
}

var unaryNames = [...]string{query.Plus: "positive", query.Minus: "negative", query.Invert: "invert"}

var binaryNames = [...]string{
	query.Add: "add", query.Sub: "subtract", query.Mul: "multiply", query.Div: "divide", query.FloorDiv: "floor_divide",
	query.Mod: "remainder", query.Pow: "power", query.BitAnd: "bitwise_and", query.BitOr: "bitwise_or", query.BitXor: "bitwise_xor",
}

var compareNames = [...]string{
	query.Less: "less", query.LessEqual: "less_equal", query.Greater: "greater", query.GreaterEqual: "greater_equal",
	query.Equal: "equal", query.NotEqual: "not_equal",
}

func (c *converter) call(q query.Node, name string, args ...query.Node) (*node, error) {
	n := c.at(q, node{kind: nodeCall, name: name})
	for _, a := range args {
		x, err := c.node(a)
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, x)
	}
	return n, nil
}

// fold joins conditions from the left.
func (c *converter) fold(q query.Node, name string, items []query.Node) (*node, error) {
	var all *node
	for _, item := range items {
		x, err := c.node(item)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = x
			continue
		}
		all = c.at(q, node{kind: nodeCall, name: name, args: []*node{all, x}})
	}
	return all, nil
}

// compare turns a chain a < b < c into (a < b) and (b < c), where b is one node.
func (c *converter) compare(q *query.Compare) (*node, error) {
	left, err := c.node(q.First)
	if err != nil {
		return nil, err
	}
	var all *node
	for i, op := range q.Ops {
		right, err := c.node(q.Rest[i])
		if err != nil {
			return nil, err
		}
		var one *node
		if op == query.In || op == query.NotIn {
			if one, err = c.member(q, left, right, op == query.NotIn); err != nil {
				return nil, err
			}
		} else {
			one = c.at(q, node{kind: nodeCall, name: compareNames[op], args: []*node{left, right}})
		}
		if all == nil {
			all = one
		} else {
			all = c.at(q, node{kind: nodeCall, name: "logical_and", args: []*node{all, one}})
		}
		left = right
	}
	return all, nil
}

// member turns "x in list"; a single value is a list of one.
func (c *converter) member(q query.Node, left, list *node, negate bool) (*node, error) {
	if !left.hasColumn(anyName) {
		return nil, left.fail(colstore.ErrType, "the left of in has no column; write column in [values]")
	}
	n := c.at(q, node{kind: nodeMember, args: []*node{left}})
	switch {
	case list.kind == nodeList:
		n.members = list.members
	case list.kind == nodeScalar:
		n.members = []any{list.scalar}
	default:
		lit, err := constant(list)
		if err != nil {
			return nil, err
		}
		n.members = []any{lit}
	}
	if negate {
		return c.at(q, node{kind: nodeCall, name: "logical_not", args: []*node{n}}), nil
	}
	return n, nil
}

// constant returns the literal that a node without columns folds to.
func constant(n *node) (any, error) {
	switch n.kind {
	case nodeLiteral:
		return n.lit, nil
	case nodeScalar:
		return n.scalar, nil
	case nodeCall:
		args := make([]any, len(n.args))
		for i, a := range n.args {
			v, err := constant(a)
			if err != nil {
				return nil, err
			}
			args[i] = v
		}
		if len(args) > 0 {
			v, ok, err := ops.Fold(n.name, args...)
			if err != nil {
				return nil, n.wrap(err)
			}
			if ok {
				return v, nil
			}
		}
	}
	return nil, n.fail(colstore.ErrType, "the members of a list are constants")
}

// list reads the members of a list or tuple; lists inside it flatten.
func (c *converter) list(q query.Node, items []query.Node) (*node, error) {
	n := c.at(q, node{kind: nodeList})
	for _, item := range items {
		x, err := c.node(item)
		if err != nil {
			return nil, err
		}
		if x.kind == nodeList {
			n.members = append(n.members, x.members...)
			continue
		}
		v, err := constant(x)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, v)
	}
	return n, nil
}

// param replaces a parameter by its value.
func (c *converter) param(q *query.Param) (*node, error) {
	v, ok := c.params[q.Name]
	if !ok {
		names := slices.Sorted(maps.Keys(c.params))
		return nil, c.at(q, node{}).fail(colstore.ErrValue, "no parameter %q%s", q.Name, colstore.Suggest(q.Name, names))
	}
	if r := reflect.ValueOf(v); r.IsValid() && (r.Kind() == reflect.Slice && r.Type() != reflect.TypeFor[[]byte]() || r.Kind() == reflect.Array) {
		m, err := members(v)
		if err != nil {
			return nil, c.at(q, node{}).wrap(err)
		}
		return c.at(q, node{kind: nodeList, members: m}), nil
	}
	n := Lit(v).n
	if n.kind == nodeBad {
		return nil, c.at(q, node{}).fail(colstore.ErrType, "parameter %q: %v", q.Name, n.err)
	}
	if n.text != "" || n.kind == nodeColumn || n.kind == nodeCall || n.kind == nodeMember {
		return n, nil // an expression keeps its own place
	}
	return c.at(q, *n), nil
}

// function checks that a called name is one, so that a typing error is told apart from a missing column.
func (c *converter) function(q *query.Call) (*node, error) {
	name := c.at(q, node{})
	name.begin, name.end = q.FuncSpan.Begin, q.FuncSpan.End
	if s, ok := specials()[q.Func]; ok {
		if len(q.Args) != s.args {
			return nil, name.fail(colstore.ErrValue, "%s takes %s, not %s", q.Func, s.takes, arity(len(q.Args), len(q.Args)))
		}
		return s.build(c, q)
	}
	f, ok := ops.Lookup(q.Func)
	if !ok {
		return nil, noFunction(name, q.Func)
	}
	if err := c.at(q, node{}).checkArity(f, q.Func, len(q.Args)); err != nil {
		return nil, err
	}
	return c.call(q, f.Name, q.Args...)
}
