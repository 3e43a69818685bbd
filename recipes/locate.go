package recipes

import (
	"errors"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// Locate gives an error of the recipe's pipeline its place in the file, if it is about something that the recipe says: an
// expression, a step, a column. The result is then [Errors]; other errors are returned as they are. Package runtime finds
// such errors when it opens the input, or a null when it reads it.
func (r *Recipe) Locate(err error) error {
	l := &loader{doc: r.doc, r: r}
	if e := r.locateStep(l, err); e != nil {
		return Errors{e}.finish()
	}
	if e := r.locateColumn(l, err); e != nil {
		return Errors{e}.finish()
	}
	return err
}

// locateStep returns the error of a step, or nil if err is none.
func (r *Recipe) locateStep(l *loader, err error) *Error {
	if s, ok := errors.AsType[*frame.StepError](err); ok {
		e, _ := errors.AsType[*colstore.Error](s)
		p := r.placeOf(s.Index, func(p *place) bool { return e == nil || e.Column == "" || p.names[e.Column] != nil })
		if p != nil {
			return l.explain(p, s.Columns, err)
		}
	} else if q, ok := errors.AsType[*frame.QueryError](err); ok {
		if p := r.placeOf(q.Index, func(p *place) bool { return p.has(q.Text) }); p != nil {
			return l.explain(p, q.Columns, err)
		}
	}
	return nil
}

// placeOf returns where step number index of the frames that run is in the file: first the dtypes of the input, if any,
// then the shared steps, then those of an output, the first one that the error can be about.
func (r *Recipe) placeOf(index int, about func(*place) bool) *place {
	i := index - 1
	if len(r.input.dtypes) > 0 {
		if i == 0 {
			return &place{key: r.input.node, names: r.input.dtypes}
		}
		i--
	}
	if i < 0 {
		return nil
	}
	if i < len(r.steps.places) {
		return r.steps.places[i]
	}
	i -= len(r.steps.places)
	for _, b := range r.branches {
		if i < len(b.places) && about(b.places[i]) {
			return b.places[i]
		}
	}
	return nil
}

// has reports whether an expression of the place is text.
func (p *place) has(text string) bool {
	for _, x := range p.exprs {
		if x.value == text {
			return true
		}
	}
	return false
}

// locateColumn returns the error about a column that from names, or nil if err is none.
func (r *Recipe) locateColumn(l *loader, err error) *Error {
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok || e.Column == "" {
		return nil
	}
	in := r.input
	missing := errors.Is(err, colstore.ErrNoColumn)
	var at *node
	hint := ""
	switch {
	case missing && in.columns[e.Column] != nil:
		at = in.columns[e.Column]
	case missing && in.dtypes[e.Column] != nil:
		at = in.dtypes[e.Column]
	case missing:
		return nil
	case errors.Is(err, colstore.ErrNull):
		if at = in.nulls; at == nil {
			at = in.node
		}
		hint = "say in from.nulls what the nulls of " + e.Column + " become"
	case in.values[e.Column] != nil:
		at = in.values[e.Column]
	default:
		return nil
	}
	begin, end := at.bounds()
	code := codeRead
	if missing {
		code = codeNoColumn
	}
	p := l.doc.problem(code, begin, end, "%v", e)
	p.Hint, p.Err = hint, err
	return p
}
