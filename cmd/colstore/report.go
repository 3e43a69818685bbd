package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/runtime"
)

// reportFlags are the flags of report beside those of its input.
type reportFlags struct {
	in       inputFlags
	params   paramFlag
	steps    stepsFlag
	show     string
	minus    bool
	against  string
	saved    string
	varies   int
	names    map[string]bool // of the variations
	csv      bool
	markdown bool
	html     bool
}

func (a *app) report() *cobra.Command {
	f := &reportFlags{}
	f.steps.params = &f.params
	c := &cobra.Command{
		Use:     "report FILE...",
		Aliases: []string{"cutflow"},
		Short:   "How many rows enter and pass each of several cuts",
		Long: `Count the rows that enter and pass each cut, in order.

  colstore report muons.cstore --weight w --cut 'trigger=hlt' --cut 'muon pT=pt > 25'
  colstore report muons.cstore --vary 'jes:pt=pt * 1.03; pt * 0.97' --cut 'muon pT=pt > 25' --n-minus-one
  colstore report data.cstore --against simulation.cstore --cut 'muon pT=pt > 25'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runReport(cmd, f, args) },
	}
	f.in.register(c)
	s := c.Flags()
	paramsFlag(s, &f.params)
	s.Var(f.steps.adder("cut", "NAME=EXPR", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		name, expr, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usagef("--cut %q is not NAME=EXPR (=EXPR without a name)", text)
		}
		if isComparison(name, expr) {
			return nil, usagef("--cut %q: its first = belongs to a comparison; write NAME=%s, or =%s without a name", text, text, text)
		}
		e, err := frame.Parse(expr, f.params.values)
		return func(f *frame.Frame) *frame.Frame { return f.Where(e, frame.Named(name)) }, err
	}), "cut", "a cut and its name (repeatable)")
	s.Var(f.steps.adder("weight", "EXPR", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		e, err := frame.Parse(text, f.params.values)
		return func(f *frame.Frame) *frame.Frame { return f.Weight(e) }, err
	}), "weight", "the weight of the cuts that follow (repeatable)")
	s.Var(f.steps.adder("vary", "NAME:COLUMN=UP;DOWN", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		f.varies++
		return f.vary(text)
	}), "vary", "the cutflow too with another value of a column from here on: NAME:COLUMN=UP;DOWN (repeatable)")
	s.BoolVar(&f.minus, "n-minus-one", false, "the N-1 table too: of each cut, the rows that pass all the others")
	s.StringVar(&f.against, "against", "", "a second file: the two cutflows and their differences")
	s.StringVar(&f.saved, "diff", "", "a cutflow saved as JSON: it, this one and their differences")
	s.StringVar(&f.show, "show", "both", "raw, weighted or both")
	s.BoolVar(&f.csv, "csv", false, "as CSV")
	s.BoolVar(&f.markdown, "markdown", false, "as a Markdown table")
	s.BoolVar(&f.html, "html", false, "as an HTML table")
	a.explainFlag(c)
	a.jsonFlag(c, "a JSON list of cuts")
	return c
}

// count returns how many of flags are set.
func count(flags ...bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

// isComparison reports whether the = between two texts is part of ==, !=, <= or >=.
func isComparison(before, after string) bool {
	return strings.HasPrefix(after, "=") || strings.HasSuffix(before, "!") || strings.HasSuffix(before, "<") || strings.HasSuffix(before, ">")
}

// vary reads NAME:COLUMN=UP;DOWN; either side may be left out.
func (f *reportFlags) vary(text string) (func(*frame.Frame) *frame.Frame, error) {
	name, rest, ok := strings.Cut(text, ":")
	column, sides, good := strings.Cut(rest, "=")
	if !ok || !good || name == "" {
		return nil, usagef("--vary %q is not NAME:COLUMN=UP;DOWN", text)
	}
	if f.names[name] {
		return nil, usagef("--vary %q: there is a variation of that name before", text)
	}
	if f.names == nil {
		f.names = map[string]bool{}
	}
	f.names[name] = true
	var exprs [2]frame.Expr
	up, down := halves(sides)
	if strings.TrimSpace(up) == "" && strings.TrimSpace(down) == "" {
		return nil, usagef("--vary %q has neither an UP nor a DOWN expression", text)
	}
	for i, side := range []string{up, down} {
		if strings.TrimSpace(side) == "" {
			continue
		}
		var err error
		if exprs[i], err = frame.Parse(strings.TrimSpace(side), f.params.values); err != nil {
			return nil, err
		}
	}
	return func(g *frame.Frame) *frame.Frame { return g.Vary(name, strings.TrimSpace(column), exprs[0], exprs[1]) }, nil
}

// halves cuts a text at its first ; outside quotes.
func halves(s string) (before, after string) {
	quote := rune(0)
	for i, r := range s {
		switch {
		case quote == 0 && r == ';':
			return s[:i], s[i+1:]
		case quote == 0 && strings.ContainsRune("'\"`", r):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return s, ""
}

func (a *app) runReport(cmd *cobra.Command, f *reportFlags, args []string) error {
	show, err := frame.ParseShow(f.show)
	if err != nil {
		return usageError{fmt.Errorf("--show: %w", err)}
	}
	steps, err := f.steps.frame()
	if err != nil {
		return err
	}
	if n := count(a.asJSON, f.csv, f.markdown, f.html); n > 1 {
		return usagef("--json, --csv, --markdown and --html exclude each other")
	}
	comparing := f.against != "" || f.saved != ""
	switch {
	case f.against != "" && f.saved != "":
		return usagef("--against and --diff exclude each other")
	case comparing && (f.minus || f.varies > 0):
		return usagef("--against and --diff compare two cutflows, without --vary and --n-minus-one")
	}
	if f.minus {
		steps = steps.NMinusOne()
	}
	o, err := f.in.options()
	if err != nil {
		return err
	}
	p := &reportPrinter{a: a, f: f, show: show}
	if comparing && !a.explaining {
		return a.compare(cmd, f, args, steps, o, p)
	}
	return a.withInput(cmd, &f.in, args, steps.Select(), func(in *runtime.Input) error {
		switch {
		case a.explaining:
			return a.explain(cmd.Context(), in.Frame(0), true)
		case f.varies > 0:
			flows, err := runtime.Cutflows(cmd.Context(), in.Frame(0), o)
			if err != nil {
				return err
			}
			return p.variations(flows)
		}
		flow, err := runtime.Cutflow(cmd.Context(), in.Frame(0), o)
		if err != nil {
			return err
		}
		return p.cutflow(flow)
	})
}

// withInput opens files for a frame, and closes them after use.
func (a *app) withInput(cmd *cobra.Command, f *inputFlags, paths []string, steps *frame.Frame, use func(*runtime.Input) error) (err error) {
	in, err := a.open(cmd.Context(), cmd, f, paths, steps)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return use(in)
}

// compare prints the differences to the cutflow of another file, or to a saved one, which is the first of the two.
func (a *app) compare(cmd *cobra.Command, f *reportFlags, args []string, steps *frame.Frame, o *runtime.Options, p *reportPrinter) error {
	tally := func(ctx context.Context, paths []string) (flow *frame.Cutflow, err error) {
		err = a.withInput(cmd, &f.in, paths, steps.Select(), func(in *runtime.Input) (err error) {
			flow, err = runtime.Cutflow(ctx, in.Frame(0), o)
			return err
		})
		return flow, err
	}
	var saved *frame.Cutflow
	if f.saved != "" {
		var err error
		if saved, err = readCutflow(f.saved); err != nil {
			return err
		}
	}
	flow, err := tally(cmd.Context(), args)
	if err != nil {
		return err
	}
	if saved != nil {
		return p.difference(frame.DiffCutflows(saved, flow), f.saved, strings.Join(args, ", "))
	}
	other, err := tally(cmd.Context(), []string{f.against})
	if err != nil {
		return err
	}
	return p.difference(frame.DiffCutflows(flow, other), strings.Join(args, ", "), f.against)
}

// maxSaved is the largest file that is taken for a saved cutflow.
const maxSaved = 16 << 20

// readCutflow reads a cutflow that was saved as JSON, alone or with its N−1 table.
func readCutflow(path string) (*frame.Cutflow, error) {
	fail := func(err error) (*frame.Cutflow, error) {
		return nil, &colstore.Error{Op: "read", Path: path, Err: err}
	}
	st, err := os.Stat(path)
	if err != nil {
		return fail(fsx.Bare(err))
	}
	if st.Size() > maxSaved {
		return fail(fmt.Errorf("%w: a file of %s is no saved cutflow", colstore.ErrValue, colstore.ByteSize(st.Size())))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fail(fsx.Bare(err))
	}
	flow := &frame.Cutflow{}
	both := struct {
		Cutflow *frame.Cutflow `json:"cutflow"`
	}{flow}
	if err := json.Unmarshal(data, flow); err == nil && flow.Cuts != nil {
		return flow, nil
	}
	if err := json.Unmarshal(data, &both); err != nil || both.Cutflow.Cuts == nil {
		return fail(fmt.Errorf("%w: no cutflow as report --json writes it", colstore.ErrValue))
	}
	return both.Cutflow, nil
}
