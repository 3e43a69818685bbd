package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/source"
)

// verified is what verify tells of a file.
type verified struct {
	Path       string    `json:"path"`
	Format     string    `json:"format"`
	OK         bool      `json:"ok"`
	Rows       int64     `json:"n_rows"`
	Records    *int      `json:"n_records"`
	Columns    int       `json:"n_columns"`
	Statistics bool      `json:"statistics"`
	Findings   []finding `json:"findings"`
	Error      *string   `json:"error"` // why the file cannot be opened
}

// finding is what a file does not hold.
type finding struct {
	Message string  `json:"message"`
	Column  *string `json:"column"`
	Record  *int64  `json:"record"`
	Row     *int64  `json:"row"`
}

func (a *app) verify() *cobra.Command {
	in := &inputFlags{}
	c := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that files hold what they say",
		Long: `Check that files hold what they say.

Of a .cstore file: structure, checksums, counts, and the statistics against the values of every record. Of any other file:
all columns are decoded, and checked by what their format has to check. Exit code 1 for a file that cannot be opened, 3
for one that opens and does not hold what it says.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runVerify(cmd, in, args) },
	}
	in.register(c)
	a.jsonFlag(c, "one JSON object a line for each file")
	return c
}

func (a *app) runVerify(cmd *cobra.Command, in *inputFlags, args []string) error {
	var closed []error
	check := checkError{}
	for _, arg := range args {
		paths, err := source.Paths(source.Spec{Paths: []string{arg}, NoGlob: in.noGlob, Hive: in.hive})
		if err != nil {
			check.all++
			closed = append(closed, err)
			if err := a.printVerified(&verified{Path: arg}, err); err != nil {
				return err
			}
			continue
		}
		for _, p := range paths {
			check.all++
			v, err := a.verifyFile(cmd, in, p)
			if cause := context.Cause(cmd.Context()); cause != nil {
				return cause
			}
			if _, usage := errors.AsType[usageError](err); usage {
				return err
			}
			if err != nil {
				closed = append(closed, err)
			} else if !v.OK {
				check.failed, check.path = check.failed+1, p
			}
			if err := a.printVerified(v, err); err != nil {
				return err
			}
		}
	}
	switch {
	case len(closed) > 0:
		return dataError{oneOf(closed)}
	case check.failed > 0:
		return check
	}
	return nil
}

// verifyFile checks a file. The error is that it cannot be opened.
func (a *app) verifyFile(cmd *cobra.Command, in *inputFlags, path string) (*verified, error) {
	v := &verified{Path: path}
	var err error
	if v.Format, err = source.FormatName(path, ""); err != nil {
		return v, err
	}
	o, err := in.options()
	if err != nil {
		return v, err
	}
	threads := o.Workers
	if threads == 0 {
		threads = defaultWorkers()
	}
	if v.Format != "cstore" {
		return v, a.decodeAll(cmd, in, v, threads)
	}
	if cmd.Flags().Changed("columns") {
		return v, usagef("--columns is for other formats; a .cstore file is verified as a whole")
	}
	r, err := cstore.Verify(cmd.Context(), path, &cstore.VerifyOptions{Threads: threads})
	if err != nil {
		return v, err
	}
	v.Rows, v.Records, v.Columns, v.Statistics = r.Rows, &r.Records, r.Columns, r.Statistics
	for _, f := range r.Findings {
		v.add(f)
	}
	v.OK = len(v.Findings) == 0
	return v, nil
}

// decodeAll reads every row of a file that is no .cstore file. What fails after it is open is a finding.
func (a *app) decodeAll(cmd *cobra.Command, in *inputFlags, v *verified, threads int) (err error) {
	p, err := in.input(cmd, []string{v.Path})
	if err != nil {
		return err
	}
	jagged, err := orSkip(p.Jagged)
	if err != nil {
		return err
	}
	src, err := source.Open(cmd.Context(), source.Spec{
		Paths: p.Paths, NoGlob: true, Options: p.Options, Columns: p.Columns, DTypes: p.DTypes, Nulls: source.Nulls{Mode: source.NullFill}, Jagged: jagged,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if w, ok := src.(colstore.Warner); ok {
		a.warn(w.Warnings()...)
	}
	v.Columns = src.Schema().Len()
	scanned := fault.Guard(func() error {
		for b, err := range src.Scan(cmd.Context(), colstore.Scan{Threads: threads, Once: true}) {
			if err != nil {
				return err
			}
			v.Rows += int64(b.Rows())
		}
		return nil
	})
	if n := src.Rows(); scanned == nil && n >= 0 && n != v.Rows {
		scanned = fmt.Errorf("%w: the file says %d rows, there are %d", colstore.ErrMismatch, n, v.Rows)
	}
	if scanned != nil {
		v.add(scanned)
	}
	v.OK = scanned == nil
	return nil
}

// orSkip returns the policy for lists, arrays and structures that was asked for, or the one that tells of all the others.
func orSkip(policy string) (source.Jagged, error) {
	if policy == "" {
		policy = "skip"
	}
	return source.ParseJagged(policy)
}

// add adds a finding.
func (v *verified) add(err error) {
	f := finding{Message: err.Error()}
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		if e.Column != "" {
			f.Column = &e.Column
		}
		if i, ok := e.Record.Get(); ok {
			f.Record = &i
		}
		if i, ok := e.Row.Get(); ok {
			f.Row = &i
		}
	}
	v.Findings = append(v.Findings, f)
}

// printVerified prints what was found, or that the file cannot be opened.
func (a *app) printVerified(v *verified, failure error) error {
	if a.asJSON {
		if failure != nil {
			text := failure.Error()
			v.Error = &text
		}
		if v.Findings == nil {
			v.Findings = []finding{}
		}
		return a.writeJSON(v)
	}
	if failure != nil {
		_, err := fmt.Fprintf(a.out, "%s: cannot be opened\n", v.Path)
		return err
	}
	if v.OK {
		line := plural(v.Rows, "row", "rows")
		if v.Records != nil {
			line += " in " + plural(int64(*v.Records), "record", "records")
		}
		line += ", " + plural(int64(v.Columns), "column", "columns")
		if v.Statistics {
			line += ", statistics hold"
		}
		_, err := fmt.Fprintf(a.out, "%s: ok, %s\n", v.Path, line)
		return err
	}
	for _, f := range v.Findings {
		if _, err := fmt.Fprintln(a.out, f.Message); err != nil {
			return err
		}
	}
	return nil
}
