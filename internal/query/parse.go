package query

import "strings"

// Parse reads one expression.
//
// Shapes: blanks, remarks and empty lines around it are ignored; an empty text is an error.
// Errors: [*Error] at the first token that cannot stand where it does.
func Parse(text string) (Node, error) {
	p := &parser{lexer: lexer{text: text}}
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokEnd {
		return nil, p.fail(0, 0, "the expression is empty; write a condition or a value")
	}
	n, err := p.top()
	if err != nil {
		return nil, err
	}
	return n, nil
}

// A parser descends the grammar, one method a level of precedence from or to atom. Each begins with p.tok at the first
// token of what it reads and ends with p.tok behind the last. A node that comes with an error means nothing.
type parser struct {
	lexer
	tok, prev token
	depth     int // levels of nesting around tok
	operators int // binary operators read so far
}

// advance steps to the next token.
func (p *parser) advance() error {
	tok, err := p.next()
	p.prev, p.tok = p.tok, tok
	return err
}

// enter begins a level of nesting, at whose end leave is called. A failed parse needs no leave.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return p.fail(p.tok.begin, p.tok.end, "the expression is nested deeper than %d levels; compute a part of it before",
			maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// top reads the whole text: an expression, or several with commas between.
func (p *parser) top() (Node, error) {
	begin := p.tok.begin
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	switch p.tok.kind {
	case tokEnd:
		return n, nil
	case tokComma:
		return p.tuple(begin, n, tokEnd)
	}
	return nil, p.unexpected()
}

// pos returns the span from begin to the token before tok.
func (p *parser) pos(begin int) Pos { return Pos{begin, p.prev.end} }

func (p *parser) or() (Node, error) { return p.logic(Or, tokOr, p.and) }

func (p *parser) and() (Node, error) { return p.logic(And, tokAnd, p.not) }

