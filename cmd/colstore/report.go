package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/runtime"
)

func (a *app) report() *cobra.Command {
	in, params := &inputFlags{}, &paramFlag{}
	steps := &stepsFlag{params: params}
	show := ""
	var asCSV, asMarkdown, asHTML bool
	c := &cobra.Command{
		Use:     "report FILE...",
		Aliases: []string{"cutflow"},
		Short:   "How many rows enter and pass each of several cuts",
		Long: `Count the rows that enter and pass each cut, in order.

  colstore report muons.cstore --weight w --cut 'trigger=hlt' --cut 'muon pT=pt > 25'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			s, err := frame.ParseShow(show)
			if err != nil {
				return usageError{fmt.Errorf("--show: %w", err)}
			}
			f, err := steps.frame()
			if err != nil {
				return err
			}
			opened, err := a.open(cmd.Context(), cmd, in, args, f.Select())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opened.Close()) }()
			if a.explaining {
				return a.explain(opened.Frame(0))
			}
			o, err := in.options()
			if err != nil {
				return err
			}
			flow, err := runtime.Cutflow(cmd.Context(), opened.Frame(0), o)
			if err != nil {
				return err
			}
			switch {
			case a.asJSON:
				return a.writeJSON(flow)
			case asCSV:
				_, err = fmt.Fprint(a.out, flow.CSV())
			case asMarkdown:
				_, err = fmt.Fprint(a.out, flow.Markdown(s))
			case asHTML:
				_, err = fmt.Fprint(a.out, flow.HTML(s))
			default:
				_, err = fmt.Fprintln(a.out, flow.Text(s))
			}
			return err
		},
	}
	in.register(c)
	s := c.Flags()
	paramsFlag(s, params)
	s.Var(steps.adder("NAME=EXPR", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		name, expr, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usagef("--cut %q is not NAME=EXPR (=EXPR without a name)", text)
		}
		e, err := frame.Parse(expr, params.values)
		return func(f *frame.Frame) *frame.Frame { return f.Where(e, frame.Named(name)) }, err
	}), "cut", "a cut and its name (repeatable)")
	s.Var(steps.adder("EXPR", func(text string) (func(*frame.Frame) *frame.Frame, error) {
		e, err := frame.Parse(text, params.values)
		return func(f *frame.Frame) *frame.Frame { return f.Weight(e) }, err
	}), "weight", "the weight of the cuts that follow (repeatable)")
	s.StringVar(&show, "show", "both", "raw, weighted or both")
	s.BoolVar(&asCSV, "csv", false, "as CSV")
	s.BoolVar(&asMarkdown, "markdown", false, "as a Markdown table")
	s.BoolVar(&asHTML, "html", false, "as an HTML table")
	a.explainFlag(c)
	a.jsonFlag(c, "a JSON list of cuts")
	return c
}
