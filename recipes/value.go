package recipes

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// is reports whether a value is a text, a list or a map, and says so if it is not.
func (l *loader) is(v value, k kind) bool {
	switch {
	case v.broken:
		return false
	case v.empty():
		l.fail(codeEmpty, v.node, "%q has no value", v.name)
		return false
	case v.kind != k:
		l.fail(codeShape, v.node, "%q is %s here, not %s", v.name, k, v.kind)
		return false
	}
	return true
}

// text reads a text, the characters of the scalar, with what ${…} stands for.
func (l *loader) text(v value) (string, bool) {
	if !l.is(v, scalarNode) {
		return "", false
	}
	return l.substitute(v.node)
}

// name reads a text in which nothing is substituted: a column, a dtype, a label.
func (l *loader) name(v value) (string, bool) {
	return v.value, l.is(v, scalarNode) && !l.hasTemplate(v.node, "names")
}

// hasTemplate reports a ${ where none is filled in.
func (l *loader) hasTemplate(n *node, where string) bool {
	i := strings.Index(n.value, "${")
	if i < 0 {
		return false
	}
	end := i + endOf(n.value[i:], "}") + 1
	l.failIn(codeNoTemplate, n, i, min(end, len(n.value)), "${…} has a place in paths and plain texts, not in %s", where)
	return true
}

// each calls read for the items of a list, or for a single value.
func (l *loader) each(v value, read func(value)) {
	if v.kind != listNode {
		read(v)
		return
	}
	for _, item := range v.items {
		read(value{item, v.name})
	}
}

// names reads a name or a list of them.
func (l *loader) names(v value) []string {
	var out []string
	if v.kind == listNode && len(v.items) == 0 {
		l.fail(codeEmpty, v.node, "%q names nothing", v.name)
	}
	l.each(v, func(item value) {
		if name, ok := l.name(item); ok {
			out = append(out, name)
		}
	})
	return out
}

// boolean reads true or false.
func (l *loader) boolean(v value) (b, ok bool) {
	if !l.is(v, scalarNode) {
		return false, false
	}
	if v.style == plain && (v.value == "true" || v.value == "false") {
		return v.value == "true", true
	}
	if v.style == plain && slices.Contains(booleanWords, strings.ToLower(v.value)) {
		l.fail(codeBoolean, v.node, "%q is text in this language; write true or false", v.value)
		return false, false
	}
	l.fail(codeBoolean, v.node, "%q is true or false, not %q", v.name, v.value)
	return false, false
}

var booleanWords = []string{"true", "false", "yes", "no", "on", "off", "y", "n"}

// choice reads one of some words.
func (l *loader) choice(v value, words ...string) (string, bool) {
	s, ok := l.text(v)
	if ok && !slices.Contains(words, s) {
		l.fail(codeChoice, v.node, "%q is not one of %s", s, strings.Join(words, ", "))
		return "", false
	}
	return s, ok
}

// count reads a whole number from least on.
func (l *loader) count(v value, least int64) (int64, bool) {
	n, ok := l.number(v)
	if !ok {
		return 0, false
	}
	i, ok := n.(int64)
	switch {
	case !ok:
		l.fail(codeNumber, v.node, "%q takes a whole number, not %s", v.name, v.value)
	case i < least:
		l.fail(codeBounds, v.node, "%q is at least %d", v.name, least)
	}
	return i, ok && i >= least
}

// size reads a size in bytes.
func (l *loader) size(v value) (colstore.ByteSize, bool) {
	if !l.is(v, scalarNode) || l.hasTemplate(v.node, "sizes") {
		return 0, false
	}
	n, err := colstore.ParseByteSize(v.value)
	if err != nil {
		l.fail(codeSize, v.node, "%q is not a size (examples: 4096, 64 MiB, 1.5 GB)", v.value)
	}
	return n, err == nil
}

