package frame

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/query"
	"github.com/colstore/colstore-go/ops"
)

// A Function is what an expression can call, for listings.
type Function struct {
	Name    string
	Aliases []string // other names of it
	Symbol  string   // the operator it is written as, if it is one
	MinArgs int
	MaxArgs int
	Doc     string
}

// Functions returns the functions of the query language, sorted by name: those of package ops and the few that take a
// list or a dtype.
func Functions() []Function {
	second := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(ops.Aliases())) {
		full := ops.Aliases()[name]
		second[full] = append(second[full], name)
	}
	var out []Function
	for _, name := range ops.Names() {
		if f, ok := ops.Lookup(name); ok {
			symbol := f.Symbol
			if symbol == name {
				symbol = "" // a name in its messages, no operator
			}
			out = append(out, Function{name, second[name], symbol, f.MinArgs, f.MaxArgs, f.Doc})
		}
	}
	for name, s := range specials() {
		out = append(out, Function{Name: name, MinArgs: s.args, MaxArgs: s.args, Doc: s.doc})
	}
	slices.SortFunc(out, func(a, b Function) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// suggestFunction is [colstore.Suggest] for a name that is no function.
func suggestFunction(name string) string {
	choices := slices.Concat(ops.Names(), slices.Sorted(maps.Keys(ops.Aliases())), slices.Sorted(maps.Keys(specials())))
	return colstore.Suggest(name, choices)
}

// checkArity refuses a wrong number of arguments; name is what the function was called by.
func (n *node) checkArity(f *ops.Func, name string, args int) error {
	if args >= f.MinArgs && args <= f.MaxArgs {
		return nil
	}
	return n.fail(colstore.ErrValue, "%s takes %s, not %d", name, arity(f.MinArgs, f.MaxArgs), args)
}

func arity(lo, hi int) string {
	switch {
	case lo+1 == hi:
		return fmt.Sprintf("%d or %d arguments", lo, hi)
	case lo != hi:
		return fmt.Sprintf("%d to %d arguments", lo, hi)
	case lo == 1:
		return "1 argument"
	default:
		return fmt.Sprintf("%d arguments", lo)
	}
}

// A special is a function of the language that the catalogue cannot have: its arguments are no columns, or it is made of
// others.
type special struct {
	args  int
	takes string // the arguments, for a message
	doc   string
	build func(c *converter, q *query.Call) (*node, error)
}

// specials is a function because the parser, which it refers to, looks into it.
func specials() map[string]special {
	return map[string]special{
		"isin":   {2, "a value and a list", "the value is one of the list", (*converter).isin},
		"clip":   {3, "a value, a lower and an upper bound", "minimum(maximum(x, low), high)", (*converter).clip},
		"astype": {2, "a value and a dtype in quotes", "cast to a dtype, as NumPy does", (*converter).astype},
	}
}

// isin is the function form of "in".
func (c *converter) isin(q *query.Call) (*node, error) {
	left, err := c.node(q.Args[0])
	if err != nil {
		return nil, err
	}
	list, err := c.node(q.Args[1])
	if err != nil {
		return nil, err
	}
	return c.member(q, left, list, false)
}

func (c *converter) clip(q *query.Call) (*node, error) {
	low, err := c.call(q, "maximum", q.Args[0], q.Args[1])
	if err != nil {
		return nil, err
	}
	high, err := c.node(q.Args[2])
	if err != nil {
		return nil, err
	}
	return c.at(q, node{kind: nodeCall, name: "minimum", args: []*node{low, high}}), nil
}

// astype is a cast to the dtype that a text names.
func (c *converter) astype(q *query.Call) (*node, error) {
	x, err := c.node(q.Args[0])
	if err != nil {
		return nil, err
	}
	at := q.Args[1]
	name, ok := at.(*query.Text)
	if !ok {
		return nil, c.at(at, node{}).fail(colstore.ErrType, "the dtype of astype is a text such as 'float32'")
	}
	t, err := colstore.ParseDType(name.Value)
	if err != nil {
		return nil, c.at(at, node{}).wrap(err)
	}
	return c.at(q, node{kind: nodeCall, name: castName, args: []*node{x}, lit: castTo{t, ops.CastPlain}}), nil
}
