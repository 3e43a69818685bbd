package frame

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go/internal/text"
)

// A CutflowDiff holds two cutflows, a and b, against each other, cut by cut.
type CutflowDiff struct{ Cuts []CutDiff }

// A CutDiff is a cut of either cutflow; A or B is nil if that one has no such cut.
type CutDiff struct {
	Label string
	A, B  *Cut
}

// DiffCutflows pairs the cuts of two cutflows by label, the first of a label with the first, the second with the second.
// They come in the order of a, with those that only b has behind the cut they follow there. A nil has no cuts.
func DiffCutflows(a, b *Cutflow) *CutflowDiff {
	a, b = cmp.Or(a, &Cutflow{}), cmp.Or(b, &Cutflow{})
	type occurrence struct {
		label string
		n     int
	}
	occurrences := func(f *Cutflow) []occurrence {
		seen := map[string]int{}
		out := make([]occurrence, len(f.Cuts))
		for i, c := range f.Cuts {
			out[i] = occurrence{c.Label, seen[c.Label]}
			seen[c.Label]++
		}
		return out
	}
	inA, inB, ofA := map[occurrence]bool{}, map[occurrence]int{}, occurrences(a)
	for _, o := range ofA {
		inA[o] = true
	}
	ofB := occurrences(b)
	for i, o := range ofB {
		inB[o] = i
	}
	d, next := &CutflowDiff{Cuts: []CutDiff{}}, 0
	onlyB := func(end int) {
		for ; next < end; next++ {
			if !inA[ofB[next]] {
				d.Cuts = append(d.Cuts, CutDiff{b.Cuts[next].Label, nil, &b.Cuts[next]})
			}
		}
	}
	for i, o := range ofA {
		c := CutDiff{o.label, &a.Cuts[i], nil}
		if j, ok := inB[o]; ok {
			onlyB(j)
			c.B = &b.Cuts[j]
		}
		d.Cuts = append(d.Cuts, c)
	}
	onlyB(len(b.Cuts))
	return d
}

// Equal reports whether both cutflows have the same cuts with the same counts and sums; NaN equals NaN.
func (d *CutflowDiff) Equal() bool {
	same := func(x, y float64) bool { return x == y || x != x && y != y }
	for _, c := range d.Cuts {
		if c.A == nil || c.B == nil || c.A.Entering != c.B.Entering || c.A.Passing != c.B.Passing || c.A.Weighted != c.B.Weighted ||
			!same(c.A.WeightedEntering, c.B.WeightedEntering) || !same(c.A.WeightedPassing, c.B.WeightedPassing) {
			return false
		}
	}
	return true
}

// Where returns "both", "a" or "b".
func (c CutDiff) Where() string {
	switch {
	case c.A == nil:
		return "b"
	case c.B == nil:
		return "a"
	}
	return "both"
}

// cells returns one quantity of both sides and its difference, b less a, as text; - where there is none.
func (c CutDiff) cells(has func(*Cut) bool, value func(*Cut) float64, show, showDiff func(float64) string) []string {
	out := []string{"-", "-", "-"}
	a, b := c.A != nil && has(c.A), c.B != nil && has(c.B)
	if a {
		out[0] = show(value(c.A))
	}
	if b {
		out[1] = show(value(c.B))
	}
	if a && b {
		out[2] = showDiff(value(c.B) - value(c.A))
	}
	return out
}

