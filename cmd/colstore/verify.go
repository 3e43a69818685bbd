package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

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
	Sums       bool      `json:"sums"`         // the values were held against their sums
	Written    *string   `json:"sums_written"` // the sums that were written
	Findings   []finding `json:"findings"`
	Notes      []string  `json:"notes"` // what harms no reader
	Error      *string   `json:"error"` // why the file cannot be opened
}

// finding is what a file does not hold.
type finding struct {
	Message string  `json:"message"`
	Column  *string `json:"column"`
	Record  *int64  `json:"record"`
	Row     *int64  `json:"row"`
}

// verifyFlags are those of verify.
type verifyFlags struct {
	in   inputFlags
	sums string
	o    cstore.VerifyOptions
}

func (a *app) verify() *cobra.Command {
	f := &verifyFlags{}
	c := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that files hold what they say",
		Long: `Check that files hold what they say.

Of a .cstore file: structure, checksums, counts, and the statistics against the values of every record; and the values
themselves against FILE.sums, where --write-sums has written that. Of any other file: all columns are decoded, and checked
by what their format has to check. Exit code 1 for a file that cannot be opened, 3 for one that opens and does not hold
what it says.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runVerify(cmd, f, args) },
	}
	f.in.register(c)
	s := c.Flags()
	s.StringVar(&f.sums, "sums", "auto", "checksums of the values in FILE.sums: auto (if they are there), off, required")
	s.BoolVar(&f.o.WriteSums, "write-sums", false, "write FILE.sums of every .cstore file that holds what it says")
	a.jsonFlag(c, "one JSON object a line for each file")
	return c
}

// verifyOutcome is what became of one argument or file. The error is that it cannot be opened.
type verifyOutcome struct {
	v   *verified
	err error
}

func (a *app) runVerify(cmd *cobra.Command, f *verifyFlags, args []string) error {
	var err error
	if f.o.Sums, err = cstore.ParseSumsMode(f.sums); err != nil {
		return usageError{fmt.Errorf("--sums: %w", err)}
	}
	o, err := f.in.options()
	if err != nil {
		return err
	}
	f.o.Threads = o.Workers
	if f.o.Threads == 0 {
		f.o.Threads = defaultWorkers()
	}
	var closed []error
	check := checkError{}
	for _, arg := range args {
		paths, err := source.Paths(source.Spec{Paths: []string{arg}, NoGlob: f.in.noGlob, Hive: f.in.hive})
		if err != nil {
			check.all++
			closed = append(closed, err)
			if err := a.printVerified(&verified{Path: arg}, err); err != nil {
				return err
			}
			continue
		}
		for done := range a.verifyFiles(cmd, f, paths) {
			check.all++
			if cause := context.Cause(cmd.Context()); cause != nil {
				return cause
			}
			if _, usage := errors.AsType[usageError](done.err); usage {
				return done.err
			}
			if done.err != nil {
				closed = append(closed, done.err)
			} else if !done.v.OK {
				check.failed, check.path = check.failed+1, done.v.Path
			}
			if err := a.printVerified(done.v, done.err); err != nil {
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

// verifyFiles checks files and yields what became of them, in order. Of .cstore files as many as there are threads are
// checked at once.
func (a *app) verifyFiles(cmd *cobra.Command, f *verifyFlags, paths []string) iter.Seq[verifyOutcome] {
	return func(yield func(verifyOutcome) bool) {
		most := f.o.Threads
		for part := range slices.Chunk(paths, most) {
			outcomes := make([]verifyOutcome, len(part))
			var running sync.WaitGroup
			for i, path := range part {
				v := &verified{Path: path}
				outcomes[i].v = v
				if v.Format, outcomes[i].err = source.FormatName(path, ""); outcomes[i].err == nil && v.Format == "cstore" {
					o := f.o
					o.Threads = max(1, most/len(part))
					running.Go(func() { outcomes[i].err = a.verifyStore(cmd, v, &o) })
				}
			}
			running.Wait()
			for _, done := range outcomes {
				if done.err == nil && done.v.Format != "cstore" {
					done.err = a.decodeAll(cmd, &f.in, done.v, most)
				}
				if !yield(done) {
					return
				}
			}
		}
	}
}

// verifyStore checks a .cstore file.
func (a *app) verifyStore(cmd *cobra.Command, v *verified, o *cstore.VerifyOptions) error {
	if cmd.Flags().Changed("columns") {
		return usagef("--columns is for other formats; a .cstore file is verified as a whole")
	}
	r, err := cstore.Verify(cmd.Context(), v.Path, o)
	if r == nil {
		return err
	}
	v.Rows, v.Records, v.Columns, v.Statistics, v.Sums, v.Notes = r.Rows, &r.Records, r.Columns, r.Statistics, r.Sums, r.Notes
	if r.Written != "" {
		v.Written = &r.Written
	}
	for _, f := range r.Findings {
		v.add(f)
	}
	v.OK = err == nil && len(v.Findings) == 0
	return err
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
func (v *verified) add(err error) { v.Findings = append(v.Findings, findingOf(err)) }

func findingOf(err error) finding {
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
	return f
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
		if v.Notes == nil {
			v.Notes = []string{}
		}
		return a.writeJSON(v)
	}
	if failure != nil {
		what := "cannot be opened"
		if v.Records != nil {
			what = "holds what it says, but its sums were not written"
		}
		_, err := fmt.Fprintf(a.out, "%s: %s\n", v.Path, what)
		return err
	}
	for _, f := range v.Findings {
		if _, err := fmt.Fprintln(a.out, f.Message); err != nil {
			return err
		}
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
		if v.Sums {
			line += ", sums hold"
		}
		if v.Written != nil {
			line += "; wrote " + *v.Written
		}
		if _, err := fmt.Fprintf(a.out, "%s: ok, %s\n", v.Path, line); err != nil {
			return err
		}
	}
	for _, n := range v.Notes {
		if _, err := fmt.Fprintf(a.out, "%s: note: %s\n", v.Path, n); err != nil {
			return err
		}
	}
	return nil
}
