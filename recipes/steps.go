package recipes

import (
	"errors"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
)

// A stepKind is one step of the language.
type stepKind struct {
	name string
	read func(l *loader, b *builder, key *node, v value) // nil: of the language, but not of this version
	// otherRows is set for a step that cannot be one: what to do instead, or a blank.
	otherRows string
}

var stepKinds = []stepKind{
	{name: "where", read: readWhere},
	{name: "cuts", read: readCuts},
	{name: "weight", read: readWeight},
	{name: "assign", read: readAssign},
	{name: "select", read: readSelect},
	{name: "drop", read: readDrop},
	{name: "rename", read: readRename},
	{name: "cast", read: readCast},
	{name: "fill", read: readFill},
	{name: "limit", read: readLimit},
	{name: "sample", read: readSample},
	{name: "apply"},
	{name: "sort", otherRows: "sort the output with the program that reads it"},
	{name: "group", otherRows: "colstore stats sums up columns, colstore hist fills histograms"},
	{name: "aggregate", otherRows: "colstore stats sums up columns, colstore hist fills histograms"},
	{name: "join", otherRows: "join the output with the program that reads it"},
	{name: "concat", otherRows: "list the files in from, or use colstore concat"},
	{name: "unique", otherRows: "drop repeated rows with the program that reads the output"},
}

// A builder grows a frame step by step.
type builder struct {
	frame  *frame.Frame
	places []*place
	// columns are those at this point, as far as they are known without opening the input; nil is unknown.
	columns []string
}

// branch returns a builder for the steps behind those of b.
func (b *builder) branch() *builder {
	return &builder{frame: frame.New(), columns: slices.Clip(b.columns)}
}

// known reports whether the columns are known, and may be looked at once more. A recipe of very many columns and steps is
// left to binding, which looks at them once.
func (l *loader) known(b *builder) bool {
	if l.checked += len(b.columns); l.checked > maxChecked {
		b.columns = nil
	}
	return b.columns != nil
}

