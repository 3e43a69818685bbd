package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source/diff"
)

// diffFlags are those of diff.
type diffFlags struct {
	in        inputFlags
	tolerance string
	limit     int
}

// differences is what diff tells as JSON.
type differences struct {
	Equal     bool               `json:"equal"`
	Rows      [2]int64           `json:"rows"`
	Compared  int64              `json:"compared"`
	OnlyA     []string           `json:"only_a"`
	OnlyB     []string           `json:"only_b"`
	Reordered bool               `json:"reordered"`
	Columns   []columnDifference `json:"columns"`
}

type columnDifference struct {
	Name       string          `json:"name"`
	DTypes     [2]string       `json:"dtypes"`
	Comparable bool            `json:"comparable"`
	Different  int64           `json:"different"`
	Most       any             `json:"max_difference"` // a number; null without one
	First      []rowDifference `json:"first"`
}

type rowDifference struct {
	Row int64  `json:"row"`
	A   string `json:"a"`
	B   string `json:"b"`
}

func (a *app) diff() *cobra.Command {
	f := &diffFlags{}
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two tables value by value",
		Long: `Compare two tables value by value, whatever their formats.

Columns are compared by name and rows by place. Numbers of two dtypes are equal if they are the same number, strings
without their padding, a NaN equals a NaN. A column or a row that only one table has is a difference; another order of
columns and another dtype for the same values are told, and are none. With --tolerance T, floats a and b are equal if
|a-b| <= T*max(1, |a|, |b|).

Exit code 0 if the tables are equal, 3 if they differ.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runDiff(cmd, f, args) },
	}
	f.in.register(c)
	c.Flags().StringVar(&f.tolerance, "tolerance", "0", "how far floats may be apart, absolutely or as a part of the larger one")
	c.Flags().IntVar(&f.limit, "limit", 5, "rows shown of each column")
	a.jsonFlag(c, "the differences as JSON")
	return c
}

func (a *app) runDiff(cmd *cobra.Command, f *diffFlags, args []string) (err error) {
	tolerance, err := strconv.ParseFloat(f.tolerance, 64)
	if err != nil || !(tolerance >= 0) || math.IsInf(tolerance, 0) {
		return usagef("--tolerance %q is no number of 0 or more", f.tolerance)
	}
	if f.limit < 0 {
		return usagef("--limit %d is negative", f.limit)
	}
	o, err := f.in.options()
	if err != nil {
		return err
	}
	left, err := a.openTable(cmd, &f.in, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, left.Close()) }()
	right, err := a.openTable(cmd, &f.in, args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, right.Close()) }()
	options := &diff.Options{Tolerance: tolerance, Samples: f.limit, BatchRows: o.BatchRows, Threads: o.Workers}
	if f.limit == 0 {
		options.Samples = -1
	}
	if options.Threads == 0 {
		options.Threads = defaultWorkers()
	}
	r, err := diff.Tables(cmd.Context(), left.Source(), right.Source(), options)
	if err != nil {
		return err
	}
	if a.asJSON {
		err = a.writeJSON(diffJSON(r))
	} else {
		_, err = a.out.Write([]byte(diffText(r, args)))
	}
	if err == nil && !r.Equal() {
		err = checkError{text: args[0] + " and " + args[1] + " differ"}
	}
	return err
}

// openTable opens files as one table. Values are compared whatever their dtypes, so only formats that have none of their
// own heed --dtype.
func (a *app) openTable(cmd *cobra.Command, in *inputFlags, path string) (*runtime.Input, error) {
	opened, err := a.open(cmd.Context(), cmd, in, []string{path}, frame.New())
	if err != nil {
		return nil, err
	}
	for name, t := range in.dtypes.all() {
		if i, ok := opened.Source().Schema().Index(name); ok && opened.Source().Schema().Field(i).Type.Name() != t {
			return nil, errors.Join(usagef("--dtype %s=%s: %s has dtypes of its own; diff compares values across dtypes", name, t, path), opened.Close())
		}
	}
	return opened, nil
}

func diffJSON(r *diff.Report) differences {
	out := differences{
		Equal: r.Equal(), Rows: r.Rows, Compared: r.Compared, Reordered: r.Reordered,
		OnlyA: append([]string{}, r.Only[0]...), OnlyB: append([]string{}, r.Only[1]...), Columns: []columnDifference{},
	}
	for _, c := range r.Columns {
		d := columnDifference{
			Name: c.Name, DTypes: [2]string{c.Types[0].String(), c.Types[1].String()}, Comparable: c.Comparable,
			Different: c.Different, First: []rowDifference{},
		}
		switch {
		case math.IsInf(c.Most, 0):
			d.Most = "Infinity"
		case hasDifference(c):
			d.Most = c.Most
		}
		for _, s := range c.First {
			d.First = append(d.First, rowDifference(s))
		}
		out.Columns = append(out.Columns, d)
	}
	return out
}

// hasDifference reports whether the values of a column can be subtracted from each other.
func hasDifference(c diff.Column) bool {
	a, b := c.Types[0], c.Types[1]
	return a.IsNumber() && b.IsNumber() || a.IsTime() && a.Kind() == b.Kind() && a.Unit() == b.Unit()
}

// diffText prints the differences for a reader.
func diffText(r *diff.Report, paths []string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if r.Rows[0] != r.Rows[1] {
		line("%s has %s, %s has %s", paths[0], plural(r.Rows[0], "row", "rows"), paths[1], plural(r.Rows[1], "row", "rows"))
	}
	for i, names := range r.Only {
		if len(names) > 0 {
			line("only in %s: %s", paths[i], strings.Join(names, ", "))
		}
	}
	if r.Reordered {
		line("note: the columns are in another order")
	}
	var differ []diff.Column
	for _, c := range r.Columns {
		switch {
		case !c.Comparable:
			line("column %q cannot be compared: %s and %s", c.Name, c.Types[0].Name(), c.Types[1].Name())
		case c.Types[0] != c.Types[1]:
			line("note: column %q is %s and %s", c.Name, c.Types[0].Name(), c.Types[1].Name())
		}
		if c.Different > 0 || c.Most > 0 {
			differ = append(differ, c)
		}
	}
	if r.Equal() {
		line("equal: %s, %s", plural(r.Rows[0], "row", "rows"), plural(int64(len(r.Columns)), "column", "columns"))
	}
	if len(differ) == 0 {
		return b.String()
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "column\tof %s differ\tlargest difference\n", plural(r.Compared, "row", "rows"))
	for _, c := range differ {
		most := "-"
		if hasDifference(c) {
			most = strconv.FormatFloat(c.Most, 'g', -1, 64)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Name, commas(c.Different), most)
	}
	_ = t.Flush() // into memory
	for _, c := range differ {
		for _, s := range c.First {
			line("%s, row %d: %s and %s", c.Name, s.Row, s.A, s.B)
		}
	}
	return b.String()
}
