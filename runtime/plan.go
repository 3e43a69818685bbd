package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/sink"
)

// Options says with what a pipeline is run. Zero values are those of the pipeline's limits, then the defaults.
type Options struct {
	Budget    colstore.ByteSize
	BatchRows int // rows of a batch instead of what the budget allows
	Workers   int
	Events    func(Event) // called from several goroutines; nil for none
}

// A Plan is a pipeline with its files opened, its dtypes known and its frames bound: what a dry run shows.
type Plan struct {
	p        *pipeline.Pipeline
	in       *Input
	budget   int64
	rows     int // fixed rows of a batch, or 0
	workers  int
	events   func(Event)
	branches []*branch
}

// branch is one output of a plan.
type branch struct {
	frame *frame.Frame // over the input, with its limits
	prog  *frame.Program
	spec  sink.Spec
	out   pipeline.Output
	// copied are the input's columns that it is, if their bytes can be copied; else nil.
	copied []string
}

// Prepare opens the headers of a pipeline's input and binds its frames. Nothing is written, and no more is read than
// finding the dtypes of the needed columns takes. The plan must be closed.
//
// Errors: what is wrong with names, types, options, files: everything that can be known before rows are read.
func Prepare(ctx context.Context, p *pipeline.Pipeline, o *Options) (_ *Plan, err error) {
	if o == nil {
		o = &Options{}
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	l := &Plan{p: p, events: o.Events}
	l.budget = int64(first(o.Budget, p.Limits.Memory, pipeline.DefaultMemory))
	l.rows = first(o.BatchRows, p.Limits.BatchRows)
	l.workers = first(o.Workers, p.Limits.Workers, goruntime.GOMAXPROCS(0))
	steps := make([]*frame.Frame, len(p.Branches))
	for i, b := range p.Branches {
		steps[i] = p.Steps(b)
	}
	limits := p.Limits
	limits.Workers = l.workers
	if l.in, err = Open(ctx, p.Input, limits, steps...); err != nil {
		return nil, err
	}
	for i, b := range p.Branches {
		br, err := l.bind(l.in.Frame(i), b.Output)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		l.branches = append(l.branches, br)
	}
	return l, nil
}

// bind binds the frame of an output and checks what is asked of it.
func (l *Plan) bind(f *frame.Frame, out pipeline.Output) (*branch, error) {
	prog, err := f.Unlimited().Bind(l.in.src.Schema())
	if err != nil {
		return nil, err
	}
	if prog.Schema().Len() == 0 {
		return nil, &colstore.Error{Op: "write", Path: out.Path, Err: fmt.Errorf("%w: no column is left to write", colstore.ErrValue)}
	}
	b := &branch{frame: f, prog: prog, out: out}
	b.spec = sink.Spec{
		Path: out.Path, Format: out.Format, Options: out.Options, Schema: prog.Schema(), Threads: l.workers,
		Replace: out.Mode == pipeline.Replace || out.Mode == pipeline.Missing, Mkdirs: out.Mkdirs, Lock: out.Lock,
		Append: out.Mode == pipeline.Append,
	}
	if out.Shards != nil {
		b.spec.Shards = &sink.Shards{Name: out.Shards.Name, Rows: out.Shards.Rows, Size: out.Shards.Size, Add: out.Mode == pipeline.Append}
		if err := l.apart(out.Path); err != nil {
			return nil, err
		}
	}
	b.copied = l.copied(b)
	return b, sink.Check(b.spec)
}

// apart refuses a folder that gets shards if a file of it is read: its rows would be there twice.
func (l *Plan) apart(dir string) error {
	for _, path := range l.in.Paths() {
		if err := sink.CheckApart(dir, path); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first value that is not zero.
func first[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

// Close closes the input's files.
func (l *Plan) Close() error { return l.in.Close() }

// Input returns the opened input.
func (l *Plan) Input() *Input { return l.in }

// Explain returns the program of output i.
func (l *Plan) Explain(i int) (*frame.Explanation, error) {
	e, err := l.branches[i].frame.Explain()
	if err == nil {
		e.Copied = l.Copies()
	}
	return e, err
}

// Skips returns what statistics leave out of the input for output i alone: see [frame.Frame.Skips].
func (l *Plan) Skips(ctx context.Context, i int) (colstore.SkipCounts, error) {
	return l.branches[i].frame.Skips(ctx, true)
}

// Schema returns the columns of output i.
func (l *Plan) Schema(i int) *colstore.Schema { return l.branches[i].prog.Schema() }
