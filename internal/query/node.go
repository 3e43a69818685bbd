package query

import "math/big"

// A Node is an expression: one of the pointer types of this package that have a Span.
type Node interface {
	// Span returns the bytes of the text that the node was read from: text[begin:end]. Brackets around a node are not
	// its own, but lie within the span of the node that holds it.
	Span() (begin, end int)
	node()
}

// Pos is the span of a node. It is zero in a node that was read from no text.
type Pos struct{ Begin, End int }

// Span returns Begin and End.
func (p Pos) Span() (begin, end int) { return p.Begin, p.End }

type (
	// Name stands for a column or a constant. Quoted tells that it was written in back-quotes, which leaves it no
	// meaning but that of a column.
	Name struct {
		Pos
		Name   string
		Quoted bool
	}

	// Param is a parameter, without its @.
	Param struct {
		Pos
		Name string
	}

	// Int is a whole number of any size, not negative: a sign is a [Unary].
	Int struct {
		Pos
		Value *big.Int
	}

	// Float is the float64 nearest to a number with a point or an exponent, +Inf beyond the largest.
	Float struct {
		Pos
		Value float64
	}

	// Text is a text, or several side by side that were joined.
	Text struct {
		Pos
		Value string
	}

	// Bytes is [Text] with the prefix b.
	Bytes struct {
		Pos
		Value []byte
	}

	// Bool is True or False; true and false are of type [Name], since a column may have that name.
	Bool struct {
		Pos
		Value bool
	}

	// None is the word None.
	None struct{ Pos }

	// Ellipsis is three dots.
	Ellipsis struct{ Pos }

	// Unary is a sign or ~ before X.
	Unary struct {
		Pos
		Op UnaryOp
		X  Node
	}

	// Binary is an arithmetic or bitwise operation.
	Binary struct {
		Pos
		Op   BinaryOp
		X, Y Node
	}

	// Compare is a chain of one or more comparisons, First Ops[0] Rest[0] Ops[1] Rest[1] ..., that holds where each of
	// them does.
	Compare struct {
		Pos
		First Node
		Ops   []CmpOp
		Rest  []Node
	}

	// BoolOp joins two or more conditions by the same word.
	BoolOp struct {
		Pos
		Op    LogicOp
		Items []Node
	}

	// Not is the word not before X.
	Not struct {
		Pos
		X Node
	}

	// List is [a, b], maybe empty.
	List struct {
		Pos
		Items []Node
	}

	// Tuple is (a, b), maybe empty, or a, b without brackets as the whole text.
	Tuple struct {
		Pos
		Items []Node
	}

	// Call is a function applied to arguments. FuncSpan is where its name stands.
	Call struct {
		Pos
		Func     string
		FuncSpan Pos
		Args     []Node
	}
)

func (*Name) node()     {}
func (*Param) node()    {}
func (*Int) node()      {}
func (*Float) node()    {}
func (*Text) node()     {}
func (*Bytes) node()    {}
func (*Bool) node()     {}
func (*None) node()     {}
func (*Ellipsis) node() {}
func (*Unary) node()    {}
func (*Binary) node()   {}
func (*Compare) node()  {}
func (*BoolOp) node()   {}
func (*Not) node()      {}
func (*List) node()     {}
func (*Tuple) node()    {}
func (*Call) node()     {}

// UnaryOp is the operator of a [Unary].
type UnaryOp uint8

// The signs and the bitwise complement.
const (
	Plus UnaryOp = iota
	Minus
	Invert
)

// String returns the operator as it is written.
func (o UnaryOp) String() string { return [...]string{"+", "-", "~"}[o] }

// BinaryOp is the operator of a [Binary].
type BinaryOp uint8

// The arithmetic and bitwise operators.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	FloorDiv
	Mod
	Pow
	BitAnd
	BitOr
	BitXor
)

// String returns the operator as it is written.
func (o BinaryOp) String() string {
	return [...]string{"+", "-", "*", "/", "//", "%", "**", "&", "|", "^"}[o]
}

// CmpOp is an operator of a [Compare].
type CmpOp uint8

// The comparisons and the tests of membership.
const (
	Less CmpOp = iota
	LessEqual
	Greater
	GreaterEqual
	Equal
	NotEqual
	In
	NotIn
)

// String returns the operator as it is written.
func (o CmpOp) String() string {
	return [...]string{"<", "<=", ">", ">=", "==", "!=", "in", "not in"}[o]
}

// LogicOp is the word of a [BoolOp].
type LogicOp uint8

// The words that join conditions.
const (
	And LogicOp = iota
	Or
)

// String returns the word.
func (o LogicOp) String() string { return [...]string{"and", "or"}[o] }
