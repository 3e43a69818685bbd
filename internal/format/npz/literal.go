package npz

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// A tuple is a Python tuple or list.
type tuple []any

// maxNesting bounds what a header can make the parser recurse.
const maxNesting = 32

// literal reads the Python literals that headers of arrays are made of: dicts of text keys as map[string]any, tuples and
// lists as tuple, text as string, whole numbers as int64, True and False as bool, None as nil.
type literal struct {
	text string
	at   int
}

// parseLiteral reads a text that is one literal.
//
// Errors: colstore.ErrFormat.
func parseLiteral(text string) (any, error) {
	l := &literal{text: text}
	v, err := l.value(0)
	if err != nil {
		return nil, err
	}
	if l.blanks(); l.at < len(l.text) {
		return nil, l.wrong("the end")
	}
	return v, nil
}

func (l *literal) wrong(want string) error {
	return fmt.Errorf("%w: the array's header is malformed at byte %d: expected %s", colstore.ErrFormat, l.at, want)
}

func (l *literal) blanks() {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
}

// accept consumes a character if it is the next one that is no blank.
func (l *literal) accept(c byte) bool {
	l.blanks()
	if l.at < len(l.text) && l.text[l.at] == c {
		l.at++
		return true
	}
	return false
}

func (l *literal) value(depth int) (any, error) {
	l.blanks()
	if depth > maxNesting {
		return nil, fmt.Errorf("%w: the array's header is nested too deeply", colstore.ErrFormat)
	}
	if l.at == len(l.text) {
		return nil, l.wrong("a value")
	}
	switch c := l.text[l.at]; {
	case c == '{':
		l.at++
		return l.dict(depth)
	case c == '(' || c == '[':
		l.at++
		return l.items(c, depth)
	case c == '\'' || c == '"':
		return l.quoted()
	case c == '-' || c >= '0' && c <= '9':
		return l.number()
	}
	for word, v := range map[string]any{"True": true, "False": false, "None": nil} {
		if strings.HasPrefix(l.text[l.at:], word) {
			l.at += len(word)
			return v, nil
		}
	}
	return nil, l.wrong("a value")
}

func (l *literal) dict(depth int) (any, error) {
	out := map[string]any{}
	for !l.accept('}') {
		if len(out) > 0 && !l.accept(',') {
			return nil, l.wrong("a comma")
		}
		if l.accept('}') {
			break
		}
		key, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if _, twice := out[name]; !ok || twice {
			return nil, l.wrong("another key")
		}
		if !l.accept(':') {
			return nil, l.wrong("a colon")
		}
		if out[name], err = l.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// items reads what follows an opening bracket. One value in parentheses without a comma is that value.
func (l *literal) items(open byte, depth int) (any, error) {
	closing, comma := byte(')'), false
	if open == '[' {
		closing = ']'
	}
	out := tuple{}
	for !l.accept(closing) {
		if len(out) > 0 && !comma {
			return nil, l.wrong("a comma")
		}
		v, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		comma = l.accept(',')
	}
	if open == '(' && len(out) == 1 && !comma {
		return out[0], nil
	}
	return out, nil
}

// quoted reads a text. Of the escapes only those of the quote and the backslash matter: names of fields, which nobody asks
// for, may have others.
func (l *literal) quoted() (any, error) {
	quote := l.text[l.at]
	var b strings.Builder
	for i := l.at + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == quote:
			l.at = i + 1
			return b.String(), nil
		case c == '\\' && i+1 < len(l.text):
			i++
			b.WriteByte(l.text[i])
		default:
			b.WriteByte(c)
		}
	}
	l.at = len(l.text)
	return nil, l.wrong("the end of a text")
}

// number reads a whole number; Python 2 wrote an L behind long ones.
func (l *literal) number() (any, error) {
	end := l.at + 1
	for end < len(l.text) && l.text[end] >= '0' && l.text[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(l.text[l.at:end], 10, 64)
	if err != nil {
		return nil, l.wrong("a whole number of 64 bits")
	}
	if l.at = end; l.at < len(l.text) && l.text[l.at] == 'L' {
		l.at++
	}
	return n, nil
}
