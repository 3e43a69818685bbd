package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/recipes"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitCheck       = 3
	exitPartial     = 4
	exitLocked      = 5
	exitInterrupted = 130
)

// usageError is a mistake on the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// dataError is a failure that depends on the data, whatever kind its cause is of.
type dataError struct{ err error }

func (e dataError) Error() string { return e.err.Error() }
func (e dataError) Unwrap() error { return e.err }

// partialError tells that some of several outputs failed; their errors were printed already.
type partialError struct{ failed, all int }

func (e partialError) Error() string {
	return fmt.Sprintf("%d of %d outputs failed, the others are done", e.failed, e.all)
}

// checkError tells that files do not hold what they say, or what else a check was about; what was found was printed already.
type checkError struct {
	failed, all int
	path        string // of the last one
	text        string // says it instead
}

func (e checkError) Error() string {
	if e.text != "" {
		return e.text
	}
	if e.all == 1 {
		return e.path + " does not hold what it says"
	}
	return fmt.Sprintf("%d of %d files do not hold what they say", e.failed, e.all)
}

// kinds are the errors' names in JSON and the exit codes they end with, the narrower ones first.
var kinds = []struct {
	err  error
	kind string
	code int
}{
	{errInterrupted, "interrupted", exitInterrupted},
	{colstore.ErrLocked, "locked", exitLocked},
	{colstore.ErrChecksum, "checksum", exitFailed},
	{colstore.ErrTruncated, "truncated", exitFailed},
	{colstore.ErrFormat, "format", exitFailed},
	{colstore.ErrNull, "null", exitFailed},
	{colstore.ErrMismatch, "mismatch", exitFailed},
	{colstore.ErrNoColumn, "column", exitFailed},
	{colstore.ErrDuplicate, "duplicate", exitFailed},
	{colstore.ErrRange, "range", exitFailed},
	{colstore.ErrBudget, "budget", exitFailed},
	{colstore.ErrExists, "exists", exitFailed},
	{colstore.ErrOption, "option", exitUsage},
	{colstore.ErrType, "type", exitFailed},
	{colstore.ErrValue, "value", exitFailed},
	{fs.ErrNotExist, "not found", exitFailed},
	{fs.ErrPermission, "permission", exitFailed},
}

// classify returns the kind of an error and its exit code.
func classify(err error) (kind string, code int) {
	if _, ok := errors.AsType[partialError](err); ok {
		return "partial", exitPartial
	}
	if _, ok := errors.AsType[checkError](err); ok {
		return "check", exitCheck
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return "usage", exitUsage
	}
	if _, ok := errors.AsType[recipes.Errors](err); ok {
		return "recipe", exitUsage
	}
	if _, ok := errors.AsType[*frame.QueryError](err); ok {
		return "query", exitUsage
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			if _, data := errors.AsType[dataError](err); data && k.code == exitUsage {
				return k.kind, exitFailed
			}
			return k.kind, k.code
		}
	}
	return "error", exitFailed
}

// fail prints an error and returns the exit code.
func (a *app) fail(err error) int {
	kind, code := classify(err)
	if a.asJSON {
		a.failJSON(kind, err)
		return code
	}
	prefix := "colstore: "
	if a.command != "" {
		prefix = "colstore " + a.command + ": "
	}
	if r, ok := errors.AsType[recipes.Errors](err); ok {
		fmt.Fprintln(a.err, r)
		return code
	}
	fmt.Fprintln(a.err, prefix+err.Error())
	if q, ok := errors.AsType[*frame.QueryError](err); ok && q.Caret() != "" {
		fmt.Fprintln(a.err, indent(q.Caret()))
	}
	if kind == "usage" {
		fmt.Fprintf(a.err, "see %s --help\n", prefix[:len(prefix)-2])
	}
	return code
}

// failJSON prints an error as one JSON object.
func (a *app) failJSON(kind string, err error) {
	type object struct {
		Kind    string  `json:"kind"`
		Message string  `json:"message"`
		Path    *string `json:"path"`
		Column  *string `json:"column"`
		Record  *int64  `json:"record"`
		Row     *int64  `json:"row"`
	}
	o := object{Kind: kind, Message: err.Error()}
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		if e.Path != "" {
			o.Path = &e.Path
		}
		if e.Column != "" {
			o.Column = &e.Column
		}
		if i, ok := e.Record.Get(); ok {
			o.Record = &i
		}
		if i, ok := e.Row.Get(); ok {
			o.Row = &i
		}
	}
	if q, ok := errors.AsType[*frame.QueryError](err); ok && q.Column != "" {
		o.Column = &q.Column
	}
	enc := json.NewEncoder(a.err)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]object{"error": o}) // strings and integers always encode
}

func indent(s string) string {
	var out strings.Builder
	out.WriteString("  ")
	for _, r := range s {
		out.WriteString(string(r))
		if r == '\n' {
			out.WriteString("  ")
		}
	}
	return out.String()
}
