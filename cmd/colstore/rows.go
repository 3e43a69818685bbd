package main

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// rowFlags adds the steps that choose rows by where they are, in the order written among the other steps.
func (s *stepsFlag) rowFlags(f *pflag.FlagSet) {
	f.Var(s.adder("limit", "N", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		n, err := colstore.ParseCount(text)
		if err != nil {
			return nil, usagef("--limit %q is no number of rows: %w", text, err)
		}
		return func(f *frame.Frame) *frame.Frame { return f.Limit(n) }, nil
	}), "limit", "only the first rows that the steps before leave (repeatable)")
	f.Var(s.adder("sample", "FRACTION[:SEED]", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		part, rest, seeded := strings.Cut(text, ":")
		fraction, err := strconv.ParseFloat(part, 64)
		if err != nil || !(fraction >= 0 && fraction <= 1) {
			return nil, usagef("--sample %q: %q is no fraction from 0 to 1", text, part)
		}
		seed := uint64(0)
		if seeded {
			if seed, err = strconv.ParseUint(rest, 10, 64); err != nil {
				return nil, usagef("--sample %q: the seed %q is no whole number of 64 bits", text, rest)
			}
		}
		return func(f *frame.Frame) *frame.Frame { return f.Sample(fraction, seed) }, nil
	}), "sample", "a part of the rows, the same ones for a seed (0) in every run: FRACTION[:SEED]")
}

// limitValue is a flag of a number of rows; nil until it is set.
type limitValue struct{ rows *int64 }

func (*limitValue) Type() string   { return "N" }
func (*limitValue) String() string { return "" }

// Set implements pflag.Value.
func (l *limitValue) Set(s string) error {
	n, err := colstore.ParseCount(s)
	if err == nil {
		l.rows = &n
	}
	return err
}

// limit adds the limit to a frame, if there is one.
func (l *limitValue) limit(f *frame.Frame) *frame.Frame {
	if l.rows == nil {
		return f
	}
	return f.Limit(*l.rows)
}
