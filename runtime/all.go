package runtime

import (
	"context"
	"errors"
	goruntime "runtime"

	"golang.org/x/sync/errgroup"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/pipeline"
)

// A Result is what became of one of several pipelines.
type Result struct {
	Report *Report
	Err    error
}

// RunAll runs pipelines, at most jobs at a time, which share the budget and the workers. One that fails leaves the others
// alone; results are in the order of the pipelines. Only the end of the context stops them all.
func RunAll(ctx context.Context, ps []*pipeline.Pipeline, jobs int, o *Options) []Result {
	if o == nil {
		o = &Options{}
	}
	jobs = max(1, min(jobs, len(ps)))
	results := make([]Result, len(ps))
	var g errgroup.Group
	g.SetLimit(jobs)
	for i, p := range ps {
		if p == nil {
			results[i].Err = p.Validate()
			continue
		}
		g.Go(func() error {
			each := *o
			each.Budget = first(o.Budget, p.Limits.Memory, pipeline.DefaultMemory) / colstore.ByteSize(jobs)
			each.Workers = max(1, first(o.Workers, p.Limits.Workers, goruntime.GOMAXPROCS(0))/jobs)
			results[i].Report, results[i].Err = Run(ctx, p, &each)
			return nil
		})
	}
	_ = g.Wait() // errors are in the results
	if jobs == 1 {
		return results
	}
	for i, p := range ps {
		// What a share of the budget is too little for may fit all of it.
		if errors.Is(results[i].Err, colstore.ErrBudget) {
			results[i].Report, results[i].Err = Run(ctx, p, o)
		}
	}
	return results
}
