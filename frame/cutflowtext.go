package frame

import (
	"encoding/csv"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// Show says which columns of a cutflow are shown.
type Show uint8

// The choices.
const (
	ShowAll      Show = iota // raw, and weighted if a cut has a weight
	ShowRaw                  // rows only
	ShowWeighted             // weighted sums only; raw if no cut has a weight
)

// ParseShow reads "raw", "weighted" or "both".
//
// Errors: colstore.ErrOption.
func ParseShow(s string) (Show, error) {
	switch s {
	case "", "both":
		return ShowAll, nil
	case "raw":
		return ShowRaw, nil
	case "weighted":
		return ShowWeighted, nil
	}
	return ShowAll, fmt.Errorf("%w: show %q; there is raw, weighted, both", colstore.ErrOption, s)
}

// table returns the header and the rows of the cutflow as text.
func (f *Cutflow) table(show Show) [][]string {
	weighted := false
	for _, c := range f.Cuts {
		weighted = weighted || c.Weighted
	}
	raw := show != ShowWeighted || !weighted
	weighted = weighted && show != ShowRaw
	head := []string{"cut"}
	if raw {
		head = append(head, "entering", "passing", "eff")
	}
	if weighted {
		head = append(head, "wt_entering", "wt_passing", "wt_eff")
	}
	rows := [][]string{head}
	for _, c := range f.Cuts {
		row := []string{c.Label}
		if raw {
			row = append(row, strconv.FormatInt(c.Entering, 10), strconv.FormatInt(c.Passing, 10), percent(c.Efficiency()))
		}
		switch {
		case weighted && c.Weighted:
			row = append(row, sixDigits(c.WeightedEntering), sixDigits(c.WeightedPassing), percent(c.WeightedEfficiency()))
		case weighted:
			row = append(row, "-", "-", "-")
		}
		rows = append(rows, row)
	}
	return rows
}

// percent prints a part with two decimals, as Python's format does.
func percent(v float64) string {
	return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(100*v, 'f', 2, 64)), "+") + "%"
}

// sixDigits prints a sum with six significant digits, as Python's %g does.
func sixDigits(v float64) string {
	s := strconv.FormatFloat(v, 'g', 6, 64)
	switch s {
	case "NaN":
		return "nan"
	case "+Inf":
		return "inf"
	case "-Inf":
		return "-inf"
	}
	return s
}

// Text returns the cutflow as a table for a terminal: labels to the left, numbers to the right, two blanks between.
func (f *Cutflow) Text(show Show) string {
	if len(f.Cuts) == 0 {
		return "CutflowReport(no cuts)"
	}
	return textTable(f.table(show))
}

// textTable lays out cells: the first column to the left, the others to the right.
func textTable(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		r[0] = printable(r[0])
		for i, cell := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, r := range rows {
		if n > 0 {
			b.WriteByte('\n')
		}
		for i, cell := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
	}
	return b.String()
}

// CSV returns the cutflow as comma-separated values with exact numbers.
func (f *Cutflow) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(append([]string{"cut"}, csvColumns...))
	for i := range f.Cuts {
		_ = w.Write(append([]string{f.Cuts[i].Label}, f.Cuts[i].csv()...)) // a strings.Builder does not fail
	}
	w.Flush()
	return b.String()
}

var csvColumns = []string{"entering", "passing", "efficiency", "weighted_entering", "weighted_passing", "weighted_efficiency"}

// csv returns the cells of csvColumns; the weighted ones are empty without a weight.
func (c *Cut) csv() []string {
	float := func(v float64) string { return string(text.AppendFloat(nil, v, 64)) }
	row := []string{strconv.FormatInt(c.Entering, 10), strconv.FormatInt(c.Passing, 10), float(c.Efficiency()), "", "", ""}
	if c.Weighted {
		row[3], row[4], row[5] = float(c.WeightedEntering), float(c.WeightedPassing), float(c.WeightedEfficiency())
	}
	return row
}

// Markdown returns the cutflow as a Markdown table.
func (f *Cutflow) Markdown(show Show) string { return markdownTable(f.table(show)) }

// markdownText takes the meaning from what a label may hold of Markdown and HTML.
var markdownText = strings.NewReplacer("|", `\|`, `\`, `\\`, "`", "\\`", "*", `\*`, "[", `\[`, "<", "&lt;", ">", "&gt;", "&", "&amp;")

// printable replaces what would move a terminal's cursor or break a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

func markdownTable(rows [][]string) string {
	var b strings.Builder
	for n, r := range rows {
		for i, cell := range r {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString("| " + markdownText.Replace(printable(cell)))
		}
		b.WriteString(" |\n")
		if n == 0 {
			b.WriteString("| --- " + strings.Repeat("| ---: ", len(r)-1) + "|\n")
		}
	}
	return b.String()
}

// HTML returns the cutflow as an HTML table without a style of its own.
func (f *Cutflow) HTML(show Show) string { return htmlTable(f.table(show)) }

func htmlTable(rows [][]string) string {
	var b strings.Builder
	b.WriteString("<table>\n")
	for n, r := range rows {
		tag := "td"
		if n == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for _, cell := range r {
			fmt.Fprintf(&b, "<%s>%s</%s>", tag, html.EscapeString(printable(cell)), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	return b.String()
}
