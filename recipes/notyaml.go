package recipes

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// notYAML turns an error of the YAML parser into ours: what was probably meant, if the value in that line tells, else
// what is wrong in words that a recipe's author can use.
func (d *document) notYAML(err error) *Error {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return d.problem(codeYAML, 0, 0, "%v", err)
	}
	at := d.offset(e.Mark.Line, e.Mark.Column)
	if at == len(d.text) && e.ContextMark.Line > 0 {
		at = d.offset(e.ContextMark.Line, e.ContextMark.Column)
	}
	line, _ := d.position(at)
	if p := d.indentedByTab(line); p != nil && !strings.Contains(e.ContextMsg, "quoted") {
		return p
	}
	if p := d.unquoted(line, at, e.Message); p != nil {
		return p
	}
	for _, m := range yamlMessages {
		if strings.Contains(e.Message, m.has) && strings.Contains(e.ContextMsg, m.while) {
			if m.begins && e.ContextMark.Line > 0 {
				at = d.offset(e.ContextMark.Line, e.ContextMark.Column)
			}
			p := d.problem(m.code, at, at+1, "%s", m.text)
			p.Hint = m.hint
			return p
		}
	}
	return d.problem(codeYAML, at, at+1, "this is not YAML: %s", strings.TrimPrefix(e.Message, "yaml: "))
}

// yamlMessages are the parser's messages and ours. Those that begin are shown where the construct begins.
var yamlMessages = []struct {
	has, while string
	code, text string
	begins     bool
	hint       string
}{
	{has: "exceeded max depth", code: codeBomb, text: fmt.Sprintf("lists and maps are more than %d deep in each other here", maxDepth)},
	{has: "mapping values are not allowed", code: codeYAML, text: "a key has no place here; check the indentation, or quote a value that has a colon and a blank"},
	{has: "did not find expected key", code: codeYAML, text: "this is no key of the map above; check the indentation, or quote the value before"},
	{has: "did not find expected '-' indicator", code: codeYAML, text: "this is no item of the list above; check the indentation"},
	{has: "unknown anchor", code: codeYAML, text: "this is an alias, and no anchor above has its name"},
	{has: "could not find expected ':'", code: codeYAML, text: "this is neither a key with its value nor the end of the value above", begins: true},
	{has: "expected node content", code: codeYAML, text: "a value is missing here, or it begins with a character that has to be quoted"},
	{has: "block sequence entries", code: codeYAML, text: "a list item has no place here; put it on a line of its own, below its key"},
	{has: "unexpected end of stream", while: "quoted", code: codeYAML, text: "this quote is not closed", begins: true},
	{has: "unexpected document indicator", while: "quoted", code: codeYAML, text: "this quote is not closed", begins: true},
	{has: "unknown escape character", code: codeYAML, text: `this escape does not exist; double the backslash, or use single quotes`},
	{has: "hexadecimal number", while: "quoted", code: codeYAML, text: `this escape lacks digits: \x takes 2, \u 4, \U 8`},
	{has: "did not find expected ',' or ']'", code: codeYAML, text: "this [ is not closed, or a comma is missing behind an item", begins: true, hint: flowHint},
	{has: "did not find expected ',' or '}'", code: codeYAML, text: "this { is not closed, or a comma is missing behind a value", begins: true, hint: flowHint},
	{has: "tab", code: codeTab, text: "a tab is no indentation; use spaces"},
}

const flowHint = "inside of { } and [ ] a comma, a bracket or a brace ends a value; quote a text that has one"

// indentedByTab returns the error about a tab that indents a line, or nil.
func (d *document) indentedByTab(line int) *Error {
	begin := d.lines[line-1]
	text := d.text[begin:d.lineEnd(line)]
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	i := strings.IndexByte(indent, '\t')
	if i < 0 {
		return nil
	}
	return d.problem(codeTab, begin+i, begin+len(indent), "a tab indents this line; YAML takes spaces only")
}

// beforeValue matches what stands before the value in a line: list dashes and a key.
var beforeValue = regexp.MustCompile(`^\s*(?:- +)*(?:([^\s'"\[\]{},#&*!|>%@` + "`" + `][^:#]*?|"[^"]*"|'[^']*')\s*:\s+(?:- +)*)?`)

