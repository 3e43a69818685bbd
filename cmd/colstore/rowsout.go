package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
)

// rowsOutput is the file that a command which shows rows writes them to instead.
type rowsOutput struct {
	path      string
	overwrite bool
	lock      lockFlag
}

func (r *rowsOutput) register(s *pflag.FlagSet) {
	s.StringVarP(&r.path, "output", "o", "", "write the rows to a file of any format")
	s.BoolVar(&r.overwrite, "overwrite", false, "replace an existing output")
	r.lock.register(s)
}

// write writes rows to the file.
func (r *rowsOutput) write(ctx context.Context, a *app, in *inputFlags, rows selection) error {
	out := pipeline.Output{Path: r.path, Mode: pipeline.Create, Lock: r.lock.policy}
	if r.overwrite {
		out.Mode = pipeline.Replace
	}
	if o, _ := parseOrients(in.orient); o.out != "" {
		out.Options = map[string]any{"orient": o.out}
	}
	report, err := runtime.Write(ctx, rows.f, out, rows.o)
	if err != nil {
		return err
	}
	a.warn(report.Warnings...)
	n := report.Outputs[0].Rows
	if a.asJSON {
		return a.writeJSON(map[string]any{"rows": n, "output": r.path})
	}
	_, err = fmt.Fprintf(a.out, "Wrote %s to %s\n", plural(n, "row", "rows"), r.path)
	return err
}
