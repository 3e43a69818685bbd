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
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

// An Input is a pipeline's input, opened for the columns that some frames need of it.
type Input struct {
	table   *source.Table
	src     colstore.Source
	columns []string // scanned
	frames  []*frame.Frame
}

// Open opens an input for unbound frames. The dtypes asked of the input become a cast before their first step. The input
// must be closed.
//
// Errors: of the files, and of the names that the frames look up.
func Open(ctx context.Context, in pipeline.Input, limits pipeline.Limits, steps ...*frame.Frame) (_ *Input, err error) {
	i := &Input{}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.Close())
		}
	}()
	spec, err := sourceSpec(in, limits)
	if err != nil {
		return nil, err
	}
	if i.table, err = source.Find(ctx, spec); err != nil {
		return nil, err
	}
	casts, err := i.casts(in)
	if err != nil {
		return nil, err
	}
	needed := map[string]bool{}
	for _, f := range steps {
		f = casts.Then(f.Expand(i.table.Parts))
		names, err := f.SourceColumns(i.table.Names())
		if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path == "" { // of a step, which knows no files
			e.Path = strings.Join(i.table.Paths(), ", ")
			if errors.Is(err, colstore.ErrNoColumn) && i.table.LeavesOut(e.Column) {
				e.Err = fmt.Errorf("%w: it does not hold one value a row, and was left out (see --jagged; strings are read by convert --columns and from.columns)", colstore.ErrType)
			}
		}
		if err != nil {
			return nil, i.table.Explain(err)
		}
		for _, n := range names {
			needed[n] = true
		}
		i.frames = append(i.frames, f)
	}
	i.columns = slices.DeleteFunc(slices.Clone(i.table.Names()), func(n string) bool { return !needed[n] })
	if i.src, err = i.table.Open(ctx, i.columns); err != nil {
		return nil, err
	}
	for j, f := range i.frames {
		i.frames[j] = f.OverPart(i.src, i.table.Names())
		if err := i.frames[j].Err(); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// casts returns the frame that gives the input's columns the dtypes asked for while reading, once all columns that the
// input names are there.
func (i *Input) casts(in pipeline.Input) (*frame.Frame, error) {
	there := func(name, purpose string) error {
		if slices.Contains(i.table.Names(), name) {
			return nil
		}
		hint := colstore.Suggest(name, i.table.Names())
		if in.Columns != nil && i.table.Has(name) {
			hint = ", since it is not among the columns that are read (" + strings.Join(in.Columns, ", ") + "); add it to them (--columns, from.columns)"
		}
		return &colstore.Error{
			Op: "open", Path: strings.Join(in.Paths, ", "), Column: name,
			Err: fmt.Errorf("%w to give %s%s", colstore.ErrNoColumn, purpose, hint),
		}
	}
	for _, n := range slices.Sorted(maps.Keys(in.NullValue)) {
		if err := there(n, "a value for nulls"); err != nil {
			return nil, err
		}
	}
	f := frame.New()
	if len(in.DTypes) == 0 {
		return f, nil
	}
	for _, n := range slices.Sorted(maps.Keys(in.DTypes)) {
		if err := there(n, "a dtype"); err != nil {
			return nil, err
		}
	}
	return f.CastWith(in.DTypes, ops.CastMissing), nil
}

// Close closes the files.
func (i *Input) Close() error {
	var err error
	if i.src != nil && i.table != nil {
		err = i.src.Close()
	}
	if i.table != nil {
		err = errors.Join(err, i.table.Close())
	}
	i.src, i.table = nil, nil
	return err
}

// Frame returns frame number j over the input.
func (i *Input) Frame(j int) *frame.Frame { return i.frames[j] }

// Paths returns the files, in order.
func (i *Input) Paths() []string {
	if i.table == nil {
		return nil
	}
	return i.table.Paths()
}

// Names returns all columns of the input.
func (i *Input) Names() []string { return i.table.Names() }

// Source returns the columns that the frames need.
func (i *Input) Source() colstore.Source { return i.src }

// Warnings returns what was noticed that is no error.
func (i *Input) Warnings() []string {
	if i.table == nil {
		return nil
	}
	out := i.table.Warnings()
	if w, ok := i.src.(colstore.Warner); ok {
		out = append(out, w.Warnings()...)
	}
	return out
}

// sourceSpec turns a pipeline's input into what package source reads.
func sourceSpec(in pipeline.Input, l pipeline.Limits) (source.Spec, error) {
	s := source.Spec{
		Paths: in.Paths, NoGlob: in.NoGlob, Exclude: in.Exclude, Format: in.Format, Options: in.Options,
		Columns: in.Columns, DTypes: in.DTypes, Limits: source.DefaultLimits, Threads: first(l.Workers, goruntime.GOMAXPROCS(0)),
		SourceColumn: in.SourceColumn, Hive: in.Hive,
	}
	if l.Expand > 0 {
		s.Limits.Expand = l.Expand
	}
	if l.Page > 0 {
		s.Limits.Page = l.Page
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
	if in.Jagged != "" {
		if s.Jagged, err = source.ParseJagged(in.Jagged); err != nil {
			return s, err
		}
	}
	return s, nil
}
