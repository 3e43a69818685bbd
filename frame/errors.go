package frame

import (
	"fmt"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/query"
)

// A QueryError is what is wrong with an expression: its syntax, a name, a parameter, the types it puts together.
type QueryError struct {
	Text        string // the expression
	Offset, End int    // the bytes of Text that are wrong; both 0 if nothing narrower is
	Msg         string
	Column      string // a column that is not there, if that is what is wrong
	Err         error  // colstore.ErrType, colstore.ErrNoColumn, …; may be nil
}

// Error prints the message and, if the expression was text, where in it.
func (e *QueryError) Error() string {
	if e.Text == "" {
		return e.Msg
	}
	if e.End == 0 {
		return fmt.Sprintf("%s in %q", e.Msg, e.Text)
	}
	return fmt.Sprintf("%s at column %d of %q", e.Msg, 1+utf8.RuneCountInString(e.Text[:e.Offset]), e.Text)
}

// Unwrap returns the cause.
func (e *QueryError) Unwrap() error { return e.Err }

// Caret returns the line of the text that is wrong, and below it a line that points there; empty without a position.
func (e *QueryError) Caret() string {
	if e.Text == "" || e.End == 0 {
		return ""
	}
	return (&query.Error{Text: e.Text, Offset: e.Offset, End: e.End}).Caret()
}

// A StepError is what is wrong with a step that is no expression: a name, a dtype.
type StepError struct {
	Step string // the verb: "drop", "rename"
	Err  error
}

// Error prints the step and the cause.
func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

func stepError(step string, err error) error { return &StepError{step, err} }

func stepErrorf(step string, kind error, format string, args ...any) error {
	return stepError(step, fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...)))
}

// noColumnIn is the error for a column name in an expression that the frame does not have at that point.
func noColumnIn(n *node, names []string) error {
	return &QueryError{Text: n.text, Offset: n.begin, End: n.end, Column: n.name, Err: colstore.ErrNoColumn,
		Msg: fmt.Sprintf("no column %q here%s", n.name, colstore.Suggest(n.name, names))}
}
