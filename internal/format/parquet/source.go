package parquet

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of a file.
type source struct {
	f       *file
	schema  *colstore.Schema
	outputs []output
	inputs  []input
	freedom map[string]format.Freedom
}

// An input is a column as it is read.
type input struct {
	col  *column
	typ  colstore.DType
	fill []byte // the value of a null; nil where a null is an error
	// absent tells that no row has a value, so that nothing need be read.
	absent bool
	// readers are kept between scans, with their buffers: scans are often short, one a split.
	readers *sync.Pool
}

// An output is a field of the schema: the values of an input, or which of them were there.
type output struct {
	input int
	mask  bool
}

// Source returns the columns of p. The pages of a column are read here if its text has no declared width, if the
// footer does not tell whether it has any value, or if it holds INT96 timestamps.
func (f *file) Source(ctx context.Context, p format.Projection) (_ colstore.Source, err error) {
	if f.closed.Load() {
		return nil, f.failed("read", "", colstore.ErrClosed)
	}
	cols, err := f.resolve(p.Columns)
	if err != nil {
		return nil, err
	}
	s := &source{f: f, freedom: map[string]format.Freedom{}}
	var fields []colstore.Field
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	surveys := map[int]*listSurvey{}
	for i, c := range cols {
		x := choice{f: f, c: c, declared: p.Types[c.name], lists: surveys}
		in, err := x.input(ctx, w)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
				return nil, err
			}
			return nil, f.failed("read", c.name, err)
		}
		switch {
		case x.flexible && in.absent, x.flexible && c.list != nil && c.unknown, x.flexible && c.unknown && len(f.groups) == 0:
			s.freedom[c.name] = format.Anything
		case x.flexible:
			s.freedom[c.name] = format.Wider
		}
		s.inputs = append(s.inputs, in)
		s.outputs = append(s.outputs, output{i, false})
		fields = append(fields, colstore.Field{Name: c.name, Type: in.typ})
		if x.found.wantNulls && x.found.nulls {
			s.outputs = append(s.outputs, output{i, true})
			fields = append(fields, colstore.Field{Name: c.name + format.MaskSuffix, Type: colstore.Bool})
		}
	}
	if s.schema, err = colstore.NewSchema(fields...); err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); ok && errors.Is(err, colstore.ErrDuplicate) {
			e.Err = fmt.Errorf("%w: it is asked for twice, or another column's nulls would be told in a column of this name; "+
				"rename it where the file is written or leave it out", colstore.ErrDuplicate)
		}
		return nil, f.failed("read", "", err)
	}
	return s, nil
}

// A choice is a column on its way to an input: what is wanted of it, and what was found.
type choice struct {
	f        *file
	c        *column
	declared colstore.DType // invalid if none is declared
	found    survey
	flexible bool
	lists    map[int]*listSurvey // by leaf: those of other columns
}

// hasValue reports whether a value is given for the column's nulls.
func (x *choice) hasValue() bool {
	_, ok := x.f.nulls.Values[x.c.name]
	return ok
}

// input settles dtype and null policy, after looking at the column's pages where that is needed.
func (x *choice) input(ctx context.Context, w *workspace) (input, error) {
	c, declared := x.c, x.declared != colstore.DType{}
	if declared && !x.declared.Valid() {
		return input{}, fmt.Errorf("%w: %s has no width", colstore.ErrType, x.declared.Name())
	}
	if c.list != nil {
		return x.ofList(ctx, w)
	}
	x.found = survey{
		wantSome:  c.maxDef > 0 && !c.keyed,
		wantNulls: c.maxDef > 0 && x.f.nulls.Mode == format.NullMask && !x.hasValue(),
		wantWidth: c.refused == nil && c.isVariable() && (!declared || x.declared.Kind() != c.typ.Kind()),
		wantUnit:  c.refused == nil && c.form == formNanos && !declared,
	}
	if err := guard(func() error { return x.found.run(ctx, x.f, c, w) }); err != nil {
		return input{}, err
	}
	isEmpty := len(x.f.groups) == 0
	if !isEmpty && x.found.wantSome && !x.found.some {
		return x.absent()
	}
	if isEmpty && c.unknown {
		c.typ, c.refused, x.flexible = colstore.Float64, nil, true
		if declared {
			c.typ = x.declared
		}
	}
	if c.refused != nil {
		return input{}, c.refused
	}
	if err := x.settle(); err != nil {
		return input{}, err
	}
	fill, err := x.policy()
	return input{col: c, typ: c.typ, fill: fill, readers: new(sync.Pool)}, err
}

