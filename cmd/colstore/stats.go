package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
)

func (a *app) stats() *cobra.Command {
	in, steps, params := &inputFlags{}, &stepsFlag{}, &paramFlag{}
	names, ddof := "count,sum,mean,std,min,max", 0
	c := &cobra.Command{
		Use:   "stats FILE...",
		Short: "Sums, means, deviations, extremes and quantiles of columns, in one pass",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
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
			// What was not asked for by name is left out where it has no meaning.
			asked := cmd.Flags().Changed("ops") && cmd.Flags().Changed("columns")
			if len(splitNames(names)) == 0 {
				return usagef("--ops names no reduction")
			}
			t, err := reductions(opened.Frame(0), splitNames(names), ddof, asked)
			if err != nil {
				return err
			}
			return a.printStats(cmd.Context(), opened.Frame(0), o, t)
		},
	}
	in.register(c)
	steps.whereFlags(c.Flags(), params)
	c.Flags().StringVar(&names, "ops", names, "the reductions: sum, mean, min, max, std, var, count, median, q0.25 for a quantile")
	c.Flags().IntVar(&ddof, "ddof", 0, "std and var divide by the rows less this")
	a.explainFlag(c)
	a.jsonFlag(c, `{"column": {"op": value}}`)
	return c
}

// statsTable is the reductions of every column; -1 where one has no meaning.
type statsTable struct {
	columns []string
	ops     []string
	aggs    []ops.Agg
	index   [][]int // column, op → reduction
}

func reductions(f *frame.Frame, names []string, ddof int, strict bool) (*statsTable, error) {
	schema, err := f.Schema()
	if err != nil {
		return nil, err
	}
	t := &statsTable{columns: schema.Names(), ops: names}
	for _, c := range schema.All() {
		row := make([]int, len(names))
		for i, n := range names {
			agg, err := ops.AggByName(n, c.Name, ddof)
			if err != nil {
				return nil, usageError{fmt.Errorf("--ops: %w", err)}
			}
			if _, err := agg.New([]colstore.DType{c.Type}, 0); err != nil {
				if strict {
					return nil, &colstore.Error{Column: c.Name, Err: err}
				}
				row[i] = -1
				continue
			}
			row[i] = len(t.aggs)
			t.aggs = append(t.aggs, agg)
		}
		t.index = append(t.index, row)
	}
	return t, nil
}

func (a *app) printStats(ctx context.Context, f *frame.Frame, o *runtime.Options, t *statsTable) error {
	values, err := runtime.Reduce(ctx, f, o, t.aggs...)
	if err != nil {
		return err
	}
	if a.asJSON {
		out := []byte{'{'}
		for i, c := range t.columns {
			if i > 0 {
				out = append(out, ", "...)
			}
			out = append(text.AppendJSONString(out, c), ": {"...)
			first := true
			for j, op := range t.ops {
				k := t.index[i][j]
				if k < 0 {
					continue
				}
				if !first {
					out = append(out, ", "...)
				}
				first = false
				out = append(text.AppendJSONString(out, op), ": "...)
				out = text.AppendJSON(out, values[k].Cell(), 0, text.JSONStyle{WideAsText: true})
			}
			out = append(out, '}')
		}
		_, err := fmt.Fprintf(a.out, "%s}\n", out)
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "column\t%s\t\n", strings.Join(t.ops, "\t"))
	for i, c := range t.columns {
		fmt.Fprint(w, strings.Map(printable, c))
		for j := range t.ops {
			cell := "-"
			if k := t.index[i][j]; k >= 0 {
				cell = string(text.AppendPlain(nil, values[k].Cell(), 0))
			}
			fmt.Fprint(w, "\t", cell)
		}
		fmt.Fprintln(w, "\t")
	}
	return w.Flush()
}
