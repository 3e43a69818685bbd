package recipes

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
)

// A place ties a step of a frame to the file.
type place struct {
	key   *node            // the step's name
	exprs []*node          // its expressions
	names map[string]*node // where it names the columns it works on
	makes map[string]*node // where it names those it makes
}

// named returns where the place names a column, or without one the column that a message quotes; nil if it does not.
func (p *place) named(column, message string) *node {
	var first *node
	for _, names := range []map[string]*node{p.names, p.makes} {
		for name, at := range names {
			is := name == column || column == "" && strings.Contains(message, strconv.Quote(name))
			if is && (first == nil || at.begin < first.begin) {
				first = at
			}
		}
		if first != nil {
			break
		}
	}
	return first
}

// expr reads an expression.
func (l *loader) expr(v value) (frame.Expr, bool) {
	if v.broken {
		return frame.Expr{}, false
	}
	if v.kind == scalarNode && (v.style == literal || v.style == folded) && strings.TrimSpace(v.value) == "" {
		e := l.fail(codeQuote, v.node, "%c starts a block of text in YAML; an expression needs a left side", v.doc.text[v.begin])
		e.Hint = "for a block, put the expression below, indented"
		return frame.Expr{}, false
	}
	if !l.is(v, scalarNode) {
		return frame.Expr{}, false
	}
	if l.hasTemplate(v.node, "expressions") {
		e := l.errs[len(l.errs)-1]
		e.Message, e.Hint = "an expression takes parameters as @name, not as ${name}", ""
		return frame.Expr{}, false
	}
	if l.use(v.value); l.members > maxMembers {
		l.fail(codeBomb, v.node, "the parameters that are lists bring more than %d values into expressions", maxMembers)
		return frame.Expr{}, false
	}
	x, err := frame.Parse(v.value, l.values)
	if err != nil {
		l.report(l.explain(&place{key: v.node, exprs: []*node{v.node}}, nil, err))
		return frame.Expr{}, false
	}
	return x, true
}

// use marks the parameters that an expression names. A @ in a text is taken for one too, which spares a warning at most.
func (l *loader) use(text string) {
	for i := strings.IndexByte(text, '@'); i >= 0; i = strings.IndexByte(text, '@') {
		text = text[i+1:]
		if p := l.param(text[:len(text)-len(strings.TrimLeft(text, wordBytes))]); p != nil {
			p.used = true
			if list, ok := p.value.([]any); ok {
				l.members += len(list)
			}
		}
	}
}

const wordBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// report adds an error unless it is nil.
func (l *loader) report(e *Error) {
	switch {
	case e == nil:
	case len(l.errs) >= maxProblems:
		panic(enough{})
	default:
		l.errs = append(l.errs, e)
	}
}

// explain turns an error of a frame into one with a place in the file. columns are those before the step, if known. It is
// nil for what was reported before.
func (l *loader) explain(p *place, columns []string, err error) *Error {
	s, isStep := errors.AsType[*frame.StepError](err)
	if q, ok := errors.AsType[*frame.QueryError](err); ok && !isStep {
		return l.explainQuery(p, columns, q)
	}
	n, column, message := p.key, "", err.Error()
	if isStep {
		message = s.Err.Error()
	}
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Column != "" && e.Err != nil {
		column = e.Column
		message = fmt.Sprintf("column %q: %s", column, withoutKind(e.Err.Error()))
	}
	if at := p.named(column, err.Error()); at != nil {
		n = at
	}
	begin, end := n.bounds()
	e := l.doc.problem(codeType, begin, end, "%s", withoutKind(message))
	e.Err = err
	switch {
	case errors.Is(err, colstore.ErrNoColumn):
		noColumn(e, column, columns)
	case errors.Is(err, colstore.ErrDuplicate):
		e.Code = codeDuplicate
	}
	return e
}

// withoutKind cuts the sentinel's text off the front of a message.
func withoutKind(message string) string {
	for _, kind := range []error{colstore.ErrType, colstore.ErrDuplicate, colstore.ErrValue, colstore.ErrOption} {
		message = strings.TrimPrefix(message, kind.Error()+": ")
	}
	return message
}

// noColumn words an error about a column that is not there.
func noColumn(e *Error, column string, columns []string) {
	e.Code = codeNoColumn
	e.Message = fmt.Sprintf("no column %q here%s", column, nearest(column, columns))
	if len(columns) > 0 {
		e.Hint = "columns at this step: " + shorten(columns)
	}
}

// shorten lists names; of many, the first and how many more there are.
func shorten(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s (+%d)", strings.Join(names[:most], ", "), len(names)-most)
}

// explainQuery is explain for an error in an expression.
func (l *loader) explainQuery(p *place, columns []string, q *frame.QueryError) *Error {
	n := p.key
	for _, x := range p.exprs {
		if x.value == q.Text {
			n = x
			break
		}
	}
	begin, end := n.bounds()
	if q.End > 0 && n.value == q.Text {
		begin, end = n.span(q.Offset, q.End)
	}
	e := l.doc.problem(codeSyntax, begin, end, "%s", withoutKind(q.Msg))
	e.Err = q
	at := ""
	if q.Offset <= q.End && q.End <= len(q.Text) {
		at = q.Text[q.Offset:q.End]
	}
	switch {
	case q.Column != "" && p.makes[q.Column] != nil:
		e.Code, e.Hint = codeSameAssign, "put it in a following assign step"
		e.Message = fmt.Sprintf("%q is made in this same assign; expressions see the columns from before the step", q.Column)
	case q.Column != "":
		noColumn(e, q.Column, columns)
	case strings.HasPrefix(at, "@") && strings.HasPrefix(q.Msg, "no parameter"):
		if x := l.param(at[1:]); x != nil {
			return nil // it has no value, which was reported
		}
		e.Code, e.Message = codeNoParam, l.noParam(at[1:])
	case strings.HasPrefix(q.Msg, "no function"):
		e.Code, e.Message = codeNoFunction, fmt.Sprintf("no function %q%s", at, nearest(at, ops.Names()))
	case strings.HasPrefix(q.Msg, "row-dependent: "):
		e.Code, e.Message = codeOtherRows, strings.TrimPrefix(q.Msg, "row-dependent: ")
	case errors.Is(q.Err, colstore.ErrType):
		e.Code = codeType
	case n.style == plain && strings.Count(n.value, "(") > strings.Count(n.value, ")"):
		e.Hint = flowHint
	}
	return e
}