func (p *parser) logic(op LogicOp, word kind, operand func() (Node, error)) (Node, error) {
	begin := p.tok.begin
	first, err := operand()
	if err != nil || p.tok.kind != word {
		return first, err
	}
	items := []Node{first}
	for p.tok.kind == word {
		if err := p.advance(); err != nil {
			return nil, err
		}
		item, err := operand()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return &BoolOp{p.pos(begin), op, items}, nil
}

func (p *parser) not() (Node, error) {
	if p.tok.kind != tokNot {
		return p.comparison()
	}
	begin := p.tok.begin
	x, err := p.nested(p.not)
	if err != nil {
		return nil, err
	}
	return &Not{p.pos(begin), x}, nil
}

// nested steps over tok, an operator, and reads its right side a level deeper.
func (p *parser) nested(operand func() (Node, error)) (Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	return operand()
}

func (p *parser) comparison() (Node, error) {
	begin := p.tok.begin
	first, err := p.binary(loosest)
	if err != nil {
		return nil, err
	}
	var c *Compare
	for {
		op, ok, err := p.cmpOp()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		y, err := p.binary(loosest)
		if err != nil {
			return nil, err
		}
		if c == nil {
			c = &Compare{First: first}
		}
		c.Ops, c.Rest = append(c.Ops, op), append(c.Rest, y)
	}
	if c == nil {
		return first, nil
	}
	c.Pos = p.pos(begin)
	return c, nil
}

var cmpOps = map[kind]CmpOp{
	tokLess: Less, tokLessEqual: LessEqual, tokGreater: Greater, tokGreaterEqual: GreaterEqual, tokEqual: Equal,
	tokNotEqual: NotEqual, tokIn: In, tokNot: NotIn,
}

// cmpOp reads a comparison operator if one is there.
func (p *parser) cmpOp() (op CmpOp, ok bool, err error) {
	if op, ok = cmpOps[p.tok.kind]; !ok {
		return 0, false, nil
	}
	if err := p.advance(); err != nil {
		return 0, false, err
	}
	if op == NotIn {
		if p.tok.kind != tokIn {
			return 0, false, p.fail(p.prev.begin, p.prev.end, "between two values only not in has a meaning; add in, or and")
		}
		err = p.advance()
	}
	return op, true, err
}

// The precedences, from the loosest.
const (
	precOr = iota
	precAnd
	precNot
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precSum
	precTerm
	precUnary
	precPower
	precAtom
)

// binaryOps gives the operators that associate to the left their precedence.
var binaryOps = map[kind]struct {
	op   BinaryOp
	prec int
}{
	tokPipe: {BitOr, precBitOr}, tokCircumflex: {BitXor, precBitXor}, tokAmpersand: {BitAnd, precBitAnd},
	tokPlus: {Add, precSum}, tokMinus: {Sub, precSum},
	tokStar: {Mul, precTerm}, tokSlash: {Div, precTerm}, tokDoubleSlash: {FloorDiv, precTerm}, tokPercent: {Mod, precTerm},
}

const loosest = precBitOr

// binary reads operations of precedence prec or tighter.
func (p *parser) binary(prec int) (Node, error) {
	begin := p.tok.begin
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		b, ok := binaryOps[p.tok.kind]
		if !ok || b.prec < prec {
			return x, nil
		}
		if err := p.count(); err != nil {
			return nil, err
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		y, err := p.binary(b.prec + 1)
		if err != nil {
			return nil, err
		}
		x = &Binary{p.pos(begin), b.op, x, y}
	}
}

// count keeps account of the operators, since a row of them makes a tree as deep as it is long.
func (p *parser) count() error {
	if p.operators++; p.operators > maxOperators {
		return p.fail(p.tok.begin, p.tok.end,
			"the expression has more than %d arithmetic operators; compute a part of it before", maxOperators)
	}
	return nil
}

var unaryOps = map[kind]UnaryOp{tokPlus: Plus, tokMinus: Minus, tokTilde: Invert}

func (p *parser) unary() (Node, error) {
	op, ok := unaryOps[p.tok.kind]
	if !ok {
		return p.power()
	}
	begin := p.tok.begin
	x, err := p.nested(p.unary)
	if err != nil {
		return nil, err
	}
	return &Unary{p.pos(begin), op, x}, nil
}

func (p *parser) power() (Node, error) {
	begin := p.tok.begin
	x, err := p.atom()
	if err != nil || p.tok.kind != tokDoubleStar {
		return x, err
	}
	if err := p.count(); err != nil {
		return nil, err
	}
	y, err := p.nested(p.unary)
	if err != nil {
		return nil, err
	}
	return &Binary{p.pos(begin), Pow, x, y}, nil
}

// atom reads an operand and refuses what Python would allow behind it.
func (p *parser) atom() (Node, error) {
	n, err := p.operand()
	if err != nil {
		return nil, err
	}
	if err := p.refuseSuffix(n); err != nil {
		return nil, err
	}
	return n, nil
}

func (p *parser) operand() (Node, error) {
	t := p.tok
	pos := Pos{t.begin, t.end}
	var n Node
	switch t.kind {
	case tokLeftParen:
		return p.group()
	case tokLeftBracket:
		items, err := p.bracketed(tokRightBracket, p.or)
		if err != nil {
			return nil, err
		}
		return &List{p.pos(t.begin), items}, nil
	case tokText, tokBytes:
		return p.texts()
	case tokName:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind != tokLeftParen {
			return &Name{pos, t.value, false}, nil
		}
		args, err := p.bracketed(tokRightParen, p.argument)
		if err != nil {
			return nil, err
		}
		return &Call{p.pos(t.begin), t.value, pos, args}, nil
	case tokQuoted:
		n = &Name{pos, t.value, true}
	case tokParam:
		n = &Param{pos, t.value}
	case tokInt:
		n = &Int{pos, t.whole}
	case tokFloat:
		n = &Float{pos, t.float}
	case tokTrue, tokFalse:
		n = &Bool{pos, t.kind == tokTrue}
	case tokNone:
		n = &None{pos}
	case tokEllipsis:
		n = &Ellipsis{pos}
	default:
		return nil, p.noOperand()
	}
	return n, p.advance()
}

// group reads an expression in round brackets, or a tuple.
func (p *parser) group() (Node, error) {
	begin := p.tok.begin
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokRightParen {
		err := p.advance()
		return &Tuple{p.pos(begin), nil}, err
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	switch p.tok.kind {
	case tokRightParen:
		return n, p.advance()
	case tokComma:
		t, err := p.tuple(begin, n, tokRightParen)
		if err != nil {
			return nil, err
		}
		err = p.advance()
		t.End = p.prev.end
		return t, err
	}
	return nil, p.unexpected()
}

// tuple reads the rest of a tuple, from the comma after its first item up to the token end.
func (p *parser) tuple(begin int, first Node, end kind) (*Tuple, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	items, err := p.items([]Node{first}, end, p.or)
	if err != nil {
		return nil, err
	}
	return &Tuple{p.pos(begin), items}, nil
}

// bracketed reads what each reads, with commas between, from the bracket at tok to its partner, which is end.
func (p *parser) bracketed(end kind, each func() (Node, error)) ([]Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	items, err := p.items(nil, end, each)
	if err != nil {
		return nil, err
	}
	return items, p.advance()
}

// items appends what each reads, with commas between and maybe behind, up to the token end.
func (p *parser) items(items []Node, end kind, each func() (Node, error)) ([]Node, error) {
	for p.tok.kind != end {
		item, err := each()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		switch p.tok.kind {
		case end:
		case tokComma:
			if err := p.advance(); err != nil {
				return nil, err
			}
		default:
			return nil, p.unexpected()
		}
	}
	return items, nil
}

// argument reads an argument of a call.
func (p *parser) argument() (Node, error) {
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if name, ok := n.(*Name); ok && p.tok.kind == tokAssign {
		return nil, p.fail(name.Begin, p.tok.end, "arguments are given by position; remove %s=, or use == to compare",
			clip(name.Name))
	}
	return n, nil
}

// texts joins the texts, or the bytes, that stand side by side.
func (p *parser) texts() (Node, error) {
	first := p.tok
	if err := p.advance(); err != nil {
		return nil, err
	}
	value := first.value
	if p.tok.kind == tokText || p.tok.kind == tokBytes {
		var b strings.Builder
		b.WriteString(value)
		for p.tok.kind == tokText || p.tok.kind == tokBytes {
			if p.tok.kind != first.kind {
				return nil, p.fail(p.tok.begin, p.tok.end, "texts and bytes cannot be joined; give both the prefix b, or none")
			}
			b.WriteString(p.tok.value)
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
		value = b.String()
	}
	if first.kind == tokBytes {
		return &Bytes{p.pos(first.begin), []byte(value)}, nil
	}
	return &Text{p.pos(first.begin), value}, nil
}
