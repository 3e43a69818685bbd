package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/colstore/colstore-go/frame"
)

// register adds the flags of steps.
func (s *stepsFlag) register(f *pflag.FlagSet) {
	f.Var(s.where(), "where", "keep the rows for which an expression is true (repeatable)")
	f.Var(s.adder("assign", "NAME=EXPR", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		name, expr, ok := strings.Cut(text, "=")
		if !ok || name == "" || isComparison(name, expr) {
			return nil, usagef("--assign %q is not NAME=EXPR", text)
		}
		e, err := frame.Parse(expr, s.params.values)
		return func(f *frame.Frame) *frame.Frame { return f.Assign(name, e) }, err
	}), "assign", "set a column to an expression (repeatable)")
	f.Var(s.adder("rename-column", "OLD=NEW", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		from, to, ok := strings.Cut(text, "=")
		if !ok || to == "" {
			return nil, usagef("--rename-column %q is not OLD=NEW", text)
		}
		return func(f *frame.Frame) *frame.Frame { return f.Rename(map[string]string{from: to}) }, nil
	}), "rename-column", "rename a column (repeatable)")
	f.Var(s.adder("drop", "A,B", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		return func(f *frame.Frame) *frame.Frame { return f.Drop(splitNames(text)...) }, nil
	}), "drop", "remove columns (repeatable)")
	s.rowFlags(f)
}

// where returns the flag that adds a cut.
func (s *stepsFlag) where() *stepValue {
	return s.adder("where", "EXPR", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		e, err := frame.Parse(text, s.params.values)
		return func(f *frame.Frame) *frame.Frame { return f.Where(e) }, err
	})
}

// whereFlags adds --where and -p to a command that only filters.
func (s *stepsFlag) whereFlags(f *pflag.FlagSet, params *paramFlag) {
	s.params = params
	f.Var(s.where(), "where", "only rows for which an expression is true (repeatable)")
	paramsFlag(f, params)
}

func paramsFlag(f *pflag.FlagSet, params *paramFlag) {
	f.VarP(params, "param", "p", "value of @NAME in expressions: NAME=VALUE, NAME:=JSON, NAME=DTYPE:VALUE (repeatable)")
}
