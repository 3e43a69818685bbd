package main

import (
	"fmt"
	"slices"
)

// pattern is one call on data that is open and mapped: the same in every engine. The peers' server reads it as JSON.
type pattern struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"` // a case of serveCalls, and of peers/patternengines.py
	File       string `json:"file"` // its stem: peers/patterndata.py
	Column     string `json:"column"`
	Step       int    `json:"step"`
	Percent    int    `json:"percent"`
	Function   string `json:"function"`
	Expression string `json:"expression"`
	Exact      bool   `json:"exact"` // results are the same bytes; otherwise floats that are near each other
	small      bool   // not measured at sizes for which the machine has no memory
}

// patterns returns all of them, those over the same files next to each other.
func patterns() []pattern {
	out := slices.Concat(widePatterns(), reducePatterns(), filePatterns(), textPatterns(), mixedPatterns(), exprPatterns())
	for i := range out {
		p := &out[i]
		p.small = p.File != "wide" || p.Column != "f4" && p.Column != "f8"
	}
	return out
}

// named returns a pattern by a name.
func (p pattern) named(format string, args ...any) pattern {
	p.Name = fmt.Sprintf(format, args...)
	return p
}

// widePatterns read rows of columns of several widths.
func widePatterns() []pattern {
	var out []pattern
	for _, c := range []string{"f4", "f8", "u1", "i2", "s16"} {
		float := c == "f4" || c == "f8"
		of := pattern{File: "wide", Column: c, Exact: true}
		rows := func(kind string, percents ...int) {
			p := of
			for _, p.Percent = range percents {
				p.Kind = kind
				out = append(out, p.named("%s%d_%s", kind, p.Percent, c))
			}
		}
		if !float {
			rows("sorted", 10)
			rows("random", 10)
			rows("mask", 10, 50)
			continue
		}
		p := of
		p.Kind = "slice"
		out = append(out, p.named("slice_%s", c))
		p.Kind = "strided"
		for _, p.Step = range []int{3, 16} {
			out = append(out, p.named("strided%d_%s", p.Step, c))
		}
		rows("sorted", 1, 10, 50)
		rows("random", 10)
		rows("mask", 1, 10, 50, 99)
	}
	return out
}

func reducePatterns() []pattern {
	var out []pattern
	for _, c := range []string{"f4", "f8"} {
		for _, f := range []string{"sum", "mean", "std", "min", "max"} {
			p := pattern{Kind: "reduce", File: "wide", Column: c, Function: f, Exact: f == "min" || f == "max"}
			out = append(out, p.named("%s_%s", f, c))
		}
	}
	return out
}

// rowPatterns read a slice of a column, and a tenth of its rows in three ways. Names are made of the way and a suffix.
func rowPatterns(file, column, suffix string) []pattern {
	p := pattern{File: file, Column: column, Exact: true, Kind: "slice"}
	out := []pattern{p.named("%s_slice%s", file, suffix)}
	p.Percent = 10
	for _, p.Kind = range []string{"sorted", "random", "mask"} {
		out = append(out, p.named("%s_%s10%s", file, p.Kind, suffix))
	}
	return out
}

// filePatterns read tables of many records or files, and one of big-endian columns.
func filePatterns() []pattern {
	var out []pattern
	for _, file := range []string{"records64", "records1024", "dataset"} {
		for _, c := range []string{"f4", "f8"} {
			out = append(out, rowPatterns(file, c, "_"+c)...)
		}
	}
	sum := pattern{Name: "bigendian_sum", File: "bigendian", Column: "f8", Kind: "reduce", Function: "sum"}
	return append(append(out, rowPatterns("bigendian", "f8", "")...), sum)
}

func textPatterns() []pattern { return rowPatterns("text", "word", "") }

// mixedPatterns read eight columns of several types.
func mixedPatterns() []pattern {
	return []pattern{
		{Name: "dict8", Kind: "dict", File: "mixed", Exact: true},
		{Name: "recarray8", Kind: "records", File: "mixed", Exact: true},
		{Name: "recarray8_sorted10", Kind: "records", File: "mixed", Exact: true, Percent: 10},
	}
}

func exprPatterns() []pattern {
	out := []pattern{
		{Name: "query", Kind: "query", File: "expr", Exact: true},
		{Name: "filter_derive", Kind: "derive", File: "expr", Exact: true},
	}
	for _, e := range []struct {
		name, text string
		exact      bool
	}{
		{"arith", "a*2+b/c", true},
		{"hypot", "sqrt(a*a+b*b)", true},
		{"pred", "(a>0)&(b<3)", true},
		{"explog", "exp(a)+log(c)", false},
		{"sincos", "sin(a)*cos(b)", false},
		{"exp", "exp(a)", false},
		{"log", "log(c)", false},
		{"sin", "sin(a)", false},
		{"cos", "cos(a)", false},
		{"tanh", "tanh(a)", false},
		{"pow", "c**b", false},
	} {
		out = append(out, pattern{Name: "expr_" + e.name, Kind: "expr", File: "expr", Expression: e.text, Exact: e.exact})
	}
	return out
}
