package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

type concatFlags struct {
	in        inputFlags
	output    string
	overwrite bool
	stats     statsFlags
	lock      lockFlag
}

func (a *app) concat() *cobra.Command {
	f := &concatFlags{}
	c := &cobra.Command{
		Use:   "concat FILE... -o OUT",
		Short: "Write the rows of several files as one .cstore file of one record",
		Long: `Write the rows of several files, patterns and folders, one below the other, as one .cstore file of one record.

The files are in any readable format. Columns of .cstore files are copied as they lie; the others are decoded, as in
convert. To read several files as one table there is no need to write it: every command takes several.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runConcat(cmd, f, args) },
	}
	s := c.Flags()
	s.StringVarP(&f.output, "output", "o", "", "the file to write, which is none of the inputs")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace an existing output when the new one is complete")
	f.stats.register(s)
	f.lock.register(s)
	f.in.register(c)
	a.jsonFlag(c, "the result as JSON")
	return c
}

func (a *app) runConcat(cmd *cobra.Command, f *concatFlags, args []string) (err error) {
	if f.output == "" {
		return usagef("-o says where the rows go; to read several files as one table, name them all: colstore cat FILE FILE")
	}
	if d, err := sink.FormatOf(f.output, ""); err == nil && d.Name != "cstore" {
		return usagef("concat writes .cstore files; colstore convert … -o %s writes %s", f.output, d.Name)
	}
	policy, err := f.stats.policy()
	if err != nil {
		return err
	}
	in, err := f.in.input(cmd, args)
	if err != nil {
		return err
	}
	o, err := f.in.options()
	if err != nil {
		return err
	}
	paths, err := source.Paths(source.Spec{Paths: in.Paths, NoGlob: in.NoGlob, Hive: in.Hive})
	if err != nil {
		return dataError{err}
	}
	for _, p := range paths {
		if same, err := sameFiles(p, f.output); err == nil && same {
			return &colstore.Error{Op: "concat", Path: f.output, Err: fmt.Errorf("%w: the output is one of the files, %s; write to another path", colstore.ErrValue, p)}
		}
	}
	out := pipeline.Output{Path: f.output, Format: "cstore", Mkdirs: true, Lock: f.lock.policy, Options: map[string]any{"statistics": keepsStatistics(paths, policy)}}
	if f.overwrite {
		out.Mode = pipeline.Replace
	}
	bar := a.progress()
	o.Events = bar.event
	report, err := runtime.Run(cmd.Context(), &pipeline.Pipeline{
		Name: filepath.Base(f.output), Input: in, Branches: []pipeline.Branch{{Output: out}},
	}, o)
	bar.stop()
	if err != nil {
		return err
	}
	a.warn(report.Warnings...)
	return a.concatenated(report, out.Options["statistics"] == true)
}

// keepsStatistics reports whether the output has statistics: by the policy, if all inputs have some.
func keepsStatistics(paths []string, policy cstore.StatsPolicy) bool {
	if policy != cstore.StatsKeep {
		return policy == cstore.StatsWrite
	}
	for _, p := range paths {
		if name, err := source.FormatName(p, ""); err != nil || name != "cstore" {
			return false
		}
		if i, err := cstore.Stat(p); err != nil || !i.Statistics {
			return false
		}
	}
	return true
}

type concatenation struct {
	Inputs     []string `json:"inputs"`
	Output     string   `json:"output"`
	Rows       int64    `json:"n_rows"`
	Bytes      int64    `json:"bytes"`
	Statistics bool     `json:"statistics"`
	Copied     bool     `json:"copied"`
	Seconds    float64  `json:"seconds"`
}

// concatenated tells what was written.
func (a *app) concatenated(r *runtime.Report, statistics bool) error {
	w := r.Outputs[0]
	if a.asJSON {
		return a.writeJSON(concatenation{r.Inputs, w.Path, w.Rows, w.Bytes, statistics, r.Copied, r.Elapsed.Seconds()})
	}
	_, err := fmt.Fprintf(a.out, "%s: %s of %s, %s; %.2f s, %s\n", w.Path, plural(w.Rows, "row", "rows"),
		plural(int64(len(r.Inputs)), "file", "files"), colstore.ByteSize(w.Bytes), r.Elapsed.Seconds(), rate(w.Bytes, r.Elapsed))
	return err
}
