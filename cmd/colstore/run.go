package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/recipes"
	"github.com/colstore/colstore-go/runtime"
)

type runFlags struct {
	params     paramFlag
	batchSize  string
	maxWorkers string
	dryRun     bool
	lock       lockFlag
}

func (a *app) runRecipe() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run RECIPE",
		Short: "Run a recipe",
		Long: `Run a recipe: a YAML file that says what is read, what happens to the rows, and where they go.

  colstore run recipes/flights.yaml -p late=30`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runRun(cmd, f, args[0]) },
	}
	s := c.Flags()
	s.VarP(&f.params, "param", "p", "value of a parameter: NAME=VALUE, NAME:=JSON, NAME=DTYPE:VALUE (repeatable)")
	s.StringVar(&f.batchSize, "batch-size", "", "memory of the run, or rows of a batch, instead of the recipe's limits")
	s.StringVar(&f.maxWorkers, "max-workers", "auto", "batches at once: a number or auto")
	f.lock.register(s)
	s.BoolVar(&f.dryRun, "dry-run", false, "check the recipe against its input and show the plan, write nothing")
	a.jsonFlag(c, "the result as JSON")
	return c
}

func (a *app) runRun(cmd *cobra.Command, f *runFlags, path string) (err error) {
	ctx := cmd.Context()
	r, err := recipes.Load(path, &recipes.Options{Params: f.params.given})
	if err != nil {
		return err
	}
	for _, w := range r.Warnings {
		a.warn(w.Error())
	}
	if f.lock.given {
		for i := range r.Pipeline.Branches {
			r.Pipeline.Branches[i].Output.Lock = f.lock.policy
		}
	}
	in := inputFlags{batchSize: f.batchSize, maxWorkers: f.maxWorkers}
	o, err := in.options()
	if err != nil {
		return err
	}
	limits := r.Pipeline.Limits
	fitHeap(cmp.Or(o.Budget, limits.Memory), cmp.Or(o.BatchRows, limits.BatchRows))
	if r.Each() {
		return a.runEach(ctx, r, o, f.dryRun)
	}
	bar := a.progress()
	o.Events = bar.event
	plan, err := runtime.Prepare(ctx, r.Pipeline, o)
	if err != nil {
		bar.stop()
		return r.Locate(err)
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	if f.dryRun {
		bar.stop()
		a.warn(plan.Input().Warnings()...)
		return a.plan(r, r.Pipeline, plan)
	}
	report, err := plan.Run(ctx)
	bar.stop()
	if err != nil {
		return r.Locate(err)
	}
	a.warn(report.Warnings...)
	if a.asJSON {
		return a.writeJSON(runJSON(r, report))
	}
	return a.ran(r, report)
}

// ran prints what a run did.
func (a *app) ran(r *recipes.Recipe, report *runtime.Report) error {
	var b strings.Builder
	verb := "read"
	if report.Copied {
		verb = "copied" // as bytes
	}
	fmt.Fprintf(&b, "%s: %s %s from %s in %.2f s\n", r.Name, verb, plural(report.Rows, "row", "rows"),
		plural(int64(len(report.Inputs)), "file", "files"), report.Elapsed.Seconds())
	if report.Skips.Groups+report.Skips.Pages > 0 {
		fmt.Fprintf(&b, "left out by statistics: %s\n", report.Skips)
	}
	if len(report.Cutflow.Cuts) > 0 {
		fmt.Fprintf(&b, "\n%s\n", report.Cutflow.Text(r.Pipeline.Reports.Show))
	}
	b.WriteByte('\n')
	for _, o := range report.Outputs {
		if o.Skipped {
			fmt.Fprintf(&b, "kept %s: it is newer than the input\n", relative(o.Path))
			continue
		}
		fmt.Fprintf(&b, "wrote %s: %s, %s%s\n", relative(o.Path), plural(o.Rows, "row", "rows"), colstore.ByteSize(o.Bytes), shardText(o.Shards))
	}
	for _, p := range r.Pipeline.Reports.Cutflow {
		if !allSkipped(report) {
			fmt.Fprintf(&b, "wrote %s\n", relative(p))
		}
	}
	_, err := fmt.Fprint(a.out, b.String())
	return err
}

// shardText tells which shards a folder got.
func shardText(shards []string) string {
	switch n := len(shards); n {
	case 0:
		return ""
	case 1:
		return ", " + filepath.Base(shards[0])
	default:
		return fmt.Sprintf(", %s, %s to %s", plural(int64(n), "shard", "shards"), filepath.Base(shards[0]), filepath.Base(shards[n-1]))
	}
}

func allSkipped(r *runtime.Report) bool {
	for _, o := range r.Outputs {
		if !o.Skipped {
			return false
		}
	}
	return true
}

// plan prints what a run would do.
func (a *app) plan(r *recipes.Recipe, p *pipeline.Pipeline, plan *runtime.Plan) error {
	if a.asJSON {
		return a.writeJSON(planJSON(r, p, plan))
	}
	_, err := fmt.Fprint(a.out, planText(r, p, plan)+"Dry run: nothing was written.\n")
	return err
}

func planText(r *recipes.Recipe, p *pipeline.Pipeline, plan *runtime.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s would read %s:\n", r.Name, plural(int64(len(plan.Input().Paths())), "file", "files"))
	for _, path := range plan.Input().Paths() {
		fmt.Fprintf(&b, "  %s\n", relative(path))
	}
	for i, br := range p.Branches {
		fmt.Fprintf(&b, "and write %s:\n", relative(br.Output.Path))
		for _, c := range plan.Schema(i).All() {
			fmt.Fprintf(&b, "  %s  %s\n", c.Type, c.Name)
		}
	}
	return b.String()
}

// relative shortens a path for people.
func relative(path string) string { return filepath.ToSlash(filepath.Clean(path)) }

type recipePlan struct {
	Name    string             `json:"name"`
	Params  map[string]any     `json:"params"`
	Inputs  []string           `json:"inputs"`
	Outputs []recipePlanOutput `json:"outputs"`
}

type recipePlanOutput struct {
	Path    string       `json:"path"`
	Columns []planColumn `json:"columns"`
}

type planColumn struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
}

