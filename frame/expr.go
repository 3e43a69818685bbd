package frame

import (
	"fmt"
	"math/big"
	"reflect"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// An Expr is a value or a condition over the columns of a row. It is immutable; parts can be shared. The zero Expr is no
// expression and an error wherever it is used.
type Expr struct{ n *node }

// nodeKind is what a node of an expression is.
type nodeKind uint8

const (
	nodeBad     nodeKind = iota // a Go value that is no literal; err says so
	nodeColumn                  // name
	nodeLiteral                 // lit: bool, *big.Int, float64, string, []byte, ops.None
	nodeScalar                  // scalar: a typed value
	nodeCall                    // name of a function of package ops, args
	nodeMember                  // args[0] in members
	nodeList                    // members; only beside "in"
	nodeRow                     // the global row number
)

// node is one node of an expression. text and its offsets are those of the query it was parsed from, if any.
type node struct {
	kind       nodeKind
	name       string
	lit        any
	fn         *ops.Func // the function, if it is not that of the catalogue
	scalar     colstore.Scalar
	args       []*node
	members    []any // literals and colstore.Scalar
	err        error
	text       string
	begin, end int
}

// fail returns a QueryError that points at the node.
func (n *node) fail(kind error, format string, args ...any) error {
	return &QueryError{Text: n.text, Offset: n.begin, End: n.end, Msg: fmt.Sprintf(format, args...), Err: kind}
}

// wrap returns err as a QueryError that points at the node.
func (n *node) wrap(err error) error {
	return &QueryError{Text: n.text, Offset: n.begin, End: n.end, Msg: err.Error(), Err: err}
}

// hasColumn reports whether the expression reads a column or the row number. isColumn decides about true and false,
// which are columns only where there is one of that name.
func (n *node) hasColumn(isColumn func(name string) bool) bool {
	if n.kind == nodeColumn && (n.lit == nil || isColumn(n.name)) || n.kind == nodeRow {
		return true
	}
	for _, a := range n.args {
		if a.hasColumn(isColumn) {
			return true
		}
	}
	return false
}

// anyName takes true and false for columns, before it is known which there are.
func anyName(string) bool { return true }

// Col is the column of that name.
func Col(name string) Expr { return Expr{&node{kind: nodeColumn, name: name}} }

// Row is the global row number in the source, an int64 from 0, which cuts do not change.
func Row() Expr { return Expr{&node{kind: nodeRow}} }

// Lit is a constant. Go's bools, integers, floats, strings, []byte and nil are untyped: they adapt to the column they
// meet, as literals of a query do. A [colstore.Scalar] keeps its dtype; a time.Time is a datetime64[ns] ([us] where that
// does not reach, NaT for the zero time), a time.Duration a timedelta64[ns]. An Expr is itself.
func Lit(v any) Expr {
	switch v := v.(type) {
	case Expr:
		if v.n == nil {
			return Expr{&node{kind: nodeBad, err: fmt.Errorf("%w: an empty expression", colstore.ErrValue)}}
		}
		return v
	case colstore.Scalar:
		if !v.Valid() {
			return Expr{&node{kind: nodeBad, err: fmt.Errorf("%w: an empty value", colstore.ErrValue)}}
		}
		return Expr{&node{kind: nodeScalar, scalar: v}}
	case time.Duration:
		return Lit(colstore.TimeScalar(colstore.TimedeltaOf(colstore.Nanosecond), int64(v)))
	case time.Time:
		return Lit(timeScalar(v))
	case nil:
		return Expr{&node{kind: nodeLiteral, lit: ops.None{}}}
	case []byte:
		return Expr{&node{kind: nodeLiteral, lit: v}}
	case *big.Int:
		return Expr{&node{kind: nodeLiteral, lit: v}}
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Bool:
		return Expr{&node{kind: nodeLiteral, lit: r.Bool()}}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Expr{&node{kind: nodeLiteral, lit: big.NewInt(r.Int())}}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Expr{&node{kind: nodeLiteral, lit: new(big.Int).SetUint64(r.Uint())}}
	case reflect.Float32, reflect.Float64:
		return Expr{&node{kind: nodeLiteral, lit: r.Float()}}
	case reflect.String:
		return Expr{&node{kind: nodeLiteral, lit: r.String()}}
	}
	return Expr{&node{kind: nodeBad, err: fmt.Errorf(
		"%w: a Go %T is no literal; use a bool, number, string, []byte, colstore.Scalar or Expr", colstore.ErrType, v)}}
}

// timeScalar returns a time as datetime64[ns], or [us] where that does not reach; the zero time is NaT.
func timeScalar(t time.Time) colstore.Scalar {
	if t.IsZero() {
		return colstore.TimeScalar(colstore.DatetimeOf(colstore.Nanosecond), colstore.NaT)
	}
	if ns := t.UnixNano(); time.Unix(0, ns).Equal(t) && ns != colstore.NaT {
		return colstore.TimeScalar(colstore.DatetimeOf(colstore.Nanosecond), ns)
	}
	return colstore.TimeScalar(colstore.DatetimeOf(colstore.Microsecond), t.UnixMicro())
}

// Call is a function of package ops applied to arguments, which are Exprs or what [Lit] takes.
func Call(fn string, args ...any) Expr {
	n := &node{kind: nodeCall, name: fn, args: make([]*node, len(args))}
	for i, a := range args {
		n.args[i] = Lit(a).n
	}
	return Expr{n}
}

// CallFunc is a function that is not in the catalogue, for use here alone, applied to arguments, which are Exprs or what
// [Lit] takes. Calls of one *ops.Func with equal arguments are one value; f must not change afterwards.
func CallFunc(f *ops.Func, args ...any) Expr {
	if f == nil {
		return Expr{&node{kind: nodeBad, err: fmt.Errorf("%w: there is no function", colstore.ErrValue)}}
	}
	e := Call(f.Name, args...)
	e.n.fn = f
	return e
}

// function returns the function that a node calls.
func (n *node) function() (*ops.Func, bool) {
	if n.fn != nil {
		return n.fn, true
	}
	return ops.Lookup(n.name)
}

// The operators. Their arguments are Exprs or what [Lit] takes.

// Add is e + v, and joins text.
func (e Expr) Add(v any) Expr { return Call("add", e, v) }

// Sub is e - v.
func (e Expr) Sub(v any) Expr { return Call("subtract", e, v) }

// Mul is e * v.
func (e Expr) Mul(v any) Expr { return Call("multiply", e, v) }

// Div is e / v, a float for integers too.
func (e Expr) Div(v any) Expr { return Call("divide", e, v) }

// FloorDiv is e // v, rounded down.
func (e Expr) FloorDiv(v any) Expr { return Call("floor_divide", e, v) }

// Mod is e % v, with the sign of v.
func (e Expr) Mod(v any) Expr { return Call("remainder", e, v) }

// Pow is e ** v.
func (e Expr) Pow(v any) Expr { return Call("power", e, v) }

// Neg is -e.
func (e Expr) Neg() Expr { return Call("negative", e) }

// Eq is e == v.
func (e Expr) Eq(v any) Expr { return Call("equal", e, v) }

// Ne is e != v.
func (e Expr) Ne(v any) Expr { return Call("not_equal", e, v) }

// Lt is e < v.
func (e Expr) Lt(v any) Expr { return Call("less", e, v) }

// Le is e <= v.
func (e Expr) Le(v any) Expr { return Call("less_equal", e, v) }

// Gt is e > v.
func (e Expr) Gt(v any) Expr { return Call("greater", e, v) }

// Ge is e >= v.
func (e Expr) Ge(v any) Expr { return Call("greater_equal", e, v) }

// And is true where e and v are; numbers are true unless they are 0, text unless it is empty.
func (e Expr) And(v any) Expr { return Call("logical_and", e, v) }

// Or is true where e or v is.
func (e Expr) Or(v any) Expr { return Call("logical_or", e, v) }

// Not is true where e is not.
func (e Expr) Not() Expr { return Call("logical_not", e) }

// BitAnd is e & v on integers and bools.
func (e Expr) BitAnd(v any) Expr { return Call("bitwise_and", e, v) }

// BitOr is e | v on integers and bools.
func (e Expr) BitOr(v any) Expr { return Call("bitwise_or", e, v) }

// BitXor is e ^ v on integers and bools.
func (e Expr) BitXor(v any) Expr { return Call("bitwise_xor", e, v) }

// Invert is ~e on integers and bools.
func (e Expr) Invert() Expr { return Call("invert", e) }

// Abs is e without its sign.
func (e Expr) Abs() Expr { return Call("absolute", e) }

// Round is e rounded to decimals, halves to even.
func (e Expr) Round(decimals int) Expr { return Call("round", e, decimals) }

// Clip is e, but no less than low and no more than high: minimum(maximum(e, low), high).
func (e Expr) Clip(low, high any) Expr { return Call("minimum", Call("maximum", e, low), high) }

// IsIn is true where e is one of values, which are literals or Scalars, or slices of them.
func (e Expr) IsIn(values ...any) Expr {
	n := &node{kind: nodeMember, args: []*node{Lit(e).n}}
	for _, v := range values {
		m, err := members(v)
		if err != nil {
			return Expr{&node{kind: nodeBad, err: err}}
		}
		n.members = append(n.members, m...)
	}
	return Expr{n}
}

// members returns the literals and Scalars of one value of IsIn.
func members(v any) ([]any, error) {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.Type() != reflect.TypeFor[[]byte]() || r.Kind() == reflect.Array {
		var out []any
		for i := range r.Len() {
			m, err := members(r.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			out = append(out, m...)
		}
		return out, nil
	}
	switch n := Lit(v).n; n.kind {
	case nodeLiteral:
		return []any{n.lit}, nil
	case nodeScalar:
		return []any{n.scalar}, nil
	case nodeBad:
		return nil, n.err
	}
	return nil, fmt.Errorf("%w: the members of a list are constants", colstore.ErrType)
}

// Cast converts e to a dtype as NumPy's astype does. "S" and "U" without a width take that of the widest value of e's
// dtype.
func (e Expr) Cast(t colstore.DType) Expr {
	return Expr{&node{kind: nodeCall, name: castName, args: []*node{Lit(e).n}, lit: castTo{t, ops.CastPlain}}}
}

// castName is the function name of a cast node, which its lit, a castTo, tells from a call of that name.
const castName = "astype"

type castTo struct {
	t    colstore.DType
	mode ops.CastMode
}
