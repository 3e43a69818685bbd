package frame

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/query"
)

// A StepPos tells which step of a frame an error is about, and what the step had to work with. It is zero for what is
// wrong whatever the columns.
type StepPos struct {
	Index   int      // the number of the step, from 1
	Columns []string // the columns before the step
}

// atStep gives an error of step i, counted from 0, its position.
func atStep(err error, i int, columns []string) error {
	pos := StepPos{i + 1, columns}
	if e, ok := errors.AsType[*QueryError](err); ok {
		e.StepPos = pos
	}
	if e, ok := errors.AsType[*StepError](err); ok {
		e.StepPos = pos
	}
	return err
}

// A QueryError is what is wrong with an expression: its syntax, a name, a parameter, the types it puts together.
type QueryError struct {
	Text        string // the expression
	Offset, End int    // the bytes of Text that are wrong; both 0 if nothing narrower is
	Msg         string
	Column      string // a column that is not there, if that is what is wrong
	Err         error  // colstore.ErrType, colstore.ErrNoColumn, …; may be nil
	StepPos
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
	StepPos
}

// Error prints the step and the cause.
func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

func stepError(step string, err error) error { return &StepError{Step: step, Err: err} }

func stepErrorf(step string, kind error, format string, args ...any) error {
	return stepError(step, fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...)))
}

// noColumnIn is the error for a column name in an expression that the frame does not have at that point.
func noColumnIn(n *node, names []string) error {
	return &QueryError{
		Text: n.text, Offset: n.begin, End: n.end, Column: n.name, Err: colstore.ErrNoColumn,
		Msg: fmt.Sprintf("no column %q here%s", n.name, colstore.Suggest(n.name, names)),
	}
}
