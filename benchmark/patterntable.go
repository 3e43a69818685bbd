package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// writePatterns prints what was timed, a line an engine, with the ratio of our first form on one processor to it.
func writePatterns(w io.Writer, timed []timing) error {
	if len(timed) == 0 {
		return nil
	}
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "pattern\trows\tengine\tmin ms\tmedian ms\tours/peer\tby medians\tours@2/peer\trounds\tnote")
	var own, two timing
	for i, e := range timed {
		name, rows := e.Pattern, sizeName(e.Rows)
		if i > 0 && timed[i-1].Pattern == e.Pattern && timed[i-1].Rows == e.Rows {
			name, rows = "", ""
		} else {
			own, two = e, timing{}
		}
		if e.Engine == "fresh@2" {
			two = e
		}
		cells := []string{name, rows, e.Engine, "-", "-", "-", "-", "-", "-", e.Note}
		if e.Rounds > 0 {
			cells[3], cells[4] = fmt.Sprintf("%.4g", e.Min*1e3), fmt.Sprintf("%.4g", e.Median*1e3)
			cells[5] = known(!e.Ours, "%.2f", own.Min/e.Min)
			cells[6] = known(!e.Ours, "%.2f", own.Median/e.Median)
			cells[7] = known(!e.Ours && two.Rounds > 0, "%.2f", two.Min/e.Min)
			cells[8] = fmt.Sprint(e.Rounds)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}
