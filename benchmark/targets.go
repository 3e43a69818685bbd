package main

import (
	"fmt"
	"math"
	"path"
	"slices"
)

// target says how long an engine of ours may take for some patterns, as a part of what others take in the same run.
type target struct {
	patterns []string // names, or patterns of them
	ours     string   // the engine
	against  []string // the fastest of those that took part
	than     string   // ours of this other pattern instead; a pattern's own name is ""
	most     float64  // the ratio
	from     int      // rows of the table at least
}

// Engines that ours are compared with.
var (
	pythonDefault = []string{"colstore"}
	pythonBest    = []string{"colstore", "colstore@1", "colstore@2"}
)

const (
	// memory is the size from which tables are larger than any cache, so that the limits of the memory are those of the call.
	memory = 10_000_000
	// huge is the size at which the Python package takes another path for masks.
	huge = 200_000_000
)

// targets returns all of them, in the order of the report. The first that a pattern has for an engine and what it is
// compared with counts: more special ones come first.
func targets() []target {
	return slices.Concat(readTargets(), reduceTargets(), computeTargets(), []target{
		{patterns: []string{"*"}, ours: "into", against: pythonDefault, most: 1},
		{patterns: []string{"*"}, ours: "fresh", against: pythonDefault, most: 1.05},
	})
}

// pair returns the targets of both forms on one processor beside the Python package.
func pair(into, fresh float64, patterns ...string) []target {
	return []target{
		{patterns: patterns, ours: "into", against: pythonDefault, most: into},
		{patterns: patterns, ours: "fresh", against: pythonDefault, most: fresh},
	}
}

// of returns the target that an engine reaches a part of a limit of the machine.
func of(part float64, limit, ours string, patterns ...string) []target {
	return []target{{patterns: patterns, ours: ours, against: []string{limit}, most: 1 / part, from: memory}}
}

func readTargets() []target {
	floats := func(name string) []string { return []string{name + "_f4", name + "_f8"} }
	dict := []target{
		{patterns: []string{"dict8"}, ours: "into@2", against: pythonBest, most: 0.55},
		{patterns: []string{"dict8"}, ours: "fresh@2", against: pythonBest, most: 1},
	}
	strided := []target{{patterns: []string{"strided*"}, ours: "into@2", against: pythonBest, most: 0.65, from: memory}}
	random := []target{
		{patterns: []string{"random10_*"}, ours: "fresh@2", against: pythonBest, most: 0.85, from: memory},
		{patterns: []string{"random10_*"}, ours: "into", against: []string{"random", "kernel"}, most: 1.2, from: memory},
		{patterns: []string{"random10_*"}, ours: "into@2", against: []string{"into"}, most: 0.55, from: memory},
	}
	manyRecords := []target{
		{patterns: []string{"records1024_random10_f4"}, ours: "into", than: "random10_f4", most: 1.6, from: memory},
		{patterns: []string{"records1024_random10_f8"}, ours: "into", than: "random10_f8", most: 1.6, from: memory},
	}
	atHuge := pair(0.45, 0.50, "mask10_f4", "mask10_f8")
	for i := range atHuge {
		atHuge[i].from = huge
	}
	return slices.Concat(
		pair(0.45, 1.05, "slice_*", "dict8"), of(0.85, "copy", "into", "slice_*"), dict,
		pair(1.1, 1.2, "strided16_*"), pair(0.75, 1.2, "strided3_*"), strided,
		pair(0.92, 1, "sorted1_*"), pair(0.80, 0.92, "sorted10_*"), pair(0.50, 0.72, "sorted50_*"), of(0.7, "copy", "into", "sorted50_*"),
		pair(0.95, 1, "random10_*"), random,
		pair(0.20, 0.20, "mask*_u1", "mask*_i2"),
		atHuge,
		pair(0.80, 0.85, floats("mask1")...), pair(0.30, 0.33, floats("mask10")...), pair(0.35, 0.50, floats("mask50")...),
		pair(0.25, 0.45, floats("mask99")...), of(0.75, "copy", "into", "mask50_f4", "mask50_f8"),
		pair(0.75, 0.80, "records64_random10_*"), pair(0.45, 0.45, "records1024_random10_*"), manyRecords,
		pair(0.35, 0.60, "recarray8"), of(0.7, "copy", "into", "recarray8"),
	)
}