// flipped matches a comparison that begins with a parameter.
var flipped = regexp.MustCompile(`^(@\w+)\s*(<=|>=|<|>|==|!=)\s*([^<>=!&|]+)$`)

var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

// unquoted returns the error about a value that YAML takes for something else because it is not quoted, or nil. at is
// where the parser gave up.
func (d *document) unquoted(line, at int, message string) *Error {
	begin := d.lines[line-1]
	text := d.text[begin:d.lineEnd(line)]
	m := beforeValue.FindStringSubmatchIndex(text)
	value := strings.TrimRight(text[m[1]:], " \t")
	key := ""
	if m[2] >= 0 {
		key = text[m[2]:m[3]]
	}
	if value == "" || at < begin+m[1] {
		return nil
	}
	problem := func(length int, hint, format string, args ...any) *Error {
		p := d.problem(codeQuote, begin+m[1], begin+m[1]+length, format, args...)
		p.Hint = hint
		return p
	}
	written := func(value string) string {
		if key == "" {
			return "write  " + value
		}
		return "write  " + key + ": " + value
	}
	what := "expression"
	if key == "cron" {
		what = "cron line"
	}
	switch c := value[0]; {
	case at > begin+m[1] && strings.Contains(message, "cannot start any token"):
		return d.problem(codeQuote, at, at+1, "%c cannot begin a value in YAML; quote it", d.text[at])
	case c == '@':
		if f := flipped.FindStringSubmatch(value); f != nil {
			return problem(1, written(f[3]+" "+mirrored[f[2]]+" "+f[1]), "@ cannot begin a value in YAML; quote it, or turn the comparison around")
		}
		return problem(1, written(quote(value)), "@ cannot begin a value in YAML; quote the %s", what)
	case c == '`', c == '%':
		return problem(1, written(quote(value)), "%c cannot begin a value in YAML; quote the %s", c, what)
	case strings.Contains(message, "unknown anchor") && c != '*':
		return nil
	case strings.Contains(message, "unknown anchor"):
		return problem(len(value), written(quote(value)), "%s is an alias in YAML, and no &%s is above; quote the %s if it is a text",
			value, strings.TrimLeft(value, "*"), what)
	case c == '*':
		return problem(1, written(quote(value)), "* starts an alias in YAML; quote the %s", what)
	case c == '!':
		return d.tag(begin+m[1], value[:endOf(value, " \t")])
	case c == '&':
		return problem(1, written(quote(value)), "& starts an anchor in YAML; quote the %s", what)
	case c == '>', c == '|':
		return problem(1, "", "%c starts a block of text in YAML; an expression needs a left side", c)
	case c == '\'' || c == '"':
		if end := closing(value); end > 0 && strings.TrimSpace(value[end:]) != "" && at >= begin+m[1]+end {
			return problem(len(value), written(quote(value)), "the value ends with its quote; put the whole expression in double quotes")
		}
	case strings.Contains(message, "'}'"), strings.Contains(message, "']'"), c == '{' && at > begin+m[1]:
		if open := braces.FindStringIndex(value); open != nil {
			p := d.problem(codeQuote, begin+m[1]+open[0], begin+m[1]+open[1], "{ begins a map in YAML, also inside of { } and [ ]; quote the value")
			p.Hint = "quote values with ${…} or {stem} inside { } or [ ]"
			return p
		}
	case strings.Contains(message, "mapping values are not allowed") && strings.Contains(value, ": "):
		return problem(len(value), written(quote(value)), `": " begins the value of a key in YAML; quote a text that has it`)
	}
	return nil
}

// braces matches a substitution, or a template, that is not quoted.
var braces = regexp.MustCompile(`\$\{[^}]*\}?|\{[A-Za-z_][A-Za-z0-9_:]*\}`)

// closing returns the byte behind the quote that closes the one s begins with, or 0.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0] && s[0] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return 0
}

// quote writes a text in YAML quotes, double ones if that needs no escapes.
func quote(s string) string {
	if !strings.ContainsAny(s, `"\`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
