package fsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// A Template names files: text with fields in braces, like "shard_{index:05d}.cstore". Doubled braces are braces.
type Template struct{ parts []templatePart }

// templatePart is text, or a field if it has a name.
type templatePart struct {
	text  string
	field string
	width int
	zeros bool // the width is filled with zeros, not blanks
}

// indexField is the one field that is a number.
const indexField = "index"

// ParseTemplate reads a template of these fields. Only index, which is a number, takes a width: {index:3}, {index:03d}.
// what says in errors whose text it is: "output template".
//
// Errors: colstore.ErrOption for braces that do not match, another field, or a width that is none.
func ParseTemplate(what, text string, fields ...string) (*Template, error) {
	bad := func(format string, args ...any) (*Template, error) {
		return nil, fmt.Errorf("%w: %s %q: %s", colstore.ErrOption, what, text, fmt.Sprintf(format, args...))
	}
	t := &Template{}
	for rest := text; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			t.add(rest)
			break
		}
		t.add(rest[:i])
		brace := rest[i]
		rest = rest[i+1:]
		if rest != "" && rest[0] == brace {
			t.add(string(brace))
			rest = rest[1:]
			continue
		}
		if brace == '}' {
			return bad("a } without its {")
		}
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return bad("a { without its }")
		}
		field, spec, hasSpec := strings.Cut(rest[:end], ":")
		rest = rest[end+1:]
		part := templatePart{field: field}
		switch {
		case hasSpec && field != indexField:
			return bad("only {index} has a width")
		case !slices.Contains(fields, field):
			return bad("no field {%s}; there is {%s}", field, strings.Join(fields, "}, {"))
		case !part.setWidth(spec):
			return bad("{index:%s} is no width; write for instance {index:03d}", spec)
		}
		t.parts = append(t.parts, part)
	}
	return t, nil
}

// add appends text.
func (t *Template) add(text string) {
	if n := len(t.parts); n > 0 && t.parts[n-1].field == "" {
		t.parts[n-1].text += text
	} else if text != "" {
		t.parts = append(t.parts, templatePart{text: text})
	}
}

// setWidth reads a width: "", "d", "3", "03", "03d".
func (p *templatePart) setWidth(spec string) bool {
	digits := strings.TrimSuffix(spec, "d")
	if digits == "" {
		return true
	}
	width, err := strconv.ParseUint(digits, 10, 8)
	p.width, p.zeros = int(width), digits[0] == '0'
	return err == nil
}

// Name returns the name for an index and the values of the other fields.
func (t *Template) Name(index int64, values map[string]string) string {
	var b strings.Builder
	for _, p := range t.parts {
		switch p.field {
		case "":
			b.WriteString(p.text)
		case indexField:
			text, pad := strconv.FormatInt(index, 10), " "
			if p.zeros {
				pad = "0"
			}
			b.WriteString(strings.Repeat(pad, max(0, p.width-len(text))) + text)
		default:
			b.WriteString(values[p.field])
		}
	}
	return b.String()
}

// AroundIndex returns the text before and after the index of a template that has no other field, how often it has the
// index, and whether blanks may stand before its digits.
func (t *Template) AroundIndex() (before, after string, times int, blanks bool) {
	for _, p := range t.parts {
		switch {
		case p.field != "":
			times++
			blanks = blanks || p.width > 0 && !p.zeros
		case times == 0:
			before += p.text
		default:
			after += p.text
		}
	}
	return before, after, times, blanks
}
