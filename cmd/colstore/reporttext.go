package main

import (
	"encoding/csv"
	"fmt"
	"html"
	"strings"

	"github.com/colstore/colstore-go/frame"
)

// reportPrinter prints cutflows in the form that the flags of report ask for.
type reportPrinter struct {
	a    *app
	f    *reportFlags
	show frame.Show
}

// table is what a cutflow and a difference of two can be printed as.
type table interface {
	Text(show frame.Show) string
	Markdown(show frame.Show) string
	HTML(show frame.Show) string
	CSV() string
}

// A section is one table of a report and what it is of; both names are empty in a report of one table.
type section struct {
	variation, kind string
	alone           bool // there is no other kind
	table           table
}

// cutflow prints one cutflow, and its N−1 table if there is one.
func (p *reportPrinter) cutflow(flow *frame.Cutflow) error {
	if flow.NMinusOne == nil {
		if p.a.asJSON {
			return p.a.writeJSON(flow)
		}
		return p.sections(section{table: flow})
	}
	if p.a.asJSON {
		return p.a.writeJSON(struct {
			Cutflow   *frame.Cutflow `json:"cutflow"`
			NMinusOne *frame.Cutflow `json:"n_minus_one"`
		}{flow, flow.NMinusOne})
	}
	return p.sections(both("", flow)...)
}

// both returns the sections of a cutflow.
func both(variation string, flow *frame.Cutflow) []section {
	if flow.NMinusOne == nil {
		return []section{{variation, "cutflow", true, flow}}
	}
	return []section{{variation, "cutflow", false, flow}, {variation, "n_minus_one", false, flow.NMinusOne}}
}

// variations prints the cutflows of variations.
func (p *reportPrinter) variations(flows []frame.NamedCutflow) error {
	if p.a.asJSON {
		return p.a.writeJSON(map[string][]frame.NamedCutflow{"variations": flows})
	}
	var all []section
	for _, f := range flows {
		all = append(all, both(f.Name, f.Cutflow)...)
	}
	return p.sections(all...)
}

// difference prints two cutflows against each other.
func (p *reportPrinter) difference(d *frame.CutflowDiff, a, b string) error {
	if p.a.asJSON {
		return p.a.writeJSON(map[string]any{"a": a, "b": b, "cuts": d})
	}
	if !p.f.csv && !p.f.markdown && !p.f.html {
		if _, err := fmt.Fprintf(p.a.out, "a: %s\nb: %s\n\n", a, b); err != nil {
			return err
		}
	}
	return p.sections(section{table: d})
}

// title says what a section is for people.
func (s section) title() string {
	kind := map[string]string{"": "", "cutflow": "cutflow", "n_minus_one": "N-1: rows that pass all other cuts, and this one too"}[s.kind]
	switch {
	case s.variation == "":
		return kind
	case s.kind == "" || s.alone:
		return s.variation
	}
	return s.variation + ", " + kind
}

// sections prints tables one below the other; in CSV they are one table with two more columns.
func (p *reportPrinter) sections(all ...section) error {
	var b strings.Builder
	if p.f.csv {
		if err := sectionsCSV(&b, all); err != nil {
			return err
		}
	}
	for i, s := range all {
		title := strings.Map(printable, s.title())
		switch {
		case p.f.csv:
			continue
		case p.f.markdown && title != "":
			fmt.Fprintf(&b, "### %s\n\n", html.EscapeString(title))
		case p.f.html && title != "":
			fmt.Fprintf(&b, "<h3>%s</h3>\n", html.EscapeString(title))
		case title != "":
			b.WriteString(title + "\n")
		}
		switch {
		case p.f.markdown:
			b.WriteString(s.table.Markdown(p.show))
		case p.f.html:
			b.WriteString(s.table.HTML(p.show))
		default:
			b.WriteString(s.table.Text(p.show) + "\n")
		}
		if !p.f.html && i+1 < len(all) {
			b.WriteByte('\n')
		}
	}
	_, err := fmt.Fprint(p.a.out, b.String())
	return err
}

func sectionsCSV(b *strings.Builder, all []section) error {
	if len(all) == 1 && all[0].title() == "" {
		b.WriteString(all[0].table.CSV())
		return nil
	}
	w := csv.NewWriter(b)
	for i, s := range all {
		rows, err := csv.NewReader(strings.NewReader(s.table.CSV())).ReadAll()
		if err != nil {
			return err
		}
		for n, r := range rows {
			switch {
			case n > 0:
				err = w.Write(append([]string{s.variation, s.kind}, r...))
			case i == 0:
				err = w.Write(append([]string{"variation", "table"}, r...))
			}
			if err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}
