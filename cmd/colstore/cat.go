package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

func (a *app) cat() *cobra.Command {
	in, steps, params := &inputFlags{}, &stepsFlag{}, &paramFlag{}
	as, rows, to := "csv", &rowsFlag{}, &rowsOutput{}
	c := &cobra.Command{
		Use:   "cat FILE...",
		Short: "Rows to standard output",
		Long: `Write rows to standard output, or to a file of any format.

  colstore cat muons.cstore --where 'pt > 30' --rows :5
  colstore cat muons.cstore --rows ::-1 --format ndjson
  colstore cat muons.cstore --rows '[5,0,5]' --columns pt,eta -o some.cstore`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if to.path != "" && cmd.Flags().Changed("format") {
				return usagef("--format is of standard output; the extension of %s says its format", to.path)
			}
			if a.asJSON && !cmd.Flags().Changed("format") {
				as = "json"
			}
			if as != "csv" && as != "ndjson" && as != "json" {
				return usagef("--format %q; there is csv, ndjson, json", as)
			}
			f, err := steps.frame()
			if err != nil {
				return err
			}
			if f, err = in.selected(cmd, args, f); err != nil {
				return err
			}
			opened, err := a.open(cmd.Context(), cmd, in, args, f)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opened.Close()) }()
			if a.explaining {
				return a.explain(cmd.Context(), opened.Frame(0), false)
			}
			o, err := in.options()
			if err != nil {
				return err
			}
			if f, err = rows.over(opened); err != nil {
				return err
			}
			if to.path != "" {
				return to.write(cmd.Context(), a, in, selection{f, o})
			}
			schema, err := f.Schema()
			if err != nil {
				return err
			}
			w, flush := a.buffered()
			var out colstore.Sink = &jsonRows{w: w, list: as == "json", names: quotedNames(schema)}
			if as == "csv" {
				if out, err = sink.Stream(cmd.Context(), w, sink.Spec{Format: "csv", Schema: schema}); err != nil {
					return err
				}
			}
			for b, err := range runtime.Batches(cmd.Context(), f, o) {
				if err == nil {
					err = fault.Guard(func() error { return out.Write(cmd.Context(), b) })
				}
				if err != nil {
					return errors.Join(err, flush())
				}
			}
			if err := out.Commit(cmd.Context()); err != nil {
				return err
			}
			return flush()
		},
	}
	in.register(c)
	steps.whereFlags(c.Flags(), params)
	c.Flags().Var(rows, "rows", "only these rows, in this order: 10, -1, 2:9:3, ::-1, [5,0,5] or a mask [true,false]; given again, it picks among those (repeatable)")
	steps.rowFlags(c.Flags())
	a.explainFlag(c)
	c.Flags().StringVar(&as, "format", as, "csv, ndjson or json")
	to.register(c.Flags())
	a.jsonFlag(c, "as --format json; errors as JSON too")
	return c
}

// rowsFlag collects --rows.
type rowsFlag struct{ picks []source.Selection }

func (*rowsFlag) Type() string   { return "SEL" }
func (*rowsFlag) String() string { return "" }

// Set implements pflag.Value.
func (r *rowsFlag) Set(s string) error {
	sel, err := source.ParseSelection(s)
	if err == nil {
		err = sel.Err()
	}
	if err != nil {
		return err
	}
	r.picks = append(r.picks, sel)
	return nil
}

// over returns the first frame of an input over the rows that were picked of those that its steps leave.
func (r *rowsFlag) over(opened *runtime.Input) (*frame.Frame, error) {
	f := opened.Frame(0)
	if len(r.picks) == 0 {
		return f, nil
	}
	v := source.ViewOf(opened.Source())
	if f.Chooses() {
		v = v.Pick(source.Where(f))
	}
	for _, s := range r.picks {
		v = v.Pick(s)
	}
	if err := v.Err(); err != nil {
		return nil, &colstore.Error{Path: strings.Join(opened.Paths(), ", "), Err: fmt.Errorf("--rows: %w", err)}
	}
	return f.Uncut().OverPart(v, opened.Names()), nil
}