// table returns the header and the rows of the difference as text.
func (d *CutflowDiff) table(show Show) [][]string {
	weighted := false
	for _, c := range d.Cuts {
		weighted = weighted || c.A != nil && c.A.Weighted || c.B != nil && c.B.Weighted
	}
	raw := show != ShowWeighted || !weighted
	weighted = weighted && show != ShowRaw
	count := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	signed := func(show func(float64) string) func(float64) string {
		return func(v float64) string {
			if s := show(v); v > 0 {
				return "+" + s
			}
			return show(v)
		}
	}
	head := []string{"cut"}
	of := func(names ...string) {
		for _, n := range names {
			head = append(head, n+"_a", n+"_b", n+"_diff")
		}
	}
	if raw {
		of("entering", "passing", "eff")
	}
	if weighted {
		of("wt_entering", "wt_passing", "wt_eff")
	}
	rows := [][]string{head}
	always := func(*Cut) bool { return true }
	isWeighted := func(c *Cut) bool { return c.Weighted }
	for _, c := range d.Cuts {
		row := []string{c.Label}
		if w := c.Where(); w != "both" {
			row[0] += " (only " + w + ")"
		}
		if raw {
			row = append(row, c.cells(always, func(c *Cut) float64 { return float64(c.Entering) }, count, signed(count))...)
			row = append(row, c.cells(always, func(c *Cut) float64 { return float64(c.Passing) }, count, signed(count))...)
			row = append(row, c.cells(always, (*Cut).efficiency, percent, signed(percent))...)
		}
		if weighted {
			row = append(row, c.cells(isWeighted, func(c *Cut) float64 { return c.WeightedEntering }, sixDigits, signed(sixDigits))...)
			row = append(row, c.cells(isWeighted, func(c *Cut) float64 { return c.WeightedPassing }, sixDigits, signed(sixDigits))...)
			row = append(row, c.cells(isWeighted, (*Cut).weightedEfficiency, percent, signed(percent))...)
		}
		rows = append(rows, row)
	}
	return rows
}

func (c *Cut) efficiency() float64         { return c.Efficiency() }
func (c *Cut) weightedEfficiency() float64 { return c.WeightedEfficiency() }

// Text returns the difference as a table for a terminal. Efficiencies differ in percentage points.
func (d *CutflowDiff) Text(show Show) string {
	if len(d.Cuts) == 0 {
		return "CutflowReport(no cuts)"
	}
	return textTable(d.table(show))
}

// Markdown returns the difference as a Markdown table.
func (d *CutflowDiff) Markdown(show Show) string { return markdownTable(d.table(show)) }

// HTML returns the difference as an HTML table without a style of its own.
func (d *CutflowDiff) HTML(show Show) string { return htmlTable(d.table(show)) }

// CSV returns the difference as comma-separated values with exact numbers: a line for each cut, the quantities of a, then
// those of b, empty where there is none.
func (d *CutflowDiff) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	head := []string{"cut", "in"}
	for _, side := range []string{"_a", "_b"} {
		for _, n := range csvColumns {
			head = append(head, n+side)
		}
	}
	_ = w.Write(head)
	for _, c := range d.Cuts {
		row := []string{c.Label, c.Where()}
		for _, side := range []*Cut{c.A, c.B} {
			if side == nil {
				row = append(row, make([]string, len(csvColumns))...)
			} else {
				row = append(row, side.csv()...)
			}
		}
		_ = w.Write(row) // a strings.Builder does not fail
	}
	w.Flush()
	return b.String()
}

// MarshalJSON writes the list of cuts: label, in ("both", "a" or "b"), a and b as in a cutflow or null, and difference,
// b less a, null unless in is "both".
func (d *CutflowDiff) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, c := range d.Cuts {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = text.AppendJSONString(append(out, `{"label": `...), c.Label)
		out = fmt.Appendf(out, `, "in": %q, "a": `, c.Where())
		out = c.A.appendJSON(out)
		out = c.B.appendJSON(append(out, `, "b": `...))
		out = append(out, `, "difference": `...)
		if c.A == nil || c.B == nil {
			out = append(out, "null}"...)
			continue
		}
		out = fmt.Appendf(out, `{"entering": %d, "passing": %d`, c.B.Entering-c.A.Entering, c.B.Passing-c.A.Passing)
		float := func(name string, v float64, known bool) {
			out = fmt.Appendf(out, `, "%s": `, name)
			if known {
				out = text.AppendJSONFloat(out, v, 64)
			} else {
				out = append(out, "null"...)
			}
		}
		both := c.A.Weighted && c.B.Weighted
		float("efficiency", c.B.Efficiency()-c.A.Efficiency(), true)
		float("weighted_entering", c.B.WeightedEntering-c.A.WeightedEntering, both)
		float("weighted_passing", c.B.WeightedPassing-c.A.WeightedPassing, both)
		float("weighted_efficiency", c.B.WeightedEfficiency()-c.A.WeightedEfficiency(), both)
		out = append(out, "}}"...)
	}
	return append(out, ']'), nil
}

var _ json.Marshaler = (*CutflowDiff)(nil)
