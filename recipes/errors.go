package recipes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/colstore/colstore-go/frame"
)

// The severities of an [Error].
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// An Error is one problem of a recipe and its place in the file.
type Error struct {
	File      string `json:"file"`
	Line      int    `json:"line"`       // from 1
	Column    int    `json:"column"`     // in characters, from 1
	EndColumn int    `json:"end_column"` // behind the last character at fault, on the same line
	Code      string `json:"code"`       // see [Explain]
	Severity  string `json:"severity"`   // "error" or "warning"
	Message   string `json:"message"`
	Hint      string `json:"hint"` // what to do about it; may have several lines
	Source    string `json:"-"`    // the line; empty if showing it tells nothing
	Err       error  `json:"-"`    // what caused it, if that is an error of its own
}

// Error prints file, place and message, then the line with the characters at fault marked, then the hint.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s %s: %s", e.File, e.Line, e.Column, e.Severity, e.Code, e.Message)
	if e.Source != "" {
		begin, end := byteOf(e.Source, e.Column), byteOf(e.Source, e.EndColumn)
		// Of a line of megabytes, no more than what is shown is looked at.
		from, to := boundary(e.Source, begin-around), boundary(e.Source, end+around)
		mark := frame.QueryError{Text: e.Source[from:to], Offset: begin - from, End: max(begin+1, end) - from}
		line, caret, _ := strings.Cut(mark.Caret(), "\n")
		fmt.Fprintf(&b, "\n%5d | %s\n      | %s", e.Line, line, caret)
	}
	if e.Hint != "" {
		b.WriteString("\n   " + strings.ReplaceAll(e.Hint, "\n", "\n   "))
	}
	return b.String()
}

// around is how many bytes beside the fault are looked at for showing it.
const around = 1000

// boundary returns where the character of s that byte at is in begins, for at of any value.
func boundary(s string, at int) int {
	at = min(max(at, 0), len(s))
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// byteOf returns the byte of s at which the character of a column, counted from 1, begins.
func byteOf(s string, column int) int {
	at := 0
	for range column - 1 {
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return at
}

// Errors are all problems of a recipe, the first hundred of very many, in the order of the file.
type Errors []*Error

// Error prints the problems with an empty line between them.
func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i, p := range e {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n\n")
}

// Unwrap returns the problems.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, p := range e {
		out[i] = p
	}
	return out
}

// finish puts the problems in the order of the file, those at one place in the order they were found, and cuts what
// quotes too much of it.
func (e Errors) finish() Errors {
	for _, p := range e {
		p.Message, p.Hint = clip(p.Message), clip(p.Hint)
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return e
}

func clip(s string) string {
	if len(s) > around {
		return s[:boundary(s, around)] + "…"
	}
	return s
}
