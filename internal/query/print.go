package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Print returns the canonical text of n: one line with single blanks around operators, brackets and back-quotes only
// where they are needed, numbers in decimal.
//
// [Parse] reads it back as an equal tree, but for spans and for the back-quotes of names that need none, if n could come
// from Parse and the text, which may be longer than the one that n came from, keeps to the limits. Two nodes that could
// not come from Parse are printed as operations of the same value: a number below zero, as its sign and amount, and NaN.
func Print(n Node) string {
	p := &printer{}
	if t, ok := n.(*Tuple); ok && len(t.Items) > 0 {
		p.tuple(t)
	} else {
		p.node(n, precOr)
	}
	return p.String()
}

type printer struct{ strings.Builder }

// node prints n, in brackets if it binds looser than prec.
func (p *printer) node(n Node, prec int) {
	if precedence(n) < prec {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch n := n.(type) {
	case *Name:
		p.name(n)
	case *Param:
		p.WriteString("@" + n.Name)
	case *Int:
		p.WriteString(n.Value.String())
	case *Float:
		p.float(n.Value)
	case *Text:
		p.text(n.Value)
	case *Bytes:
		p.bytes(n.Value)
	case *Bool:
		if n.Value {
			p.WriteString("True")
		} else {
			p.WriteString("False")
		}
	case *None:
		p.WriteString("None")
	case *Ellipsis:
		p.WriteString("...")
	case *Unary:
		p.WriteString(n.Op.String())
		p.node(n.X, precUnary)
	case *Binary:
		p.binary(n)
	case *Compare:
		p.node(n.First, precCompare+1)
		for i, op := range n.Ops {
			p.WriteString(" " + op.String() + " ")
			p.node(n.Rest[i], precCompare+1)
		}
	case *BoolOp:
		for i, item := range n.Items {
			if i > 0 {
				p.WriteString(" " + n.Op.String() + " ")
			}
			p.node(item, precedence(n)+1)
		}
	case *Not:
		p.WriteString("not ")
		p.node(n.X, precNot)
	case *List:
		p.WriteByte('[')
		p.items(n.Items)
		p.WriteByte(']')
	case *Tuple:
		p.WriteByte('(')
		p.tuple(n)
		p.WriteByte(')')
	case *Call:
		p.WriteString(n.Func + "(")
		p.items(n.Args)
		p.WriteByte(')')
	}
}

func (p *printer) binary(n *Binary) {
	prec := precedence(n)
	left, right := prec, prec+1
	if n.Op == Pow {
		left, right = precAtom, precUnary
	}
	p.node(n.X, left)
	p.WriteString(" " + n.Op.String() + " ")
	p.node(n.Y, right)
}

func precedence(n Node) int {
	switch n := n.(type) {
	case *BoolOp:
		if n.Op == Or {
			return precOr
		}
		return precAnd
	case *Not:
		return precNot
	case *Compare:
		return precCompare
	case *Binary:
		switch n.Op {
		case BitOr:
			return precBitOr
		case BitXor:
			return precBitXor
		case BitAnd:
			return precBitAnd
		case Add, Sub:
			return precSum
		case Pow:
			return precPower
		}
		return precTerm
	case *Unary:
		return precUnary
	case *Int:
		if n.Value.Sign() < 0 {
			return precUnary
		}
	case *Float:
		switch {
		case math.IsNaN(n.Value):
			return precSum
		case math.Signbit(n.Value):
			return precUnary
		}
	}
	return precAtom
}

// tuple prints a tuple without its brackets.
func (p *printer) tuple(t *Tuple) {
	p.items(t.Items)
	if len(t.Items) == 1 {
		p.WriteByte(',')
	}
}

func (p *printer) items(items []Node) {
	for i, item := range items {
		if i > 0 {
			p.WriteString(", ")
		}
		p.node(item, precOr)
	}
}

// name prints a column's name in back-quotes if it would be another thing without. An unquoted true or false may be a
// constant, so the quotes of these two tell something.
func (p *printer) name(n *Name) {
	_, word := words[n.Name]
	plain := n.Name != "" && nameLen(n.Name) == len(n.Name) && !word
	if plain && !(n.Quoted && (n.Name == "true" || n.Name == "false")) {
		p.WriteString(n.Name)
		return
	}
	p.WriteString("`" + strings.ReplaceAll(n.Name, "`", "``") + "`")
}

// infinite is a literal beyond every float64.
const infinite = "1e400"

func (p *printer) float(v float64) {
	switch {
	case math.IsNaN(v):
		p.WriteString(infinite + " - " + infinite)
		return
	case math.IsInf(v, 0):
		if v < 0 {
			p.WriteByte('-')
		}
		p.WriteString(infinite)
		return
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		format = 'e'
	}
	s := strconv.FormatFloat(v, format, -1, 64)
	p.WriteString(s)
	if !strings.ContainsAny(s, ".e") {
		p.WriteString(".0") // or it were a whole number
	}
}

// text prints s between the quotes that need fewer escapes.
func (p *printer) text(s string) {
	quote := quoteFor(s)
	p.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			p.WriteByte('\\')
			p.WriteRune(r)
		case unicode.IsPrint(r):
			p.WriteRune(r)
		case r < 0x100:
			p.control(byte(r))
		case r < 0x10000:
			fmt.Fprintf(p, `\u%04x`, r)
		default:
			fmt.Fprintf(p, `\U%08x`, r)
		}
	}
	p.WriteRune(quote)
}

func (p *printer) bytes(b []byte) {
	quote := quoteFor(string(b))
	p.WriteByte('b')
	p.WriteRune(quote)
	for _, c := range b {
		switch {
		case rune(c) == quote || c == '\\':
			p.WriteByte('\\')
			p.WriteByte(c)
		case c >= ' ' && c <= '~':
			p.WriteByte(c)
		default:
			p.control(c)
		}
	}
	p.WriteRune(quote)
}

func quoteFor(s string) rune {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return '"'
	}
	return '\''
}

// control prints a character or byte that does not print by itself.
func (p *printer) control(c byte) {
	switch c {
	case '\t':
		p.WriteString(`\t`)
	case '\n':
		p.WriteString(`\n`)
	case '\r':
		p.WriteString(`\r`)
	default:
		fmt.Fprintf(p, `\x%02x`, c)
	}
}
