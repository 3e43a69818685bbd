package recipes

import (
	"fmt"
	"math/big"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/text"
)

// A param is a parameter of a recipe.
type param struct {
	name  string
	key   *node
	typ   paramType
	value any    // see Recipe.Params; nil if there is none
	text  string // as it was written or typed, for ${name}
	oneOf []any
	low   any // nil for no bound
	high  any

	used    bool
	pending bool // has no value yet
	broken  bool // an error about it was reported
}

func (p *param) isList() bool {
	_, ok := p.value.([]any)
	return ok
}

// paramKind is what values a parameter takes.
type paramKind uint8

const (
	paramAny     paramKind = iota // of no type: values type themselves
	paramText                     // string
	paramNumber                   // int64, *big.Int, float64
	paramInteger                  // int64, *big.Int
	paramBool                     // bool
	paramList                     // []any of the others
	paramTyped                    // colstore.Scalar
)

// paramWords are the types that are no dtypes.
var paramWords = map[string]paramKind{
	"text": paramText, "number": paramNumber, "integer": paramInteger, "bool": paramBool, "list": paramList,
}

type paramType struct {
	kind  paramKind
	dtype colstore.DType // of paramTyped
	item  paramKind      // of paramList
}

// String returns the type for messages.
func (t paramType) String() string {
	if t.kind == paramTyped {
		return t.dtype.Name()
	}
	return [...]string{"a value", "a text", "a number", "a whole number", "true or false", "a list"}[t.kind]
}

// typeOf returns the type that a default gives its parameter. A whole number leaves others possible.
func typeOf(v any) paramType {
	switch v := v.(type) {
	case string:
		return paramType{kind: paramText}
	case bool:
		return paramType{kind: paramBool}
	case int64, *big.Int, float64:
		return paramType{kind: paramNumber}
	case []any:
		t := paramType{kind: paramList}
		for i, item := range v {
			kind := typeOf(item).kind
			if i > 0 && kind != t.item {
				kind = paramAny
			}
			t.item = kind
		}
		return t
	}
	return paramType{}
}

// param returns a parameter by name, or nil.
func (l *loader) param(name string) *param { return l.byName[name] }

// noParam is the message about a parameter that is not there.
func (l *loader) noParam(name string) string {
	if len(l.params) == 0 {
		return fmt.Sprintf("no parameter %q; the recipe has no params", name)
	}
	names := make([]string, len(l.params))
	for i, p := range l.params {
		names[i] = p.name
	}
	return fmt.Sprintf("no parameter %q; params has %s", name, shorten(names))
}

// readParams reads the parameters and gives them their values in force. A default can use those above it.
func readParams(l *loader, _ *Recipe, v value) {
	if !l.is(v, mapNode) {
		return
	}
	for _, e := range v.entries {
		p := &param{name: e.key.value, key: e.key, pending: true}
		if !nameForm.MatchString(p.name) {
			l.fail(codeParam, e.key, "%q cannot be the name of a parameter, which is letters, digits and _, as @name spells it", p.name)
			p.broken = true
		}
		l.params = append(l.params, p)
		l.byName[p.name] = p
	}
	for i, e := range v.entries {
		p := l.params[i]
		l.readParam(p, value{e.value, p.name})
		l.give(p)
		p.pending = false
		if p.value != nil && !p.broken {
			l.values[p.name] = p.value
		}
	}
}

// paramForm is the long form of a parameter.
type paramForm struct{ typ, def, oneOf, bounds *value }

var paramShape = shape[paramForm]{name: "a parameter", fields: []field[paramForm]{
	{"type", func(_ *loader, f *paramForm, v value) { f.typ = &v }},
	{"default", func(_ *loader, f *paramForm, v value) { f.def = &v }},
	{"help", func(l *loader, _ *paramForm, v value) { l.text(v) }},
	{"one_of", func(_ *loader, f *paramForm, v value) { f.oneOf = &v }},
	{"range", func(_ *loader, f *paramForm, v value) { f.bounds = &v }},
}}

// readParam reads the declaration of a parameter.
func (l *loader) readParam(p *param, v value) {
	problems := len(l.errs)
	defer func() { p.broken = p.broken || len(l.errs) > problems || v.broken }()
	form := paramForm{def: &v}
	if v.kind == mapNode {
		form.def = nil
		paramShape.read(l, &form, v)
	}
	if form.typ != nil {
		l.readParamType(p, *form.typ)
	}
	if form.def != nil {
		l.readDefault(p, *form.def)
	}
	if form.oneOf != nil && l.is(*form.oneOf, listNode) {
		for _, item := range form.oneOf.items {
			if x, ok := l.typed(p.typ, value{item, "one_of"}); ok {
				p.oneOf = append(p.oneOf, x)
			}
		}
	}
	if form.bounds != nil {
		l.readBounds(p, *form.bounds)
	}
	if p.value != nil && len(l.errs) == problems {
		l.check(p, form.def.node)
	}
}

