package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Markers around what is generated in a document: all targets with the chart, or a short table.
const (
	fullMark  = "<!-- begin: access patterns -->"
	shortMark = "<!-- begin: access patterns in short -->"
	endMark   = "<!-- end -->"
)

// chartName is the name of the chart, which is beside the document with all targets.
const chartName = "performance.svg"

// full is the table of all targets, under the chart.
func (r report) full() string {
	verdicts := judge(r.timed)
	head, body := grid(verdicts)
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s. Peers: %s. %s.\n\n![ratios by pattern](%s)\n\n", r.Machine, r.Peers, tally(verdicts), chartName)
	row := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	row(head)
	row(slices.Repeat([]string{"---"}, len(head)))
	for _, cells := range body {
		for i := 4; i < len(cells); i++ {
			if miss, ok := strings.CutSuffix(cells[i], " !"); ok {
				cells[i] = "**" + miss + "**"
			}
		}
		row(cells)
	}
	return b.String()
}

// highlights are the patterns of the short table, as it calls them.
var highlights = []struct{ pattern, name string }{
	{"slice_f8", "half of a column, in one piece"},
	{"sorted10_f8", "a tenth of it, by sorted row numbers"},
	{"random10_f8", "by row numbers in no order"},
	{"mask10_f8", "by a mask"},
	{"records1024_random10_f8", "in no order, from a file of 1,024 records"},
	{"dict8", "eight columns"},
	{"recarray8", "eight columns as packed records"},
	{"sum_f8", "sum of a column"},
	{"std_f8", "standard deviation"},
	{"query", "three columns where `a > 0 and b < 3`"},
	{"filter_derive", "the same with three derived columns"},
	{"expr_hypot", "`sqrt(a*a + b*b)`"},
	{"expr_explog", "`exp(a) + log(c)`"},
	{"expr_sincos", "`sin(a) * cos(b)`"},
}

// short is a table of a few patterns: ours, into memory that is used again where there is memory to fill, beside the Python
// package and NumPy.
func (r report) short() string {
	least := map[string]map[int]float64{} // by pattern and engine, and by size
	var sizes []int
	for _, t := range r.timed {
		if t.Rounds == 0 {
			continue
		}
		k := t.Pattern + " " + t.Engine
		if least[k] == nil {
			least[k] = map[int]float64{}
		}
		least[k][t.Rows] = t.Min
		if !slices.Contains(sizes, t.Rows) {
			sizes = append(sizes, t.Rows)
		}
	}
	slices.Sort(sizes)
	var b strings.Builder
	b.WriteString("| rows |")
	for _, s := range sizes {
		fmt.Fprintf(&b, " %s |", sizeName(s))
	}
	fmt.Fprintf(&b, "\n|%s\n", strings.Repeat("---|", len(sizes)+1))
	for _, h := range highlights {
		own := least[h.pattern+" into"]
		if own == nil {
			own = least[h.pattern+" fresh"]
		}
		if own == nil {
			continue
		}
		fmt.Fprintf(&b, "| %s |", h.name)
		for _, s := range sizes {
			python, numpy := least[h.pattern+" colstore"][s], least[h.pattern+" numpy"][s]
			if own[s] == 0 || python == 0 || numpy == 0 {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %s · %s |", ratio(own[s]/python), ratio(own[s]/numpy))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// into returns a document with what the report gives between its markers.
func (r report) into(document string) (string, error) {
	found := false
	for mark, text := range map[string]func() string{fullMark: r.full, shortMark: r.short} {
		before, rest, ok := strings.Cut(document, mark)
		if !ok {
			continue
		}
		_, after, ok := strings.Cut(rest, endMark)
		if !ok {
			return "", fmt.Errorf("behind %q there is no %q", mark, endMark)
		}
		document = before + mark + "\n" + text() + endMark + after
		found = true
	}
	if !found {
		return "", fmt.Errorf("there is neither %q nor %q", fullMark, shortMark)
	}
	return document, nil
}

// writeDocs puts the tables of a report into documents, and the chart beside the one with all targets.
func writeDocs(reportPath string, documents []string) error {
	r, err := readReport(reportPath)
	if err != nil {
		return err
	}
	for _, path := range documents {
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, err := r.into(string(old))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
		if bytes.Contains(old, []byte(fullMark)) {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), chartName), drawing(r.timed), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}
