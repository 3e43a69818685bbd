package recipes

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is how a scalar is written.
type style uint8

const (
	plain style = iota
	singleQuoted
	doubleQuoted
	literal // |
	folded  // >
)

// locate finds where in text each byte of value comes from, for a scalar that begins at byte begin. The result has one
// more offset: where the content ends. It is nil if the value cannot be followed through the text.
//
// The value, which the YAML parser has found, leads the way: where the text folds lines, the value says whether that
// made a space or line breaks, so that neither indentation nor context need be known.
func locate(text string, begin int, s style, value string) []int {
	f := follower{text: text, at: begin, value: value, offsets: make([]int, 0, len(value)+1)}
	ok := false
	switch s {
	case plain:
		ok = f.flow(0)
	case singleQuoted:
		f.at++
		ok = f.flow('\'')
	case doubleQuoted:
		f.at++
		ok = f.flow('"')
	default:
		ok = f.block()
	}
	if !ok || len(f.offsets) != len(value) {
		return nil
	}
	return append(f.offsets, f.at)
}

// A follower walks through the text of a scalar and its value side by side.
type follower struct {
	text    string
	at      int // in text
	value   string
	offsets []int // of the bytes of value so far
}

// rest returns the value that is left.
func (f *follower) rest() string { return f.value[len(f.offsets):] }

// take checks that the value goes on with s, which the text has at byte at.
func (f *follower) take(s string, at, step int) bool {
	if !strings.HasPrefix(f.rest(), s) {
		return false
	}
	for i := range len(s) {
		f.offsets = append(f.offsets, at+i*step)
	}
	return true
}

// flow follows a plain scalar (quote 0) or a quoted one.
func (f *follower) flow(quote byte) bool {
	joined := false // behind an escaped line break, where a line break is not a space
	for f.rest() != "" {
		if f.at >= len(f.text) {
			return false
		}
		c, blanks := f.text[f.at], f.blanksAhead()
		switch {
		case breakAt(f.text, f.at+blanks) > 0:
			if !f.fold(joined) {
				return false
			}
		case blanks > 0:
			if !f.take(f.text[f.at:f.at+blanks], f.at, 1) {
				return false
			}
			f.at += blanks
		case quote == '\'' && c == '\'':
			if !f.take("'", f.at, 0) {
				return false
			}
			f.at += 2
		case quote == '"' && c == '\\':
			if n := breakAt(f.text, f.at+1); n > 0 {
				f.at += 1 + n
				f.at += f.blanksAhead()
				joined = true
				continue
			}
			s, n := unescape(f.text[f.at:])
			if n == 0 || !f.take(s, f.at, 0) {
				return false
			}
			f.at += n
		default:
			if !f.take(f.text[f.at:f.at+1], f.at, 1) {
				return false
			}
			f.at++
		}
		joined = false
	}
	return true
}

// fold passes over line breaks and the blanks around them, which are a space or line breaks of the value.
func (f *follower) fold(joined bool) bool {
	breaks, first := 0, f.at
	f.at += f.blanksAhead()
	for n := breakAt(f.text, f.at); n > 0; n = breakAt(f.text, f.at) {
		breaks++
		f.at += n
		f.at += f.blanksAhead()
	}
	if !joined && breaks == 1 {
		return f.take(" ", first, 0)
	}
	if !joined {
		breaks--
	}
	return f.take(strings.Repeat("\n", breaks), first, 0)
}

// blanksAhead returns how many blanks come next.
func (f *follower) blanksAhead() int {
	n := 0
	for f.at+n < len(f.text) && (f.text[f.at+n] == ' ' || f.text[f.at+n] == '\t') {
		n++
	}
	return n
}

// breakAt returns the bytes of the line break at a byte of text, or 0.
func breakAt(text string, at int) int {
	switch {
	case strings.HasPrefix(text[min(at, len(text)):], "\r\n"):
		return 2
	case at < len(text) && (text[at] == '\n' || text[at] == '\r'):
		return 1
	}
	return 0
}

// unescape reads the escape that s begins with: what it stands for, and its length.
func unescape(s string) (value string, n int) {
	if len(s) < 2 {
		return "", 0
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]; digits > 0 {
		if len(s) < 2+digits {
			return "", 0
		}
		v, err := strconv.ParseUint(s[2:2+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(v)) {
			return "", 0
		}
		return string(rune(v)), 2 + digits
	}
	value, ok := escapes[s[1]]
	if !ok {
		return "", 0
	}
	return value, 2
}

var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, '\'': "'", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// block follows a literal or folded scalar, whose content begins below its header. Line breaks of the value are placed
// where the line before them ends.
func (f *follower) block() bool {
	indent, content := f.indent(), len(strings.TrimRight(f.value, "\n"))
	for f.at = f.lineEnd(); len(f.offsets) < content; f.at = f.lineEnd() {
		before, n := f.at, breakAt(f.text, f.at)
		if n == 0 {
			return false
		}
		f.at += n
		line := f.text[f.at:f.lineEnd()]
		if len(line) <= indent && strings.Trim(line, " ") == "" {
			continue
		}
		for strings.HasPrefix(f.rest(), "\n") {
			f.take("\n", before, 0)
		}
		line = line[min(indent, len(line)):]
		if strings.HasPrefix(f.rest(), " ") && !strings.HasPrefix(f.rest(), line) {
			f.take(" ", before, 0) // the fold of a > scalar
		}
		if !f.take(line, f.lineEnd()-len(line), 1) {
			return false
		}
	}
	return f.take(f.rest(), f.at, 0)
}

// indent returns the indentation of a block scalar at its header. The first line with content is as many lines below as
// the value begins with line breaks; what the value has of its blanks is no indentation.
func (f *follower) indent() int {
	first := strings.TrimLeft(f.value, "\n")
	below := follower{text: f.text, at: f.at}
	for range 1 + len(f.value) - len(first) {
		below.at = below.lineEnd()
		below.at += breakAt(below.text, below.at)
	}
	return max(0, leadingBlanks(below.text[below.at:below.lineEnd()])-leadingBlanks(first))
}

func leadingBlanks(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// lineEnd returns where the line that f.at is in ends.
func (f *follower) lineEnd() int {
	if i := strings.IndexAny(f.text[f.at:], "\r\n"); i >= 0 {
		return f.at + i
	}
	return len(f.text)
}
