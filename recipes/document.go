package recipes

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// maxText is the size of a recipe.
const maxText = 1 << 20

// A document is the text of a recipe and what is needed to speak of places in it.
type document struct {
	file  string
	text  string
	lines []int // where each line begins

	// What offset found last: places come in the order of the text, and a line may be long.
	lastLine, lastColumn, lastOffset int
}

// newDocument checks the characters of a text.
func newDocument(file string, text []byte) (*document, *Error) {
	d := &document{file: file, text: strings.TrimPrefix(string(text), "\ufeff"), lines: []int{0}}
	if len(text) > maxText {
		return nil, &Error{
			File: file, Line: 1, Column: 1, EndColumn: 1, Code: codeBomb, Severity: SeverityError,
			Message: fmt.Sprintf("a recipe has at most 1 MiB, this has %d bytes", len(text)),
		}
	}
	for i := 0; i < len(d.text); i++ {
		if c := d.text[i]; c == '\n' || c == '\r' && !strings.HasPrefix(d.text[i+1:], "\n") {
			d.lines = append(d.lines, i+1)
		}
	}
	for i, r := range d.text {
		if why := refused(r, d.text[i:]); why != "" {
			_, size := utf8.DecodeRuneInString(d.text[i:])
			return nil, d.problem(codeCharacter, i, i+size, "%s", why)
		}
	}
	return d, nil
}

// refused says why a character cannot be in a recipe; it is empty for those that can.
func refused(r rune, text string) string {
	switch {
	case r == utf8.RuneError && !strings.HasPrefix(text, string(utf8.RuneError)):
		return fmt.Sprintf("the byte 0x%02x is not UTF-8; save the recipe as UTF-8", text[0])
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return fmt.Sprintf("%U is a line break in some YAML versions; remove it, or write \"\\u%04x\" in double quotes", r, r)
	case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return fmt.Sprintf("the character %U cannot be in a recipe; remove it, or write \"\\u%04x\" in double quotes", r, r)
	}
	return ""
}

// lineOf returns the line that a byte is in.
func (d *document) lineOf(offset int) int { return sort.SearchInts(d.lines, offset+1) }

// position returns the line of a byte and its column in characters, both from 1.
func (d *document) position(offset int) (line, column int) {
	line = d.lineOf(offset)
	return line, 1 + utf8.RuneCountInString(d.text[d.lines[line-1]:offset])
}

// offset returns the byte at a position; one behind the end of the line is the end of the line.
func (d *document) offset(line, column int) int {
	line = min(max(line, 1), len(d.lines))
	if line != d.lastLine || column < d.lastColumn {
		d.lastLine, d.lastColumn, d.lastOffset = line, 1, d.lines[line-1]
	}
	end := d.lineEnd(line)
	for ; d.lastColumn < column && d.lastOffset < end; d.lastColumn++ {
		_, n := utf8.DecodeRuneInString(d.text[d.lastOffset:])
		d.lastOffset += n
	}
	return d.lastOffset
}

// lineEnd returns where a line ends, before its line break.
func (d *document) lineEnd(line int) int {
	end := len(d.text)
	if line < len(d.lines) {
		end = d.lines[line]
	}
	switch before := d.text[d.lines[line-1]:end]; {
	case strings.HasSuffix(before, "\r\n"):
		return end - 2
	case strings.HasSuffix(before, "\n"), strings.HasSuffix(before, "\r"):
		return end - 1
	}
	return end
}

// problem returns the error about the bytes from begin to end; what goes on in the next line is not marked there.
func (d *document) problem(code string, begin, end int, format string, args ...any) *Error {
	e := &Error{File: d.file, Code: code, Severity: SeverityError, Message: fmt.Sprintf(format, args...)}
	e.Line, e.Column = d.position(begin)
	stop := d.lineEnd(e.Line)
	e.EndColumn = e.Column + utf8.RuneCountInString(d.text[begin:min(max(begin, end), max(begin, stop))])
	e.Source = d.text[d.lines[e.Line-1]:stop]
	return e
}
