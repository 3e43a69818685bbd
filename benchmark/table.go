package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// writeTable prints the results under a line that says where they come from.
func writeTable(w io.Writer, machine string, results []result) error {
	if len(results) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "%s\n\n", machine); err != nil {
		return err
	}
	var text bytes.Buffer
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "workload\tengine\tmin s\tmedian s\tinner s\tMB/s\tpeak MiB\tout MiB\tours/peer\tby medians\tnote")
	last := ""
	for _, r := range results {
		name := r.Workload
		if name == last {
			name = ""
		}
		last = r.Workload
		cells := []string{name, r.Engine}
		if len(r.Seconds) == 0 {
			cells = append(cells, "-", "-", "-", "-", "-", "-", "-", "-", r.Note)
		} else {
			cells = append(cells, fmt.Sprintf("%.3f", r.Min), fmt.Sprintf("%.3f", r.Median),
				known(r.Inner > 0, "%.3f", r.Inner), known(r.Bytes > 0, "%.0f", float64(r.Bytes)/r.Basis/1e6),
				known(r.Peak > 0, "%.0f", float64(r.Peak)/(1<<20)),
				known(r.Output > 0, "%.0f", float64(r.Output)/(1<<20)), known(r.Ratio > 0, "%.2f", r.Ratio), known(r.Medians > 0, "%.2f", r.Medians), r.Note)
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

// known formats v, or gives a dash.
func known(ok bool, format string, v float64) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// resultLog is the file of -json, if there is one.
type resultLog struct{ file *os.File }

func openLog(path string) (*resultLog, error) {
	if path == "" {
		return &resultLog{}, nil
	}
	f, err := os.Create(path)
	return &resultLog{f}, err
}

func (l *resultLog) write(results []result) error {
	var failed []error
	for _, r := range results {
		failed = append(failed, l.line(r))
	}
	return errors.Join(failed...)
}

// line writes one object.
func (l *resultLog) line(v any) error {
	if l.file == nil {
		return nil
	}
	return json.NewEncoder(l.file).Encode(v)
}

func (l *resultLog) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