// absent settles a column that is null in every row: float64 NaN, unless a dtype is declared for it or a value for its
// nulls.
func (x *choice) absent() (input, error) {
	t := colstore.Float64
	switch {
	case x.declared.Valid():
		t = x.declared
	case x.hasValue() && x.c.refused == nil:
		t = x.c.typ
	}
	fill := format.Missing(t)
	if mode, _, err := x.f.nulls.For(x.c.name, t); err == nil && mode == format.NullError && t.Kind() != colstore.KindFloat && !x.c.keyed {
		// Only floats say by themselves that a value is missing.
		return input{}, format.NullFound(x.f.path, x.c.name, colstore.At(0))
	}
	if x.hasValue() {
		var err error
		if _, fill, err = x.f.nulls.For(x.c.name, t); err != nil {
			return input{}, err
		}
	}
	x.flexible = !x.hasValue()
	return input{col: x.c, typ: fill.Type(), fill: fill.Cell().At(0), absent: true}, nil
}

// settle gives the column the dtype that was declared for it or found.
func (x *choice) settle() error {
	c, declared := x.c, x.declared
	if c.physical == meta.Int96 {
		x.flexible = true
	}
	switch {
	case declared == c.typ:
	case declared.Valid() && declared.Kind() == c.typ.Kind() && c.physical == meta.ByteArray:
		c.typ, x.flexible = declared, !c.keyed
	case declared == colstore.DatetimeOf(colstore.Microsecond) && c.form == formNanos:
		c.typ, c.form = declared, formMicros
	case declared.Valid():
		holds := c.typ.Name()
		if c.isVariable() {
			holds = c.typ.Kind().String()
		}
		return fmt.Errorf("%w: it holds %s, which is not read as %s", colstore.ErrMismatch, holds, declared.Name())
	case x.found.wantWidth:
		t := colstore.BytesOf(x.found.width)
		if c.form == formText {
			t = colstore.TextOf(x.found.width)
		}
		if !t.Valid() {
			return fmt.Errorf("%w: a value of %d characters is wider than any dtype", colstore.ErrValue, x.found.width)
		}
		c.typ, x.flexible = t, true
	case x.found.coarse:
		c.typ, c.form = colstore.DatetimeOf(colstore.Microsecond), formMicros
	}
	return nil
}

// policy returns what a null of the column becomes, nil if it is an error. Text may be widened for it.
func (x *choice) policy() (fill []byte, err error) {
	c := x.c
	if c.maxDef == 0 {
		return nil, nil
	}
	if x.hasValue() && x.found.wantWidth {
		unsized := colstore.BytesOf(0)
		if c.form == formText {
			unsized = colstore.TextOf(0)
		}
		_, value, err := x.f.nulls.For(c.name, unsized)
		if err != nil {
			return nil, err
		}
		if value.Type().Width() > c.typ.Width() {
			c.typ = value.Type()
		}
	}
	mode, value, err := x.f.nulls.For(c.name, c.typ)
	switch {
	case err != nil:
		return nil, err
	case mode != format.NullError:
		return value.Cell().At(0), nil
	case c.keyed && c.typ.IsTime():
		// Written here, where a NaT becomes a null.
		return format.Missing(c.typ).Cell().At(0), nil
	default:
		return nil, nil
	}
}

// Schema returns the columns as they are read.
func (s *source) Schema() *colstore.Schema { return s.schema }

// Rows returns the number of rows.
func (s *source) Rows() int64 { return s.f.footer.Rows }

// Freedom tells which dtypes a column could have been given that was found in its values: the width of text, the unit of
// INT96 timestamps, and float64 for a column without values.
func (s *source) Freedom(column string) format.Freedom { return s.freedom[column] }

// Close does nothing; the file is closed by its own Close.
func (s *source) Close() error { return nil }
