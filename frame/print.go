package frame

import (
	"math/big"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/query"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/ops"
)

// String returns the expression in the query language. Typed values, which it cannot spell, are shown as calls of their
// dtype.
func (e Expr) String() string {
	if e.n == nil {
		return ""
	}
	return e.n.show()
}

// show prints a node for a message.
func (n *node) show() string { return query.Print(n.tree()) }

// tree turns a node back into a syntax tree.
func (n *node) tree() query.Node {
	switch n.kind {
	case nodeColumn:
		return &query.Name{Name: n.name, Quoted: n.lit == nil && (n.name == "true" || n.name == "false")}
	case nodeLiteral:
		return litTree(n.lit)
	case nodeScalar:
		return scalarTree(n.scalar)
	case nodeRow:
		return &query.Call{Func: "row"}
	case nodeMember:
		return &query.Compare{First: n.args[0].tree(), Ops: []query.CmpOp{query.In}, Rest: []query.Node{listTree(n.members)}}
	case nodeList:
		return listTree(n.members)
	case nodeCall:
		return n.callTree()
	}
	return &query.Ellipsis{}
}

func (n *node) callTree() query.Node {
	args := make([]query.Node, len(n.args))
	for i, a := range n.args {
		args[i] = a.tree()
	}
	if n.fn != nil {
		return &query.Call{Func: n.name, Args: args}
	}
	for op, name := range unaryNames {
		if name == n.name && len(args) == 1 {
			return &query.Unary{Op: query.UnaryOp(op), X: args[0]}
		}
	}
	for op, name := range binaryNames {
		if name == n.name && len(args) == 2 {
			return &query.Binary{Op: query.BinaryOp(op), X: args[0], Y: args[1]}
		}
	}
	for op, name := range compareNames {
		if name == n.name && len(args) == 2 {
			return &query.Compare{First: args[0], Ops: []query.CmpOp{query.CmpOp(op)}, Rest: args[1:]}
		}
	}
	to, isCast := n.lit.(castTo)
	switch {
	case isCast:
		name := to.t.Name()
		if to.t.IsString() && to.t.Width() == 0 {
			name = name[:1] // as wide as the widest value
		}
		return &query.Call{Func: castName, Args: append(args, &query.Text{Value: name})}
	case n.name == "logical_not" && len(args) == 1:
		return &query.Not{X: args[0]}
	case n.name == "logical_and" && len(args) == 2:
		return &query.BoolOp{Op: query.And, Items: args}
	case n.name == "logical_or" && len(args) == 2:
		return &query.BoolOp{Op: query.Or, Items: args}
	}
	return &query.Call{Func: n.name, Args: args}
}

func listTree(members []any) query.Node {
	items := make([]query.Node, len(members))
	for i, m := range members {
		if s, ok := m.(colstore.Scalar); ok {
			items[i] = scalarTree(s)
		} else {
			items[i] = litTree(m)
		}
	}
	return &query.List{Items: items}
}

func scalarTree(s colstore.Scalar) query.Node {
	value := string(text.AppendPlain(nil, s.Cell(), 0))
	return &query.Call{Func: strings.NewReplacer("[", "_", "]", "").Replace(s.Type().Name()), Args: []query.Node{&query.Text{Value: value}}}
}

func litTree(lit any) query.Node {
	switch v := lit.(type) {
	case bool:
		return &query.Bool{Value: v}
	case float64:
		if v < 0 {
			return &query.Unary{Op: query.Minus, X: &query.Float{Value: -v}}
		}
		return &query.Float{Value: v}
	case string:
		return &query.Text{Value: v}
	case []byte:
		return &query.Bytes{Value: v}
	case ops.None:
		return &query.None{}
	}
	return intTree(lit)
}

func intTree(lit any) query.Node {
	v, ok := lit.(*big.Int)
	switch {
	case !ok:
		return &query.Ellipsis{}
	case v.Sign() < 0:
		return &query.Unary{Op: query.Minus, X: &query.Int{Value: new(big.Int).Neg(v)}}
	default:
		return &query.Int{Value: v}
	}
}
