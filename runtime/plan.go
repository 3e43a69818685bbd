package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/format"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
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
	budget   int64
	rows     int // fixed rows of a batch, or 0
	workers  int
	events   func(Event)
	table    *source.Table
	src      colstore.Source
	branches []*branch
	columns  []string // scanned
	warnings []string
}

// branch is one output of a plan.
type branch struct {
	frame *frame.Frame // all steps, the input's casts included
	prog  *frame.Program
	spec  sink.Spec
	out   pipeline.Output
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
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	l.budget = int64(first(o.Budget, p.Limits.Memory, pipeline.DefaultMemory))
	l.rows = first(o.BatchRows, p.Limits.BatchRows)
	l.workers = first(o.Workers, p.Limits.Workers, goruntime.GOMAXPROCS(0))
	spec, err := sourceSpec(p)
	if err != nil {
		return nil, err
	}
	if l.table, err = source.Find(ctx, spec); err != nil {
		return nil, err
	}
	casts, err := l.casts()
	if err != nil {
		return nil, err
	}
	needed := map[string]bool{}
	for _, b := range p.Branches {
		f := casts.Then(p.Steps(b))
		names, err := f.SourceColumns(l.table.Names())
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			needed[n] = true
		}
		l.branches = append(l.branches, &branch{frame: f, out: b.Output})
	}
	l.columns = slices.DeleteFunc(slices.Clone(l.table.Names()), func(n string) bool { return !needed[n] })
	if l.src, err = l.table.Open(ctx, l.columns); err != nil {
		return nil, err
	}
	if w, ok := l.src.(colstore.Warner); ok {
		l.warnings = append(l.warnings, w.Warnings()...)
	}
	for _, b := range l.branches {
		if b.prog, err = b.frame.Bind(l.src.Schema()); err != nil {
			return nil, err
		}
		if b.prog.Schema().Len() == 0 {
			return nil, &colstore.Error{Op: "write", Path: b.out.Path, Err: fmt.Errorf("%w: no column is left to write", colstore.ErrValue)}
		}
		b.spec = sink.Spec{Path: b.out.Path, Format: b.out.Format, Options: b.out.Options, Schema: b.prog.Schema(),
			Replace: b.out.Mode == pipeline.Replace || b.out.Mode == pipeline.Missing, Mkdirs: b.out.Mkdirs, Threads: l.workers}
		if err := sink.Check(b.spec); err != nil {
			return nil, err
		}
	}
	return l, nil
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

// sourceSpec turns a pipeline's input into what package source reads.
func sourceSpec(p *pipeline.Pipeline) (source.Spec, error) {
	in := p.Input
	s := source.Spec{Paths: in.Paths, NoGlob: in.NoGlob, Exclude: in.Exclude, Format: in.Format, Options: in.Options,
		Columns: in.Columns, DTypes: in.DTypes, Limits: source.DefaultLimits}
	if p.Limits.Expand > 0 {
		s.Limits.Expand = p.Limits.Expand
	}
	if p.Limits.Page > 0 {
		s.Limits.Page = p.Limits.Page
	}
	var err error
	if s.Mismatch, err = source.ParseMismatch(in.Mismatch); err != nil {
		return s, err
	}
	modes := map[string]format.NullMode{"": format.NullError, "error": format.NullError, "fill": format.NullFill, "mask": format.NullMask}
	mode, ok := modes[in.NullMode]
	if !ok {
		return s, fmt.Errorf("%w: nulls %q; there is error, fill, mask, or a value for a column", colstore.ErrOption, in.NullMode)
	}
	s.Nulls = source.Nulls{Mode: mode, Values: in.NullValue}
	return s, nil
}

// casts returns the frame that gives the input's columns the dtypes asked for while reading.
func (l *Plan) casts() (*frame.Frame, error) {
	f := frame.New()
	if len(l.p.Input.DTypes) == 0 {
		return f, nil
	}
	for _, n := range slices.Sorted(maps.Keys(l.p.Input.DTypes)) {
		if !slices.Contains(l.table.Names(), n) {
			return nil, &colstore.Error{Op: "open", Path: strings.Join(l.p.Input.Paths, ", "), Column: n,
				Err: fmt.Errorf("%w to give a dtype%s", colstore.ErrNoColumn, colstore.Suggest(n, l.table.Names()))}
		}
	}
	return f.CastWith(l.p.Input.DTypes, ops.CastMissing), nil
}

// Close closes the input's files.
func (l *Plan) Close() error {
	var err error
	if l.src != nil {
		err = l.src.Close()
	}
	if l.table != nil {
		err = errors.Join(err, l.table.Close())
	}
	l.src, l.table = nil, nil
	return err
}

// Inputs returns the files that will be read, in order.
func (l *Plan) Inputs() []string { return l.table.Paths() }

// Rows returns the number of rows of the input, -1 if only reading tells.
func (l *Plan) Rows() int64 { return l.src.Rows() }

// Columns returns the columns that will be read.
func (l *Plan) Columns() []string { return l.columns }

// Schema returns the columns of output i.
func (l *Plan) Schema(i int) *colstore.Schema { return l.branches[i].prog.Schema() }

// Warnings returns what was noticed that is no error.
func (l *Plan) Warnings() []string { return l.warnings }
