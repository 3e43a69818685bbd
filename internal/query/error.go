package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error says what in a text is not of the language. Offset and End are the bytes at fault; they are equal where
// something is missing.
type Error struct {
	Text        string
	Offset, End int
	Msg         string
}

// Error prints the place, then what is wrong: `at column 4: use == to compare`. The line is named from the second on.
func (e *Error) Error() string { return "at " + e.place() + ": " + e.Msg }

func (e *Error) place() string {
	line, column := e.Position()
	if line > 1 {
		return fmt.Sprintf("line %d, column %d", line, column)
	}
	return fmt.Sprintf("column %d", column)
}

// Position returns the line of Offset and its column, counted in characters; both start at 1.
func (e *Error) Position() (line, column int) {
	offset, begin, _ := e.bounds()
	before := strings.ReplaceAll(e.Text[:begin], "\r\n", "\n")
	line = 1 + strings.Count(before, "\n") + strings.Count(before, "\r")
	return line, 1 + utf8.RuneCountInString(e.Text[begin:offset])
}

// Caret returns the line at fault and under it a line of ^ that marks the fault; a fault of several lines is marked on
// its first. The middle of a long line is shown. Characters that do not print are replaced, so the result is safe to
// show on a terminal. It has no final line break.
func (e *Error) Caret() string {
	const width, lead, longest = 120, 50, 50
	offset, begin, end := e.bounds()
	stop := min(max(e.End, offset), end)
	before, marked, after := printable(e.Text[begin:offset]), printable(e.Text[offset:stop]), printable(e.Text[stop:end])
	if len(before)+len(marked)+len(after) > width {
		if cut := len(before) - lead; cut > 0 {
			before = append([]rune{'…'}, before[cut:]...)
		}
		if len(marked) > longest {
			marked = append(marked[:longest:longest], '…')
			after = nil
		}
		if room := width - len(before) - len(marked); len(after) > room {
			after = append(after[:room:room], '…')
		}
	}
	var b strings.Builder
	b.WriteString(string(before))
	b.WriteString(string(marked))
	b.WriteString(string(after))
	b.WriteByte('\n')
	for _, r := range before {
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteString(strings.Repeat("^", max(1, len(marked))))
	return b.String()
}

// bounds returns Offset, kept inside the text, and the begin and end of its line.
func (e *Error) bounds() (offset, begin, end int) {
	offset = min(max(e.Offset, 0), len(e.Text))
	begin = 1 + strings.LastIndexAny(e.Text[:offset], "\r\n")
	return offset, begin, lineEnd(e.Text, offset)
}

// lineEnd returns where the line that holds the byte at ends, before its line break.
func lineEnd(text string, at int) int {
	if n := strings.IndexAny(text[at:], "\r\n"); n >= 0 {
		return at + n
	}
	return len(text)
}

func printable(s string) []rune {
	runes := []rune(s)
	for i, r := range runes {
		if r != '\t' && !unicode.IsPrint(r) {
			runes[i] = utf8.RuneError
		}
	}
	return runes
}
