package main

import "fmt"

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
	var out []pattern
	add := func(p pattern, name string, args ...any) {
		p.Name = fmt.Sprintf(name, args...)
		p.small = p.small || p.File != "wide" || p.Column != "f4" && p.Column != "f8"
		out = append(out, p)
	}
	widths := []string{"f4", "f8", "u1", "i2", "s16"}
	for _, c := range widths {
		float := c == "f4" || c == "f8"
		p := pattern{File: "wide", Column: c, Exact: true}
		rows := func(kind string, percent int) {
			p.Kind, p.Percent = kind, percent
			add(p, "%s%d_%s", kind, percent, c)
		}
		if float {
			p.Kind = "slice"
			add(p, "slice_%s", c)
			p.Kind = "strided"
			for _, p.Step = range []int{3, 16} {
				add(p, "strided%d_%s", p.Step, c)
			}
			p.Step = 0
			rows("sorted", 1)
		}
		rows("sorted", 10)
		if float {
			rows("sorted", 50)
		}
		rows("random", 10)
		if float {
			rows("mask", 1)
		}
		rows("mask", 10)
		rows("mask", 50)
		if float {
			rows("mask", 99)
		}
	}
	for _, c := range []string{"f4", "f8"} {
		for _, f := range []string{"sum", "mean", "std", "min", "max"} {
			add(pattern{Kind: "reduce", File: "wide", Column: c, Function: f, Exact: f == "min" || f == "max"}, "%s_%s", f, c)
		}
	}
	for _, file := range []string{"records64", "records1024", "dataset"} {
		for _, c := range []string{"f4", "f8"} {
			p := pattern{File: file, Column: c, Exact: true, Kind: "slice"}
			add(p, "%s_slice_%s", file, c)
			p.Percent = 10
			for _, p.Kind = range []string{"sorted", "random", "mask"} {
				add(p, "%s_%s10_%s", file, p.Kind, c)
			}
		}
	}
	for file, c := range map[string]string{"bigendian": "f8"} {
		p := pattern{File: file, Column: c, Exact: true, Kind: "slice"}
		add(p, "%s_slice", file)
		p.Percent = 10
		for _, p.Kind = range []string{"sorted", "random", "mask"} {
			add(p, "%s_%s10", file, p.Kind)
		}
		add(pattern{File: file, Column: c, Kind: "reduce", Function: "sum"}, "%s_sum", file)
	}
	text := pattern{File: "text", Column: "word", Exact: true, Kind: "slice"}
	add(text, "text_slice")
	text.Percent = 10
	for _, text.Kind = range []string{"sorted", "random", "mask"} {
		add(text, "text_%s10", text.Kind)
	}
	add(pattern{Kind: "dict", File: "mixed", Exact: true}, "dict8")
	add(pattern{Kind: "records", File: "mixed", Exact: true}, "recarray8")
	add(pattern{Kind: "records", File: "mixed", Exact: true, Percent: 10}, "recarray8_sorted10")
	add(pattern{Kind: "query", File: "expr", Exact: true}, "query")
	add(pattern{Kind: "derive", File: "expr", Exact: true}, "filter_derive")
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
		add(pattern{Kind: "expr", File: "expr", Expression: e.text, Exact: e.exact}, "expr_%s", e.name)
	}
	return out
}