// reduceTargets have one form: a number needs no memory.
func reduceTargets() []target {
	alone := func(most float64, patterns ...string) target {
		return target{patterns: patterns, ours: "fresh", against: pythonDefault, most: most}
	}
	exact := []string{"sum_f8", "min_*", "max_*"}
	return slices.Concat(
		[]target{alone(0.25, "std_*"), alone(0.35, "sum_f4", "mean_f4"), alone(1.05, "sum_f8", "mean_f8", "min_*", "max_*")},
		of(0.8, "read", "fresh", "sum_f4", "mean_f4", "std_*"), of(0.85, "read", "fresh", exact...),
		[]target{{patterns: exact, ours: "fresh@2", against: []string{"fresh"}, most: 0.7, from: memory}},
	)
}

func computeTargets() []target {
	simple := []string{"expr_arith", "expr_hypot", "expr_pred"}
	beside := func(patterns []string, ours, engine string, most float64) target {
		return target{patterns: patterns, ours: ours, against: []string{engine}, most: most}
	}
	query, derive := []string{"query"}, []string{"filter_derive"}
	best := func(patterns []string, most float64) target {
		return target{patterns: patterns, ours: "into@2", against: pythonBest, most: most, from: memory}
	}
	return slices.Concat(
		pair(0.35, 0.45, "query"), []target{best(query, 0.35), beside(query, "fresh@2", "polars", 1)},
		pair(0.30, 0.35, "filter_derive"), []target{best(derive, 0.25), beside(derive, "fresh@2", "polars", 0.75)},
		pair(0.25, 0.40, simple...), []target{beside([]string{"expr_hypot"}, "into", "numexpr", 0.8)}, of(0.5, "copy", "into", simple...),
		[]target{
			beside([]string{"expr_exp", "expr_log", "expr_explog"}, "fresh", "numpy", 1),
			beside([]string{"expr_sin", "expr_cos", "expr_sincos"}, "fresh", "numpy", 0.6),
		},
	)
}

// verdict is a target beside what was measured.
type verdict struct {
	pattern, ours, beside string
	most                  float64
	rows                  int
	min, median           float64 // ours, as a part of the other's
}

func (v verdict) ok() bool { return v.min <= v.most }

// judge holds the timings against the targets, in the order of the patterns. What was not measured is left out.
func judge(timed []timing) []verdict {
	type key struct {
		pattern, engine string
		rows            int
	}
	by := map[key]timing{}
	var names []string
	var sizes []int
	for _, t := range timed {
		if t.Rounds > 0 {
			by[key{t.Pattern, t.Engine, t.Rows}] = t
		}
		if !slices.Contains(names, t.Pattern) {
			names = append(names, t.Pattern)
		}
		if !slices.Contains(sizes, t.Rows) {
			sizes = append(sizes, t.Rows)
		}
	}
	slices.Sort(sizes)
	var out []verdict
	for _, name := range names {
		for _, rows := range sizes {
			seen := map[string]bool{}
			for _, t := range targets() {
				if !t.covers(name, rows) {
					continue
				}
				own, ok := by[key{name, t.ours, rows}]
				v := verdict{pattern: name, ours: t.ours, beside: t.beside(), most: t.most, rows: rows}
				if !ok || seen[v.ours+" "+v.beside] {
					continue
				}
				seen[v.ours+" "+v.beside] = true
				least, typical := math.Inf(1), math.Inf(1)
				other := name
				if t.than != "" {
					other = t.than
				}
				for _, e := range t.engines() {
					if x, ok := by[key{other, e, rows}]; ok {
						least, typical = min(least, x.Min), min(typical, x.Median)
					}
				}
				if !math.IsInf(least, 1) {
					v.min, v.median = own.Min/least, own.Median/typical
					out = append(out, v)
				}
			}
		}
	}
	return out
}

func (t target) engines() []string {
	if t.than != "" {
		return []string{t.ours}
	}
	return t.against
}

// beside names what a target compares with.
func (t target) beside() string {
	switch {
	case t.than != "":
		return t.than
	case len(t.against) > 1:
		return fmt.Sprintf("best %s", t.against[0])
	}
	return t.against[0]
}

// covers reports whether a target is one of a pattern at a size.
func (t target) covers(name string, rows int) bool {
	return rows >= t.from && slices.ContainsFunc(t.patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}
