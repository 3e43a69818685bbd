package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
)

func (a *app) cat() *cobra.Command {
	in, steps, params := &inputFlags{}, &stepsFlag{}, &paramFlag{}
	as := "csv"
	c := &cobra.Command{
		Use:   "cat FILE...",
		Short: "Rows to standard output",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if as != "csv" && as != "ndjson" && as != "json" {
				return usagef("--format %q; there is csv, ndjson, json", as)
			}
			f, err := steps.frame()
			if err != nil {
				return err
			}
			if f, err = in.selected(cmd, f); err != nil {
				return err
			}
			opened, err := a.open(cmd.Context(), cmd, in, args, f)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opened.Close()) }()
			o, err := in.options()
			if err != nil {
				return err
			}
			schema, err := opened.Frame(0).Schema()
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
			for b, err := range runtime.Batches(cmd.Context(), opened.Frame(0), o) {
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
	c.Flags().StringVar(&as, "format", as, "csv, ndjson or json")
	return c
}
