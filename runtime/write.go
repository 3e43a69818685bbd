package runtime

import (
	"context"
	goruntime "runtime"

	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
)

// Write writes the rows of a frame over a source to one output, in parallel: what [Run] does for a pipeline, for a source
// that is open. The frame's source may be the file that the output replaces.
//
// Errors: those of the frame, of reading and of writing. The output is complete, or as it was.
func Write(ctx context.Context, f *frame.Frame, out pipeline.Output, o *Options) (*Report, error) {
	if o == nil {
		o = &Options{}
	}
	if err := sourced(f); err != nil {
		return nil, err
	}
	if _, err := f.Schema(); err != nil {
		return nil, err
	}
	p := &pipeline.Pipeline{Name: out.Path, Input: pipeline.Input{Paths: []string{""}}, Frame: f, Branches: []pipeline.Branch{{Output: out}}}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	l := &Plan{
		p: p, in: &Input{src: f.Source()}, budget: int64(first(o.Budget, pipeline.DefaultMemory)), rows: o.BatchRows,
		workers: first(o.Workers, goruntime.GOMAXPROCS(0)), events: o.Events,
	}
	b, err := l.bind(f, out)
	if err != nil {
		return nil, err
	}
	l.in.columns = b.prog.Inputs()
	l.branches = []*branch{b}
	return l.Run(ctx)
}

// WriteFile is [Write] to a path, whose extension says the format, in place of what is there.
func WriteFile(ctx context.Context, f *frame.Frame, path string) (*Report, error) {
	return Write(ctx, f, pipeline.Output{Path: path, Mode: pipeline.Replace}, nil)
}
