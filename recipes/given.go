package recipes

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// give replaces the default of a parameter by the value that was given for it, if one was.
func (l *loader) give(p *param) {
	v, ok := l.given[p.name]
	if !ok {
		if p.value == nil && !p.broken {
			e := l.fail(codeParam, p.key, "the parameter %q has no default and was given no value", p.name)
			e.Hint = "set it with  -p " + p.name + "=VALUE"
			p.broken = true
		}
		return
	}
	if p.broken {
		return
	}
	problems := len(l.errs)
	if s, isText := v.(string); isText {
		p.value, p.text = l.parseGiven(p, s), s
	} else if v, ok := given(v); ok && p.typ.takes(v) {
		p.value, p.text = v, plainText(v)
	} else {
		l.fail(codeParam, p.key, "the parameter %q takes %s, and was given %s", p.name, p.typ, show(v))
	}
	if len(l.errs) == problems {
		l.check(p, p.key)
	}
	p.broken = len(l.errs) > problems
}

// given returns a value of one of the types that parameters have.
func given(v any) (any, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case *big.Int:
		if v.IsInt64() {
			return v.Int64(), true
		}
		return v, true
	case bool, int64, float64, colstore.Scalar:
		return v, true
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			x, ok := given(item)
			if _, isText := item.(string); isText {
				x, ok = item, true
			}
			if !ok {
				return nil, false
			}
			out[i] = x
		}
		return out, true
	}
	return nil, false
}

// plainText returns a value as ${name} shows it.
func plainText(v any) string {
	if s, ok := v.(colstore.Scalar); ok {
		return string(text.AppendPlain(nil, s.Cell(), 0))
	}
	return fmt.Sprint(v)
}

// parseGiven reads a value as it was typed.
func (l *loader) parseGiven(p *param, s string) any {
	bad := func(why string) any {
		l.fail(codeParam, p.key, "the parameter %q takes %s, and was given %q%s", p.name, p.typ, s, why)
		return nil
	}
	switch p.typ.kind {
	case paramText:
		return s
	case paramTyped:
		v, err := text.ParseScalar(p.typ.dtype, s)
		if err != nil {
			return bad("")
		}
		return v
	case paramList:
		out := []any{}
		for item := range strings.SplitSeq(s, ",") {
			one := *p
			one.typ = paramType{kind: p.typ.item}
			out = append(out, l.parseGiven(&one, strings.TrimSpace(item)))
		}
		return out
	}
	v, why := typesItself(s)
	if why != "" {
		return bad(", " + why)
	}
	if !p.typ.takes(v) {
		return bad("")
	}
	return v
}

// typesItself reads a typed value without a known type: DTYPE:VALUE, a number, true or false, else a text.
func typesItself(s string) (v any, why string) {
	if code, rest, ok := strings.Cut(s, ":"); ok {
		if t, err := colstore.ParseDType(code); err == nil {
			v, err := text.ParseScalar(t, rest)
			if err != nil {
				return nil, err.Error()
			}
			return v, ""
		}
	}
	switch s {
	case "true", "false":
		return s == "true", ""
	}
	n, bad := parseNumber(s)
	switch {
	case bad != nil:
		return nil, bad.why
	case n != nil:
		return n, ""
	}
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan", "inf", "infinity":
		if f, err := text.ParseFloat(s); err == nil {
			return f, ""
		}
	}
	return s, ""
}

// check refuses a value that is outside of what its parameter declares.
func (l *loader) check(p *param, at *node) {
	if p.oneOf != nil && !slices.ContainsFunc(p.oneOf, func(v any) bool { return equal(v, p.value) }) {
		all := make([]string, len(p.oneOf))
		for i, v := range p.oneOf {
			all[i] = show(v)
		}
		l.fail(codeParam, at, "the parameter %q is one of %s, not %s", p.name, strings.Join(all, ", "), show(p.value))
		return
	}
	if p.low != nil && compare(p.value, p.low) < 0 || p.high != nil && compare(p.value, p.high) > 0 ||
		(p.low != nil || p.high != nil) && isNaN(p.value) {
		l.fail(codeParam, at, "the parameter %q is in the range [%s, %s], %s is not", p.name, bound(p.low), bound(p.high), show(p.value))
	}
}

func bound(v any) string {
	if v == nil {
		return "~"
	}
	return show(v)
}

func isNaN(v any) bool {
	f, ok := v.(float64)
	return ok && f != f
}

// equal reports whether two values are the same, numbers by their value.
func equal(a, b any) bool {
	if typeOf(a).kind == paramNumber && typeOf(b).kind == paramNumber {
		return !isNaN(a) && !isNaN(b) && compare(a, b) == 0
	}
	x, isList := a.([]any)
	y, both := b.([]any)
	if isList || both {
		return isList == both && slices.EqualFunc(x, y, equal)
	}
	return a == b
}

// compare orders two numbers, exactly; NaN is not ordered and gives 0.
func compare(a, b any) int {
	x, y := exact(a), exact(b)
	if x == nil || y == nil {
		return 0
	}
	return x.Cmp(y)
}

func exact(v any) *big.Float {
	switch v := v.(type) {
	case int64:
		return new(big.Float).SetInt64(v)
	case *big.Int:
		return new(big.Float).SetInt(v)
	case float64:
		if v == v {
			return new(big.Float).SetFloat64(v)
		}
	case colstore.Scalar:
		if f, _, err := big.ParseFloat(plainText(v), 10, 64, big.ToNearestEven); err == nil {
			return f
		}
	}
	return nil
}