// number reads a number: an int64, a *big.Int beyond its range, or a float64.
func (l *loader) number(v value) (any, bool) {
	if !l.is(v, scalarNode) || l.hasTemplate(v.node, "numbers") {
		return nil, false
	}
	if v.style == plain {
		switch n, bad := parseNumber(v.value); {
		case bad != nil:
			l.fail(bad.code, v.node, "%q is %s, %s", v.name, v.value, bad.why)
			return nil, false
		case n != nil:
			return n, true
		}
	}
	l.fail(codeNumber, v.node, "%q is a number, not %q", v.name, v.value)
	return nil, false
}

var (
	decimalForm = regexp.MustCompile(`^[-+]?(?:0|[1-9][0-9]*)$`)
	hexForm     = regexp.MustCompile(`^0x[0-9a-fA-F]+$`)
	floatForm   = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	leadingZero = regexp.MustCompile(`^[-+]?0[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$`)
	otherBases  = regexp.MustCompile(`^[-+]?0(?:o[0-7_]+|b[01_]+|x[0-9a-fA-F_]+)$`)
	underscores = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?$`)
)

// maxDigits is what a number may have, since reading one takes more than linear time.
const maxDigits = 4096

// A badNumber says why something that looks like a number is none.
type badNumber struct{ code, why string }

// parseNumber reads a number as the language spells it; n is nil for a text that is none.
func parseNumber(s string) (n any, bad *badNumber) {
	switch {
	case len(s) > maxDigits:
		return nil, nil
	case decimalForm.MatchString(s):
		return integer(s, 10), nil
	case hexForm.MatchString(s):
		return integer(s[2:], 16), nil
	case floatForm.MatchString(s):
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, &badNumber{codeBounds, "which is beyond the range of a float64"}
		}
		return f, nil
	case leadingZero.MatchString(s):
		return nil, &badNumber{codeAmbiguous, "which YAML versions read differently; leave out the leading zero, or quote it for text"}
	case otherBases.MatchString(s):
		return nil, &badNumber{codeAmbiguous, "which is a number in some YAML versions only; write a decimal one, or quote it for text"}
	case underscores.MatchString(s):
		return nil, &badNumber{codeAmbiguous, "which is a number in some YAML versions only; leave out the underscores, or quote it for text"}
	}
	switch strings.ToLower(strings.TrimPrefix(s, "+")) {
	case ".inf":
		return math.Inf(1), nil
	case "-.inf":
		return math.Inf(-1), nil
	case ".nan":
		return math.Float64frombits(0x7ff8 << 48), nil // the NaN of NumPy
	}
	return nil, nil
}

// integer returns an int64, or a *big.Int if it is none.
func integer(digits string, base int) any {
	v, _ := new(big.Int).SetString(digits, base) // the form was checked
	if v.IsInt64() {
		return v.Int64()
	}
	return v
}

// constant reads a value that types itself: a number, true or false, else a text. It is nil for a value that is left out.
func (l *loader) constant(v value) (any, bool) {
	if v.broken {
		return nil, false
	}
	if v.kind != scalarNode {
		l.fail(codeShape, v.node, "%q takes a number, a text, true or false, not %s", v.name, v.kind)
		return nil, false
	}
	if v.style != plain {
		return l.substitute(v.node)
	}
	switch s := v.value; s {
	case "", "~", "null", "Null", "NULL":
		return nil, true
	case "true", "false":
		return s == "true", true
	case "True", "TRUE", "False", "FALSE":
		l.fail(codeBoolean, v.node, "%q is text in this language; write true or false, or quote it", s)
		return nil, false
	}
	n, bad := parseNumber(v.value)
	if bad != nil {
		l.fail(bad.code, v.node, "%q is %s, %s", v.name, v.value, bad.why)
		return nil, false
	}
	if n != nil {
		return n, true
	}
	return l.substitute(v.node)
}

// dtype reads a dtype's name; "S" and "U" without a width are allowed.
func (l *loader) dtype(v value) (colstore.DType, bool) {
	s, ok := l.name(v)
	if !ok {
		return colstore.DType{}, false
	}
	t, err := colstore.ParseDType(s)
	if err != nil {
		e := l.fail(codeDType, v.node, "%s", strings.TrimPrefix(err.Error(), colstore.ErrType.Error()+": "))
		e.Hint = "for instance float32, int64, bool, S16, U8, datetime64[us]"
		e.Err = err
	}
	return t, err == nil
}
