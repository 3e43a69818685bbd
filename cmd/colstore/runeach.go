package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/recipes"
	"github.com/colstore/colstore-go/runtime"
)

// runEach runs a recipe that has one run for each input, several at once.
func (a *app) runEach(ctx context.Context, r *recipes.Recipe, o *runtime.Options, dryRun bool) error {
	ps, err := r.Pipelines()
	if err != nil {
		return dataError{err}
	}
	if dryRun {
		return a.planEach(ctx, r, ps, o)
	}
	if o.Workers == 0 {
		o.Workers = r.Pipeline.Limits.Workers // as many run at once
	}
	bar := a.progress()
	o.Events = bar.event
	results := runtime.RunAll(ctx, ps, jobsOf(o, len(ps)), o)
	bar.stop()
	var failed []error
	done := []runResult{}
	var text strings.Builder
	for _, result := range results {
		if result.Err != nil {
			failed = append(failed, r.Locate(result.Err))
			continue
		}
		a.warn(result.Report.Warnings...)
		done = append(done, runJSON(r, result.Report))
		for _, out := range result.Report.Outputs {
			if out.Skipped {
				fmt.Fprintf(&text, "kept %s: it is newer than the input\n", relative(out.Path))
				continue
			}
			fmt.Fprintf(&text, "wrote %s: %s\n", relative(out.Path), plural(out.Rows, "row", "rows"))
		}
	}
	if len(failed) == len(results) {
		return oneOf(failed)
	}
	if a.asJSON {
		err = a.writeJSON(done)
	} else {
		_, err = fmt.Fprintf(a.out, "%s: %s\n\n%s", r.Name, plural(int64(len(done)), "input", "inputs"), text.String())
	}
	if err != nil {
		return err
	}
	return a.partial(failed, len(results))
}

// planEach prints what the runs would do.
func (a *app) planEach(ctx context.Context, r *recipes.Recipe, ps []*pipeline.Pipeline, o *runtime.Options) error {
	plans := []recipePlan{}
	var text strings.Builder
	for _, p := range ps {
		plan, err := runtime.Prepare(ctx, p, o)
		if err != nil {
			return r.Locate(err)
		}
		a.warn(plan.Input().Warnings()...)
		plans = append(plans, planJSON(r, p, plan))
		text.WriteString(planText(r, p, plan))
		if err := plan.Close(); err != nil {
			return err
		}
	}
	if a.asJSON {
		return a.writeJSON(plans)
	}
	_, err := fmt.Fprint(a.out, text.String()+"Dry run: nothing was written.\n")
	return err
}

// partial prints the errors of the outputs that failed beside others that did not; nil if none failed.
func (a *app) partial(failed []error, all int) error {
	if len(failed) == 0 {
		return nil
	}
	for _, err := range failed {
		if !errors.Is(err, errInterrupted) {
			a.fail(err)
		}
	}
	return partialError{len(failed), all}
}
