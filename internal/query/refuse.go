package query

import "strings"

// noOperand returns the error for tok, where a value should begin.
func (p *parser) noOperand() error {
	t, spelled := p.tok, p.spelled(p.tok)
	switch t.kind {
	case tokEnd:
		return p.fail(p.prev.begin, p.prev.end, "a value is missing after %s; add it", p.spelled(p.prev))
	case tokReserved:
		return p.reserved()
	case tokNot:
		return p.fail(t.begin, t.end, "not binds looser than %s; put not and what follows it in brackets", p.spelled(p.prev))
	case tokStar, tokDoubleStar:
		return p.fail(t.begin, t.end, "a value is missing before %s; nothing can be unpacked with it", spelled)
	case tokAt:
		return p.fail(t.begin, t.end, "this @ has no name; write @name, beginning with a letter a-z or _, without a blank")
	case tokAssign:
		if p.prev.kind == tokLess || p.prev.kind == tokGreater {
			return p.fail(p.prev.begin, t.end, "use %s=, without a blank", p.spelled(p.prev))
		}
	}
	return p.fail(t.begin, t.end, "a value is missing before %s; add it", spelled)
}

// unexpected returns the error for tok, which cannot go on after a whole expression.
func (p *parser) unexpected() error {
	t := p.tok
	switch t.kind {
	case tokReserved:
		return p.reserved()
	case tokAssign:
		return p.fail(t.begin, t.end, "use == to compare")
	case tokAt:
		return p.fail(t.begin, t.end, "there is no matrix product; a parameter is written @name, without a blank")
	}
	for _, word := range []token{t, p.prev} {
		lower := strings.ToLower(word.value)
		if word.kind == tokName && word.value != lower && words[lower] >= tokAnd && words[lower] <= tokIn {
			return p.fail(word.begin, word.end, "use %s instead of %s", lower, word.value)
		}
	}
	return p.fail(t.begin, t.end, "an operator is missing before %s; add it", p.spelled(t))
}

// reserved returns the error for tok, a word of Python that is not of the language.
func (p *parser) reserved() error {
	t := p.tok
	switch word := t.value; word {
	case "if":
		return p.fail(t.begin, t.end, "there is no if; use where(condition, a, b)")
	case "for":
		return p.fail(t.begin, t.end, "there are no comprehensions; write the values out, or pass them as a parameter")
	case "lambda":
		return p.fail(t.begin, t.end, "there is no lambda; write the expression itself")
	case "async", "await", "yield":
		return p.fail(t.begin, t.end, "there is no %s; remove it", word)
	case "is":
		if p.advance() == nil && p.tok.kind == tokNot {
			return p.fail(t.begin, p.tok.end, "use != instead of is not")
		}
		return p.fail(t.begin, t.end, "use == instead of is")
	default:
		return p.fail(t.begin, t.end, "%s is a reserved word; if a column is called so, write `%s`", word, word)
	}
}

// refuseSuffix refuses the attribute, subscript or call that Python allows behind the operand n.
func (p *parser) refuseSuffix(n Node) error {
	t := p.tok
	name, isName := n.(*Name)
	switch t.kind {
	case tokDot:
		end := t.end + nameTail(p.text[t.end:])
		if isName && !name.Quoted && name.End == t.begin && end > t.end {
			return p.fail(t.begin, end, "there are no attributes and methods; if a column is called so, write `%s`",
				clip(p.text[name.Begin:end]))
		}
		return p.fail(t.begin, end, "there are no attributes and methods; remove %s", clip(p.text[t.begin:end]))
	case tokLeftBracket:
		return p.fail(t.begin, t.end, "there are no subscripts; remove it, or put in before the [")
	case tokLeftParen:
		if isName && name.Quoted {
			return p.fail(name.Begin, name.End, "a function has no back-quotes; remove them")
		}
		return p.fail(t.begin, t.end, "only functions are called, by their names; put an operator before the (")
	}
	return nil
}

// spelled returns a token for a message, as the user wrote it but cut where it is long.
func (p *parser) spelled(t token) string {
	if t.kind == tokComma {
		return "the comma"
	}
	return clip(p.text[t.begin:t.end])
}
