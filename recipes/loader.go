package recipes

import (
	"fmt"
	"strings"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// A loader turns the nodes of one recipe into a pipeline and collects what is wrong with them.
type loader struct {
	doc    *document
	dir    string // of the recipe, from which relative paths count
	given  map[string]any
	env    func(string) (string, bool)
	now    time.Time
	errs   Errors
	params []*param
	byName map[string]*param
	values frame.Params
	r      *Recipe

	filled  int // bytes that ${…} stood for
	members int // that @name of lists brought into expressions
	checked int // names of columns that were looked at
}

// What a recipe may make of its 1 MiB, and how many problems are reported.
const (
	maxProblems = 100
	maxFilled   = 16 << 20
	maxMembers  = 1_000_000
	maxChecked  = 2_000_000
)

// enough ends the reading of a recipe that has more problems than anybody reads. It is a panic that Parse recovers.
type enough struct{}

// A value is a node with the key it belongs to, for messages.
type value struct {
	*node
	name string
}

// fail reports what is wrong with a node and returns the error, so that a hint can be added.
func (l *loader) fail(code string, n *node, format string, args ...any) *Error {
	begin, end := n.bounds()
	return l.failAt(code, begin, end, format, args...)
}

// failIn reports what is wrong with bytes of a scalar's value.
func (l *loader) failIn(code string, n *node, begin, end int, format string, args ...any) *Error {
	begin, end = n.span(begin, end)
	return l.failAt(code, begin, end, format, args...)
}

func (l *loader) failAt(code string, begin, end int, format string, args ...any) *Error {
	if len(l.errs) >= maxProblems {
		panic(enough{})
	}
	e := l.doc.problem(code, begin, end, format, args...)
	l.errs = append(l.errs, e)
	return e
}

// warn adds a warning about a node.
func (l *loader) warn(code string, n *node, format string, args ...any) {
	if len(l.r.Warnings) >= maxProblems {
		return
	}
	begin, end := n.bounds()
	e := l.doc.problem(code, begin, end, format, args...)
	e.Severity = SeverityWarning
	l.r.Warnings = append(l.r.Warnings, e)
}

// A field is one key of a map of the language.
type field[T any] struct {
	name string
	read func(l *loader, to *T, v value) // nil: of the language, but not of this version
}

// A shape is what keys a map of the language has. They are read in the order of the fields, whatever their order in the
// file, so that a field can rely on those before it.
type shape[T any] struct {
	name   string // of the map, for messages; empty for the file
	fields []field[T]
	// other takes a key that is no field, and returns what else there is if it cannot; nil if there is nothing else.
	other func(l *loader, to *T, key *node, v value) (names []string, ok bool)
}

// read reads a map into to.
func (s *shape[T]) read(l *loader, to *T, v value) {
	if !l.is(v, mapNode) {
		return
	}
	for _, f := range s.fields {
		for _, e := range v.entries {
			switch {
			case e.key.value != f.name || e.value.broken:
			case f.read == nil:
				l.later(e.key, "%q", f.name)
			default:
				f.read(l, to, value{e.value, f.name})
			}
		}
	}
	for _, e := range v.entries {
		if !s.has(e.key.value) {
			s.unknown(l, to, e)
		}
	}
}

func (s *shape[T]) has(name string) bool {
	for _, f := range s.fields {
		if f.name == name {
			return true
		}
	}
	return false
}

func (s *shape[T]) unknown(l *loader, to *T, e entry) {
	var names []string
	for _, f := range s.fields {
		if f.read != nil {
			names = append(names, f.name)
		}
	}
	var more []string
	if s.other != nil {
		var ok bool
		if more, ok = s.other(l, to, e.key, value{e.value, e.key.value}); ok {
			return
		}
	}
	where := ""
	if s.name != "" {
		where = " in " + s.name
	}
	near := nearest(e.key.value, append(names, more...))
	if near == "" {
		near = colstore.Suggest(e.key.value, names)
	}
	l.fail(codeUnknown, e.key, "unknown field %q%s%s", e.key.value, where, near)
}

// nearest returns the end of a message that offers the nearest of some names, if one is near.
func nearest(name string, names []string) string {
	if s := colstore.Suggest(name, names); strings.HasPrefix(s, "; did you mean") {
		return s
	}
	return ""
}

// later reports a part of the language that this version does not run.
func (l *loader) later(n *node, format string, args ...any) {
	l.fail(codeLater, n, "%s is not supported by this version", fmt.Sprintf(format, args...))
}