func planJSON(r *recipes.Recipe, p *pipeline.Pipeline, plan *runtime.Plan) recipePlan {
	out := recipePlan{r.Name, paramsJSON(r.Params), plan.Input().Paths(), nil}
	for i, br := range p.Branches {
		o := recipePlanOutput{Path: br.Output.Path}
		for _, c := range plan.Schema(i).All() {
			o.Columns = append(o.Columns, planColumn{c.Name, c.Type.String()})
		}
		out.Outputs = append(out.Outputs, o)
	}
	return out
}

// paramsJSON returns the values of parameters as JSON has them: a scalar as its text.
func paramsJSON(params map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range params {
		out[name] = paramJSON(v)
	}
	return out
}

func paramJSON(v any) any {
	switch v := v.(type) {
	case colstore.Scalar:
		return string(text.AppendPlain(nil, v.Cell(), 0))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = paramJSON(v[i])
		}
		return out
	}
	return v
}

type runResult struct {
	Name     string              `json:"name"`
	Params   map[string]any      `json:"params"`
	Inputs   []string            `json:"inputs"`
	Rows     int64               `json:"rows"`
	Skipped  int64               `json:"skipped_rows"`
	Skips    colstore.SkipCounts `json:"skipped"`
	Copied   bool                `json:"copied"` // the outputs are copies of the input's bytes
	Outputs  []runOutput         `json:"outputs"`
	Cutflow  *frame.Cutflow      `json:"cutflow"`
	Warnings []string            `json:"warnings"`
	Seconds  float64             `json:"seconds"`
}

type runOutput struct {
	Path    string   `json:"path"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"`
	Skipped bool     `json:"skipped"`
	Shards  []string `json:"shards,omitempty"`
}

func runJSON(r *recipes.Recipe, report *runtime.Report) runResult {
	out := runResult{
		Name: r.Name, Params: paramsJSON(r.Params), Inputs: report.Inputs, Rows: report.Rows, Skipped: report.Skipped, Skips: report.Skips, Copied: report.Copied, Outputs: []runOutput{},
		Cutflow: report.Cutflow, Warnings: append([]string{}, report.Warnings...), Seconds: report.Elapsed.Seconds(),
	}
	for _, o := range report.Outputs {
		out.Outputs = append(out.Outputs, runOutput(o))
	}
	return out
}
