package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is what a run of the access patterns left in its JSON.
type report struct {
	Machine string `json:"machine"`
	Peers   string `json:"peers"`
	timed   []timing
}

// readReport reads a file of -json. Lines of workloads are left out.
func readReport(path string) (report, error) {
	f, err := os.Open(path)
	if err != nil {
		return report{}, err
	}
	defer func() { _ = f.Close() }() // was only read
	var r report
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var t timing
		err := json.Unmarshal(lines.Bytes(), &r)
		if err == nil {
			err = json.Unmarshal(lines.Bytes(), &t)
		}
		if err != nil {
			return report{}, fmt.Errorf("%s is no file of -json: line %d: %w", path, n, err)
		}
		if t.Pattern != "" {
			r.timed = append(r.timed, t)
		}
	}
	if err := lines.Err(); err != nil {
		return report{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(r.timed) == 0 {
		return report{}, fmt.Errorf("%s: there is no access pattern in it", path)
	}
	return r, nil
}

// line is a row of the table of targets: what one engine of ours takes for a pattern, beside another.
type line struct {
	pattern, ours, beside string
	cells                 map[int]verdict // by rows of the table
}

// lines returns the rows of the table and the sizes, its columns.
func lines(verdicts []verdict) (out []line, sizes []int) {
	at := map[[3]string]int{}
	for _, v := range verdicts {
		k := [3]string{v.pattern, v.ours, v.beside}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, line{v.pattern, v.ours, v.beside, map[int]verdict{}})
		}
		out[i].cells[v.rows] = v
		if !slices.Contains(sizes, v.rows) {
			sizes = append(sizes, v.rows)
		}
	}
	slices.Sort(sizes)
	// A size at which something more is asked must not break the lines of a pattern apart.
	order := map[string]int{}
	for i, l := range out {
		if _, ok := order[l.pattern]; !ok {
			order[l.pattern] = i
		}
	}
	slices.SortStableFunc(out, func(a, b line) int { return order[a.pattern] - order[b.pattern] })
	return out, sizes
}

// most is the ratio to reach, or both where it is another for the largest table.
func (l line) most(sizes []int) string {
	var found []string
	for _, s := range sizes {
		if v, ok := l.cells[s]; ok {
			if text := fmt.Sprintf("%.2f", v.most); !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
	}
	return strings.Join(found, "/")
}

// grid is the table of targets as text: its head, and its lines.
func grid(verdicts []verdict) (head []string, body [][]string) {
	all, sizes := lines(verdicts)
	head = []string{"pattern", "ours", "beside", "at most"}
	for _, s := range sizes {
		head = append(head, sizeName(s))
	}
	last := ""
	for _, l := range all {
		name := l.pattern
		if name == last {
			name = ""
		}
		last = l.pattern
		row := []string{name, l.ours, l.beside, l.most(sizes)}
		for _, s := range sizes {
			v, ok := l.cells[s]
			switch {
			case !ok:
				row = append(row, "")
			case v.ok():
				row = append(row, ratio(v.min)+" ("+ratio(v.median)+")")
			default:
				row = append(row, ratio(v.min)+" ("+ratio(v.median)+") !")
			}
		}
		body = append(body, row)
	}
	return head, body
}

// ratio formats a quotient of times.
func ratio(v float64) string {
	if v < 0.1 {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// tally tells how many targets are reached.
func tally(verdicts []verdict) string {
	ok := 0
	for _, v := range verdicts {
		if v.ok() {
			ok++
		}
	}
	return fmt.Sprintf("%d of %d targets reached", ok, len(verdicts))
}

// writePatterns prints the table of targets for a terminal.
func writePatterns(w io.Writer, timed []timing) error {
	if len(timed) == 0 {
		return nil
	}
	verdicts := judge(timed)
	head, body := grid(verdicts)
	var text bytes.Buffer
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, body...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	fmt.Fprintf(t, "\n%s\n", tally(verdicts))
	if err := t.Flush(); err != nil {
		return err
	}
	for l := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(l, " \n")); err != nil {
			return err
		}
	}
	return nil
}