// add adds a step unless something is wrong with it. What is wrong whatever the steps before is found by making the step
// alone, since a frame keeps only its first error.
func (l *loader) add(b *builder, p *place, grow func(*frame.Frame) *frame.Frame) {
	alone := grow(frame.New())
	if err := alone.Err(); err != nil {
		l.report(l.explain(p, nil, err))
		return
	}
	b.frame = grow(b.frame)
	b.places = append(b.places, p)
	if !l.known(b) {
		return
	}
	columns, err := alone.OutputColumns(b.columns)
	if err == nil {
		b.columns = columns
		return
	}
	missing, there := len(l.errs), setOf(b.columns)
	for name, at := range p.names {
		if !there[name] {
			noColumn(l.fail(codeNoColumn, at, ""), name, b.columns)
		}
	}
	if len(l.errs) == missing {
		l.report(l.explain(p, b.columns, err))
	}
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

func readSteps(l *loader, b *builder, v value) {
	if !l.is(v, listNode) {
		return
	}
	for _, item := range v.items {
		step := value{item, v.name}
		switch {
		case item.kind == scalarNode && !item.empty() && !item.broken:
			l.fail(codeShape, item, "a step is a map with one key, for instance  - drop: [noise]")
		case !l.is(step, mapNode):
		case len(item.entries) != 1:
			l.fail(codeShape, item, "a step has one key, this has %d; begin each step with a - of its own", len(item.entries))
		default:
			l.step(b, item.entries[0])
		}
	}
}

func (l *loader) step(b *builder, e entry) {
	var names []string
	for _, k := range stepKinds {
		switch {
		case k.read != nil:
			names = append(names, k.name)
			if k.name == e.key.value {
				k.read(l, b, e.key, value{e.value, k.name})
				return
			}
		case k.name != e.key.value:
		case k.otherRows != "":
			l.fail(codeOtherRows, e.key, "%q needs other rows, and a step sees one row at a time", k.name).Hint = k.otherRows
			return
		default:
			l.later(e.key, "the step %q", k.name)
			return
		}
	}
	l.fail(codeUnknown, e.key, "unknown step %q%s", e.key.value, colstore.Suggest(e.key.value, names))
}

// A cut is the long form of where.
type cut struct{ expr, name, weight *value }

var cutShape = shape[cut]{name: "where", fields: []field[cut]{
	{"expr", func(_ *loader, c *cut, v value) { c.expr = &v }},
	{"name", func(_ *loader, c *cut, v value) { c.name = &v }},
	{"weight", func(_ *loader, c *cut, v value) { c.weight = &v }},
}}

func readWhere(l *loader, b *builder, key *node, v value) {
	c := cut{expr: &v}
	if v.kind == mapNode {
		c.expr = nil
		cutShape.read(l, &c, v)
		if c.expr == nil {
			l.fail(codeRequired, key, `"where" needs an expr`)
			return
		}
	}
	l.cut(b, key, c)
}

// cut adds a cut.
func (l *loader) cut(b *builder, key *node, c cut) {
	e, ok := l.expr(*c.expr)
	p := &place{key: key, exprs: []*node{c.expr.node}}
	var options []frame.CutOption
	if c.name != nil {
		label, good := l.name(*c.name)
		options = append(options, frame.Named(label))
		ok = ok && good
	}
	if c.weight != nil {
		w, good := l.expr(*c.weight)
		options = append(options, frame.Weighted(w))
		p.exprs = append(p.exprs, c.weight.node)
		ok = ok && good
	}
	if ok {
		l.add(b, p, func(f *frame.Frame) *frame.Frame { return f.Where(e, options...) })
	}
}

func readCuts(l *loader, b *builder, _ *node, v value) {
	if !l.is(v, listNode) {
		return
	}
	for _, item := range v.items {
		switch {
		case item.kind == mapNode && len(item.entries) != 1:
			l.fail(codeShape, item, "a cut is one name and its expression, this has %d; begin each cut with a - of its own", len(item.entries))
		case item.kind == mapNode:
			e := item.entries[0]
			name := value{e.key, "name"}
			l.cut(b, e.key, cut{expr: &value{e.value, e.key.value}, name: &name})
		default:
			l.cut(b, item, cut{expr: &value{item, v.name}})
		}
	}
}

func readWeight(l *loader, b *builder, key *node, v value) {
	if v.kind == scalarNode && v.value == "none" {
		l.add(b, &place{key: key}, func(f *frame.Frame) *frame.Frame { return f.Weight(frame.Expr{}) })
		return
	}
	if e, ok := l.expr(v); ok {
		l.add(b, &place{key: key, exprs: []*node{v.node}}, func(f *frame.Frame) *frame.Frame { return f.Weight(e) })
	}
}

func readAssign(l *loader, b *builder, key *node, v value) {
	if !l.is(v, mapNode) {
		return
	}
	p := &place{key: key, makes: map[string]*node{}}
	for _, e := range v.entries {
		p.makes[e.key.value] = e.key
	}
	var columns []frame.Assignment
	problems := len(l.errs)
	for _, e := range v.entries {
		name, ok := l.name(value{e.key, "a column"})
		x, good := l.expr(value{e.value, e.key.value})
		if ok && good {
			columns = append(columns, frame.Assignment{Name: name, Expr: x})
			p.exprs = append(p.exprs, e.value)
		}
	}
	l.missing(b, p, columns)
	if len(l.errs) == problems && len(columns) == len(v.entries) {
		l.add(b, p, func(f *frame.Frame) *frame.Frame { return f.AssignAll(columns...) })
		return
	}
	if l.known(b) {
		// The steps below are not to complain of what this one would have made.
		there := setOf(b.columns)
		for _, e := range v.entries {
			if !there[e.key.value] {
				b.columns = append(b.columns, e.key.value)
			}
		}
	}
}

// missing reports all columns that the expressions of an assign lack, where a frame knows only the first.
func (l *loader) missing(b *builder, p *place, columns []frame.Assignment) {
	columns, exprs := slices.Clone(columns), slices.Clone(p.exprs)
	for l.known(b) {
		_, err := frame.New().AssignAll(columns...).OutputColumns(b.columns)
		q, ok := errors.AsType[*frame.QueryError](err)
		if !ok {
			return
		}
		i := slices.IndexFunc(exprs, func(n *node) bool { return n.value == q.Text })
		if i < 0 {
			return
		}
		l.report(l.explain(&place{key: p.key, exprs: exprs[i : i+1], makes: p.makes}, b.columns, err))
		columns, exprs = slices.Delete(columns, i, i+1), slices.Delete(exprs, i, i+1)
	}
}

// namesOf reads the columns of a step, which keeps where each is named.
func (l *loader) namesOf(key *node, v value) ([]string, *place) {
	p := &place{key: key, names: map[string]*node{}}
	l.each(v, func(item value) { p.names[item.value] = item.node })
	return l.names(v), p
}

func readSelect(l *loader, b *builder, key *node, v value) {
	problems := len(l.errs)
	names, p := l.namesOf(key, v)
	l.add(b, p, func(f *frame.Frame) *frame.Frame { return f.Select(names...) })
	switch {
	case len(l.errs) > problems:
		b.columns = nil
	case b.columns == nil:
		b.columns = names
	}
}

func readDrop(l *loader, b *builder, key *node, v value) {
	names, p := l.namesOf(key, v)
	l.add(b, p, func(f *frame.Frame) *frame.Frame { return f.Drop(names...) })
}

// columnMap reads a map from columns to something.
func columnMap[T any](l *loader, key *node, v value, read func(value) (T, bool)) (map[string]T, *place) {
	p := &place{key: key, names: map[string]*node{}}
	out := map[string]T{}
	if !l.is(v, mapNode) {
		return nil, p
	}
	for _, e := range v.entries {
		name, ok := l.name(value{e.key, "a column"})
		x, good := read(value{e.value, e.key.value})
		if ok && good {
			out[name] = x
			p.names[name] = e.key
		}
	}
	return out, p
}

func readRename(l *loader, b *builder, key *node, v value) {
	makes := map[string]*node{}
	names, p := columnMap(l, key, v, func(v value) (string, bool) {
		makes[v.value] = v.node
		return l.name(v)
	})
	p.makes = makes
	l.add(b, p, func(f *frame.Frame) *frame.Frame { return f.Rename(names) })
}

// A castTo is the long form of a cast.
type castTo struct {
	to     *value
	strict bool
}

var castShape = shape[castTo]{name: "cast", fields: []field[castTo]{
	{"to", func(_ *loader, c *castTo, v value) { c.to = &v }},
	{"strict", func(l *loader, c *castTo, v value) { c.strict, _ = l.boolean(v) }},
}}

func readCast(l *loader, b *builder, key *node, v value) {
	strict := map[string]bool{}
	types, p := columnMap(l, key, v, func(v value) (colstore.DType, bool) {
		c := castTo{to: &v}
		if v.kind == mapNode {
			c.to = nil
			castShape.read(l, &c, v)
			if c.to == nil {
				l.fail(codeRequired, v.node, `a cast in its long form needs "to", a dtype`)
				return colstore.DType{}, false
			}
		}
		strict[v.name] = c.strict
		return l.dtype(*c.to)
	})
	// Columns are cast one by one, so two steps for the two modes come to the same.
	for _, mode := range []ops.CastMode{ops.CastPlain, ops.CastStrict} {
		some := map[string]colstore.DType{}
		one := &place{key: key, names: map[string]*node{}}
		for name, t := range types {
			if strict[name] == (mode == ops.CastStrict) {
				some[name], one.names[name] = t, p.names[name]
			}
		}
		if len(some) > 0 {
			l.add(b, one, func(f *frame.Frame) *frame.Frame { return f.CastWith(some, mode) })
		}
	}
}

func readFill(l *loader, b *builder, key *node, v value) {
	values, p := columnMap(l, key, v, func(v value) (any, bool) {
		x, ok := l.constant(v)
		if ok && x == nil {
			l.fail(codeEmpty, v.node, "%q has no value", v.name)
		}
		return x, ok && x != nil
	})
	if len(values) > 0 {
		l.add(b, p, func(f *frame.Frame) *frame.Frame { return f.Fill(values) })
	}
}
