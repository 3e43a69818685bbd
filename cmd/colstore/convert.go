package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

// convertFlags are the flags of convert beside those of its input.
type convertFlags struct {
	in           inputFlags
	output       string
	outputDir    string
	rename       pairFlag
	format       string
	steps        stepsFlag
	params       paramFlag
	compression  string
	rowGroup     string
	nonfinite    string
	rootFormat   string
	statistics   bool
	noCompact    bool
	overwrite    bool
	skipExisting bool
	appending    bool
	lock         lockFlag
	dryRun       bool
	emit         bool
}

func (a *app) convert() *cobra.Command {
	f := &convertFlags{}
	c := &cobra.Command{
		Use:   "convert SOURCE...",
		Short: "Convert any readable format to any writable one",
		Long: `Convert files, patterns and folders of shards.

  -o out.parquet             all sources become one file
  -o 'out/{stem}.parquet'    one output a source; also {index} {index:03d} {name} {parent}
  (neither)                  one output beside each source, foreign files become .cstore

Steps (--where, --assign, --rename-column, --drop) apply in the order written.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runConvert(cmd, f, args) },
	}
	s := c.Flags()
	s.StringVarP(&f.output, "output", "o", "", "the output, or a template with { }")
	s.StringVar(&f.outputDir, "output-dir", "", "folder for one output a source")
	s.Var(&f.rename, "rename", "name an output: STEM=NEW (repeatable)")
	s.StringVar(&f.format, "format", "", "the format of the side whose extension does not tell")
	f.in.register(c)
	f.steps.params = &f.params
	f.steps.register(s)
	s.VarP(&f.params, "param", "p", "value of @NAME in expressions: NAME=VALUE, NAME:=JSON, NAME=DTYPE:VALUE")
	s.StringVar(&f.compression, "compression", "", "codec and level of the output: zstd:3")
	s.StringVar(&f.rowGroup, "row-group", "", "rows or size of the output's row groups")
	s.StringVar(&f.nonfinite, "nonfinite", "", "JSON output: NaN and infinities as null (default) or literal")
	s.StringVar(&f.rootFormat, "root-format", "", "ROOT output: how the table is laid out: ttree")
	s.BoolVar(&f.statistics, "statistics", false, ".cstore output: append the bounds of every column")
	s.BoolVar(&f.noCompact, "no-compact", false, ".cstore output: records of at most 32 MiB instead of one")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace existing outputs when the new ones are complete")
	s.BoolVar(&f.skipExisting, "skip-existing", false, "leave outputs alone that are newer than their source")
	s.BoolVar(&f.appending, "append", false, ".cstore output: add the rows to an existing file of the same columns")
	f.lock.register(s)
	s.BoolVar(&f.dryRun, "dry-run", false, "check and show the plan, write nothing")
	s.BoolVar(&f.emit, "emit-recipe", false, "print the equal recipe, write nothing")
	a.explainFlag(c)
	a.jsonFlag(c, "the result as JSON")
	return c
}

func (a *app) runConvert(cmd *cobra.Command, f *convertFlags, args []string) error {
	ctx := cmd.Context()
	plan, err := pipeline.Convert(args, pipeline.ConvertOptions{
		Output: f.output, OutputDir: f.outputDir, Rename: f.rename.all(),
		Format: f.format, NoGlob: f.in.noGlob, Formats: knownFormats(),
	})
	if err != nil {
		return hintOutput(args, f.output, dataError{err})
	}
	o, err := f.in.options()
	if err != nil {
		return err
	}
	ps, err := f.pipelines(cmd, plan)
	if err != nil {
		return err
	}
	a.warn(plan.Warnings...)
	if f.emit {
		return a.emitRecipe(f, args, plan, ps, o)
	}
	if a.explaining {
		return a.explainAll(ctx, ps, o)
	}
	if f.dryRun {
		return a.dryRun(ctx, plan, ps, o)
	}
	bar := a.progress()
	o.Events = bar.event
	results := runtime.RunAll(ctx, ps, jobsOf(o, len(ps)), o)
	bar.stop()
	return a.converted(plan, results)
}

// jobsOf returns how many files are converted at once: as many as there are workers.
func jobsOf(o *runtime.Options, files int) int {
	if o.Workers > 0 {
		return min(o.Workers, files)
	}
	return min(defaultWorkers(), files)
}

// knownFormats returns the formats by name and extension, for planning.
func knownFormats() []pipeline.Format {
	var out []pipeline.Format
	for _, f := range source.Formats() {
		out = append(out, pipeline.Format{Name: f.Name, Extensions: f.Extensions})
	}
	return out
}

// hintOutput adds to a missing last source that looks like an output that -o makes it one.
func hintOutput(args []string, output string, err error) error {
	last := args[len(args)-1]
	if output != "" || len(args) < 2 || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, statErr := os.Stat(last); statErr == nil {
		return err
	}
	if _, formatErr := sink.FormatOf(last, ""); formatErr != nil {
		return err
	}
	return fmt.Errorf("%w; to write it, use -o %s", err, last)
}

// mode returns what is done about an output that exists.
func (f *convertFlags) mode() (pipeline.Mode, error) {
	mode, flag := pipeline.Create, ""
	for _, m := range []struct {
		set  bool
		flag string
		mode pipeline.Mode
	}{{f.overwrite, "--overwrite", pipeline.Replace}, {f.skipExisting, "--skip-existing", pipeline.Missing}, {f.appending, "--append", pipeline.Append}} {
		switch {
		case m.set && flag != "":
			return "", usagef("%s and %s exclude each other", flag, m.flag)
		case m.set:
			mode, flag = m.mode, m.flag
		}
	}
	return mode, nil
}

// pipelines makes a pipeline of every job.
func (f *convertFlags) pipelines(cmd *cobra.Command, plan *pipeline.Conversion) ([]*pipeline.Pipeline, error) {
	mode, err := f.mode()
	if err != nil {
		return nil, err
	}
	steps, err := f.steps.frame()
	if err != nil {
		return nil, err
	}
	var out []*pipeline.Pipeline
	for _, j := range plan.Jobs {
		in, err := f.in.input(cmd, j.Inputs)
		if err != nil {
			return nil, err
		}
		in.Format, in.NoGlob = j.InputFormat, true // patterns are expanded
		o := pipeline.Output{Path: j.Output, Format: j.OutputFormat, Mode: mode, Mkdirs: true, Lock: f.lock.policy}
		if o.Options, err = f.outputOptions(in.Options, j); err != nil {
			return nil, err
		}
		for name := range o.Options { // flags of both: of the output alone, if no input has such an option
			if !readersHave(j, name) {
				delete(in.Options, name)
			}
		}
		if tree, there := o.Options["tree"].(string); there {
			if isRoot(j) {
				o.Options["tree"] = treeName(tree)
			} else {
				delete(in.Options, "tree") // of the output alone
			}
		}
		out = append(out, &pipeline.Pipeline{Name: filepath.Base(j.Output), Input: in, Frame: steps, Branches: []pipeline.Branch{{Output: o}}})
	}
	return out, nil
}

// readersHave reports whether the format of an input has an option, or is not known.
func readersHave(j pipeline.Job, option string) bool {
	return slices.ContainsFunc(j.Inputs, func(path string) bool {
		name, err := source.FormatName(path, j.InputFormat)
		return err != nil || slices.ContainsFunc(source.Formats(), func(f source.Format) bool {
			return f.Name == name && slices.ContainsFunc(f.ReadOptions(), func(o format.Option) bool { return o.Name == option })
		})
	})
}

// outputOptions returns the options of the output's format that flags set, and takes from those of the input what is the
// output's.
func (f *convertFlags) outputOptions(input map[string]any, j pipeline.Job) (map[string]any, error) {
	o := map[string]any{}
	if f.compression != "" {
		o["compression"] = f.compression
	}
	if f.rowGroup != "" {
		o["row_group"] = f.rowGroup
	}
	if f.statistics {
		o["statistics"] = true
	}
	if f.noCompact {
		o["compact"] = false
	}
	d, err := sink.FormatOf(j.Output, j.OutputFormat)
	if err != nil {
		return nil, dataError{err}
	}
	if f.in.delimiter != "" && strings.HasSuffix(d.Name, "sv") {
		o["delimiter"] = unescape(f.in.delimiter)
	}
	if f.in.noHeader && strings.HasSuffix(d.Name, "sv") {
		o["header"] = false
	}
	orient, err := f.in.orients(j.Inputs[0], j.InputFormat, d.Name)
	if err != nil {
		return nil, err
	}
	delete(input, "orient")
	if orient.in != "" {
		input["orient"] = orient.in
	}
	if orient.out != "" {
		o["orient"] = orient.out
	}
	for name, value := range f.in.opts.all() {
		if slices.ContainsFunc(d.Write.Options, func(w format.Option) bool { return w.Name == name }) {
			o[name] = value
		}
	}
	if d.Name == "root" && f.in.tree != "" {
		o["tree"] = f.in.tree
	}
	if f.rootFormat != "" {
		o["layout"] = f.rootFormat
	}
	if f.nonfinite != "" {
		o["nonfinite"] = f.nonfinite
	}
	// The Python package takes --no-compact for every input, whatever the output is.
	if d.Name != "cstore" {
		delete(o, "compact")
	}
	return o, nil
}

// isRoot reports whether the inputs of a job are ROOT files, as far as their names tell.
func isRoot(j pipeline.Job) bool {
	d, err := sink.FormatOf(j.Inputs[0], j.InputFormat)
	return err == nil && d.Name == "root"
}

// treeName returns the name of a tree without the folders that it is in and its cycle, neither of which is written.
func treeName(tree string) string {
	name, _, _ := strings.Cut(tree[strings.LastIndexByte(tree, '/')+1:], ";")
	return name
}

// dryRun checks every job as far as headers tell, and shows the plan.
func (a *app) dryRun(ctx context.Context, plan *pipeline.Conversion, ps []*pipeline.Pipeline, o *runtime.Options) error {
	for _, p := range ps {
		l, err := runtime.Prepare(ctx, p, o)
		if err != nil {
			return err
		}
		a.warn(l.Input().Warnings()...)
		if err := l.Close(); err != nil {
			return err
		}
		for _, b := range p.Branches {
			if _, err := os.Stat(b.Output.Path); err == nil && b.Output.Mode == pipeline.Create {
				return &colstore.Error{Op: "create", Path: b.Output.Path, Err: fmt.Errorf("%w; --overwrite replaces it", colstore.ErrExists)}
			}
		}
	}
	_, _ = fmt.Fprint(a.out, plan.Describe("Would convert"))
	_, _ = fmt.Fprintln(a.out, "Dry run: nothing was written.")
	return nil
}

// converted reports what became of the jobs.
func (a *app) converted(plan *pipeline.Conversion, results []runtime.Result) error {
	var failed []error
	done := &pipeline.Conversion{Merge: plan.Merge}
	var reports []*runtime.Report
	for i, r := range results {
		if r.Err != nil {
			failed = append(failed, ofJob(plan.Jobs[i].Inputs, len(results), r.Err))
			continue
		}
		a.warn(r.Report.Warnings...)
		if len(r.Report.Outputs) == 1 && r.Report.Outputs[0].Skipped {
			a.warn(r.Report.Outputs[0].Path + " is newer than its source and was left alone")
			continue
		}
		done.Jobs = append(done.Jobs, plan.Jobs[i])
		reports = append(reports, r.Report)
	}
	if len(failed) == len(results) && len(failed) > 0 {
		return oneOf(failed)
	}
	switch {
	case a.asJSON:
		if err := a.writeJSON(conversionJSON(reports)); err != nil {
			return err
		}
	case len(done.Jobs) > 0:
		_, _ = fmt.Fprint(a.out, done.Describe("Converted"))
	}
	return a.partial(failed, len(results))
}

// ofJob names the inputs of one of several jobs in an error that names no file, such as one about an expression.
func ofJob(inputs []string, jobs int, err error) error {
	e, ok := errors.AsType[*colstore.Error](err)
	if jobs == 1 || ok && e.Path != "" || errors.Is(err, errInterrupted) {
		return err
	}
	return &colstore.Error{Path: strings.Join(inputs, ", "), Err: err}
}

// oneOf returns the only error, or all of them joined.
func oneOf(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

type conversion struct {
	Inputs  []string `json:"inputs"`
	Output  string   `json:"output"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"`
	Copied  bool     `json:"copied"` // the output is a copy of the inputs' bytes
	Seconds float64  `json:"seconds"`
}

func conversionJSON(reports []*runtime.Report) []conversion {
	out := []conversion{}
	for _, r := range reports {
		for _, o := range r.Outputs {
			out = append(out, conversion{r.Inputs, o.Path, o.Rows, o.Bytes, r.Copied, r.Elapsed.Seconds()})
		}
	}
	return out
}

// stepsFlag collects the frame steps of flags in the order they are written.
type stepsFlag struct {
	params  *paramFlag
	steps   []func() (step func(*frame.Frame) *frame.Frame, err error)
	written []writtenStep
}

// writtenStep is a step as it was written.
type writtenStep struct{ flag, text string }

// frame returns the steps as a frame. Parameters are looked up now, since -p may be written behind an expression.
func (s *stepsFlag) frame() (*frame.Frame, error) {
	f := frame.New()
	for _, make := range s.steps {
		step, err := make()
		if err != nil {
			return nil, err
		}
		f = step(f)
	}
	return f, f.Err()
}

// stepValue is one flag that adds a step.
type stepValue struct {
	kind string
	add  func(text string) error
}

func (v *stepValue) Type() string       { return v.kind }
func (v *stepValue) String() string     { return "" }
func (v *stepValue) Set(s string) error { return v.add(s) }

// adder returns the value of a flag that adds the step that make makes of its text.
func (s *stepsFlag) adder(flag, kind string, make func(text string) (func(*frame.Frame) *frame.Frame, error)) *stepValue {
	return &stepValue{kind, func(text string) error {
		s.written = append(s.written, writtenStep{flag, text})
		s.steps = append(s.steps, func() (func(*frame.Frame) *frame.Frame, error) { return make(text) })
		return nil
	}}
}