func (l *loader) readParamType(p *param, v value) {
	name, ok := l.name(v)
	if !ok {
		return
	}
	if p.typ.kind, ok = paramWords[name]; ok {
		return
	}
	t, err := colstore.ParseDType(name)
	if err != nil {
		e := l.fail(codeDType, v.node, "%q is no type of a parameter", name)
		e.Hint = "there is text, number, integer, bool, list, and the dtypes: float32, datetime64[us], S8, …"
		return
	}
	p.typ = paramType{kind: paramTyped, dtype: t}
}

func (l *loader) readDefault(p *param, v value) {
	x, ok := l.typed(p.typ, v)
	if !ok || x == nil {
		return
	}
	p.value, p.text = x, v.value
	if s, isText := x.(string); isText {
		p.text = s
	}
	if p.typ.kind == paramAny || p.typ.kind == paramList {
		p.typ = typeOf(x)
	}
}

// typed reads a value of the recipe as a parameter's type wants it. It is nil for one that is left out.
func (l *loader) typed(t paramType, v value) (any, bool) {
	switch {
	case v.kind == listNode && (t.kind == paramAny || t.kind == paramList):
		out := []any{}
		for _, item := range v.items {
			x, ok := l.constant(value{item, v.name})
			switch {
			case !ok:
				return nil, false
			case x == nil:
				l.fail(codeEmpty, item, "%q has an item without a value", v.name)
				return nil, false
			}
			out = append(out, x)
		}
		return out, true
	case t.kind == paramAny:
		return l.constant(v)
	case v.empty():
		return nil, true
	case t.kind == paramText:
		return l.textValue(v)
	case t.kind == paramTyped && v.kind == scalarNode:
		s, ok := l.textValue(v)
		if !ok {
			return nil, false
		}
		x, err := text.ParseScalar(t.dtype, s.(string))
		if err != nil {
			l.fail(codeParam, v.node, "%q takes %s: %v", v.name, t, err)
			return nil, false
		}
		return x, true
	}
	x, ok := l.constant(v)
	if ok && x != nil && !t.takes(x) {
		l.fail(codeParam, v.node, "%q takes %s, not %s", v.name, t, show(x))
		return nil, false
	}
	return x, ok
}

func (l *loader) textValue(v value) (any, bool) {
	s, ok := l.text(v)
	return s, ok
}

// takes reports whether a value is of the type.
func (t paramType) takes(v any) bool {
	scalar, typed := v.(colstore.Scalar)
	switch k := typeOf(v).kind; t.kind {
	case paramAny:
		return v != nil
	case paramText:
		return k == paramText || typed && scalar.Type().IsString()
	case paramNumber:
		return k == paramNumber || typed && scalar.Type().IsNumber()
	case paramInteger:
		_, isFloat := v.(float64)
		return k == paramNumber && !isFloat ||
			typed && (scalar.Type().Kind() == colstore.KindInt || scalar.Type().Kind() == colstore.KindUint)
	case paramBool:
		return k == paramBool || typed && scalar.Type() == colstore.Bool
	case paramList:
		return k == paramList
	default:
		return typed && scalar.Type() == t.dtype
	}
}

// show prints a value for a message.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("%q", v)
	case []any:
		return "a list"
	case float64:
		return string(text.AppendFloat(nil, v, 64))
	}
	return frame.Lit(v).String()
}

// readBounds reads [low, high], either of which may be left out as ~.
func (l *loader) readBounds(p *param, v value) {
	if !l.is(v, listNode) {
		return
	}
	switch {
	case p.typ.kind != paramNumber && p.typ.kind != paramInteger:
		l.fail(codeParam, v.node, "a range is for numbers, and this parameter takes %s", p.typ)
		return
	case len(v.items) != 2:
		l.fail(codeShape, v.node, "a range is [low, high]")
		return
	}
	p.low, _ = l.typed(paramType{kind: paramNumber}, value{v.items[0], v.name})
	p.high, _ = l.typed(paramType{kind: paramNumber}, value{v.items[1], v.name})
}
