package arrow

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/format"
)

// Options say how records become batches. The zero value takes all columns and refuses nulls.
type Options struct {
	Columns []string
	Types   map[string]colstore.DType
	Nulls   format.Nulls
}

// A Plan says how the columns of records of one Arrow schema become columns. It is immutable.
type Plan struct {
	arrow   *arrow.Schema
	schema  *colstore.Schema
	inputs  []input
	outputs []output
}

// An input is a column as it is read.
type input struct {
	column
	fill colstore.Scalar // the value of a null; invalid where a null is an error
}

// An output is a column of the batches: the values of an input, or which of them are there.
type output struct {
	input int
	mask  bool
}

// PlanRecord returns the plan for one record, whose values settle what its schema leaves open: the width of text, and
// which columns have nulls or nothing else.
//
// Errors: colstore.ErrNoColumn, colstore.ErrDuplicate; colstore.ErrType for a column without a dtype;
// colstore.ErrMismatch for a dtype in o.Types that the column cannot be read as; colstore.ErrFormat for buffers that are
// too short.
func PlanRecord(rec arrow.Record, o *Options) (*Plan, error) { return newPlan(rec.Schema(), rec, o) }

// PlanSchema returns the plan for records of a schema that are still to come. Text needs a width, from o.Types or from the
// schema's metadata. With masks every nullable column gets one.
//
// Errors: those of [PlanRecord], colstore.ErrType for text without a width.
func PlanSchema(s *arrow.Schema, o *Options) (*Plan, error) { return newPlan(s, nil, o) }

func newPlan(s *arrow.Schema, rec arrow.Record, o *Options) (*Plan, error) {
	if o == nil {
		o = &Options{}
	}
	columns, err := resolve(s, o)
	if err != nil {
		return nil, err
	}
	p := &Plan{arrow: s}
	var fields []colstore.Field
	for _, c := range columns {
		x := choice{o: o, in: input{column: c}, declared: o.Types[c.name]}
		if err := x.settle(rec); err != nil {
			return nil, failed(c.name, err)
		}
		p.inputs = append(p.inputs, x.in)
		at := len(p.inputs) - 1
		p.outputs = append(p.outputs, output{at, false})
		fields = append(fields, colstore.Field{Name: c.name, Type: x.in.typ})
		if x.masked {
			p.outputs = append(p.outputs, output{at, true})
			fields = append(fields, colstore.Field{Name: c.name + format.MaskSuffix, Type: colstore.Bool})
		}
	}
	if p.schema, err = colstore.NewSchema(fields...); err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); ok && errors.Is(err, colstore.ErrDuplicate) {
			e.Err = fmt.Errorf("%w: the mask of another column's nulls would have this name; rename it or leave it out", colstore.ErrDuplicate)
		}
		return nil, failed("", err)
	}
	return p, nil
}

// Schema returns the schema of the batches.
func (p *Plan) Schema() *colstore.Schema { return p.schema }

// failed returns the error with what was being done and, unless it has them, its column and row.
func failed(column string, err error) error {
	if b, ok := errors.AsType[*badValue](err); ok {
		return &colstore.Error{Op: opRead, Column: column, Row: colstore.At(int64(b.at)), Err: b.err}
	}
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		if e.Op == "" {
			e.Op = opRead
		}
		if e.Column == "" {
			e.Column = column
		}
		return err
	}
	return &colstore.Error{Op: opRead, Column: column, Err: err}
}

// resolve returns the columns that are asked for.
func resolve(s *arrow.Schema, o *Options) ([]column, error) {
	if !s.IsNativeEndian() {
		return nil, failed("", fmt.Errorf("%w: the record is of the other byte order; swap it first, as the IPC readers do", colstore.ErrType))
	}
	names := make([]string, s.NumFields())
	for i, f := range s.Fields() {
		names[i] = f.Name
	}
	wanted := o.Columns
	if wanted == nil {
		wanted = names
	}
	given := slices.Concat(slices.Sorted(maps.Keys(o.Types)), slices.Sorted(maps.Keys(o.Nulls.Values)))
	for _, n := range slices.Concat(wanted, given) {
		switch len(s.FieldIndices(n)) {
		case 0:
			return nil, failed("", colstore.NoColumn(n, names))
		case 1:
		default:
			return nil, failed(n, fmt.Errorf("%w: the record has several columns of this name; rename them or leave them out with Options.Columns", colstore.ErrDuplicate))
		}
	}
	meta := s.Metadata()
	columns := make([]column, len(wanted))
	for i, n := range wanted {
		f := s.FieldIndices(n)[0]
		c := column{field: f, name: n, nullable: s.Field(f).Nullable}
		c.setType(s.Field(f).Type)
		if code, ok := meta.GetValue(dtypeKey + n); ok {
			c.restore(code)
		}
		columns[i] = c
	}
	return columns, nil
}

// A choice is a column on its way to an input.
type choice struct {
	o        *Options
	in       input
	declared colstore.DType // invalid if none is declared
	masked   bool
}

// hasValue reports whether a value is given for the column's nulls.
func (x *choice) hasValue() bool {
	_, ok := x.o.Nulls.Values[x.in.name]
	return ok
}

// settle finds dtype and null policy, by the values of rec if there is one.
func (x *choice) settle(rec arrow.Record) error {
	in := &x.in
	if (x.declared != colstore.DType{}) && (!x.declared.Valid() || x.declared.BigEndian()) {
		return fmt.Errorf("%w: it cannot be read as %s; give a dtype with a width in native byte order", colstore.ErrType, x.declared)
	}
	if in.nested {
		return in.refused
	}
	wantMask := x.o.Nulls.Mode == format.NullMask && !x.hasValue()
	if rec == nil {
		x.masked = wantMask && (in.nullable || in.untyped)
		if in.untyped {
			return x.untyped()
		}
		return x.typed(0)
	}
	if in.untyped && rec.NumRows() == 0 {
		return x.untyped()
	}
	nulls, width := 0, 0
	err := fault.Guard(func() error {
		rows := int(rec.NumRows())
		v, err := newValues(&in.column, rec.Column(in.field).Data(), rows)
		if err != nil {
			return err
		}
		nulls = v.nulls(0, rows)
		if nulls < rows && in.refused == nil && in.isLong() && !x.declared.Valid() {
			width, err = v.width(&in.column)
		}
		return err
	})
	if err != nil {
		return err
	}
	x.masked = wantMask && nulls > 0
	if nulls > 0 && int64(nulls) == rec.NumRows() && !in.keyed {
		return x.absent()
	}
	return x.typed(max(1, width))
}

// untyped settles a column of Arrow's null type of which no row is known: float64, unless a dtype is declared.
func (x *choice) untyped() error {
	x.in.typ, x.in.refused = colstore.Float64, nil
	if x.declared.Valid() {
		x.in.typ = x.declared
	}
	return x.absentFill()
}

// absent settles a column that is null in every row: float64, unless a dtype is declared for it or a value for its nulls.
func (x *choice) absent() error {
	in := &x.in
	switch {
	case x.declared.Valid():
		in.typ = x.declared
	case !x.hasValue() || in.refused != nil:
		in.typ = colstore.Float64
	}
	return x.absentFill()
}

// absentFill settles what a column without any value is filled with. Floats say by themselves that a value is missing,
// whatever the policy.
func (x *choice) absentFill() error {
	in := &x.in
	mode, fill, err := x.o.Nulls.For(in.name, in.typ)
	switch {
	case err != nil:
		return err
	case mode != format.NullError:
		in.fill, in.typ = fill, fill.Type()
	case in.typ.Kind() == colstore.KindFloat:
		in.fill = format.Missing(in.typ)
	}
	return nil
}

// typed settles a column that has values. width is that of its text or bytes, 0 if only reading tells.
func (x *choice) typed(width int) error {
	in, declared := &x.in, x.declared
	if in.refused != nil {
		return in.refused
	}
	long := in.isLong()
	switch {
	case declared == in.typ:
	case declared.Valid() && long && declared.Kind() == in.typ.Kind():
		in.typ = declared
	case declared.Valid():
		holds := in.typ.Name()
		if in.isVariable() {
			holds = in.typ.Kind().String()
		}
		return fmt.Errorf("%w: it holds %s, which is not read as %s; read it as it is and cast it in a frame", colstore.ErrMismatch, holds, declared.Name())
	case long && width > in.typ.Width():
		if in.typ = widthOf(in.typ.Kind(), width); !in.typ.Valid() {
			return fmt.Errorf("%w: a value of %d characters is wider than any dtype", colstore.ErrValue, width)
		}
	case in.isVariable():
		return fmt.Errorf("%w: %s of any length, and the records that hold it are still to come; give its width with Options.Types, for instance %s",
			colstore.ErrType, in.typ.Kind(), widthOf(in.typ.Kind(), 32))
	}
	return x.policy(long && !declared.Valid())
}

func widthOf(k colstore.Kind, n int) colstore.DType {
	if k == colstore.KindText {
		return colstore.TextOf(n)
	}
	return colstore.BytesOf(n)
}

// policy settles what a null becomes. Text whose width was found is widened for the value given for its nulls.
func (x *choice) policy(widen bool) error {
	in := &x.in
	if widen && x.hasValue() {
		_, value, err := x.o.Nulls.For(in.name, widthOf(in.typ.Kind(), 0))
		if err != nil {
			return err
		}
		if value.Type().Width() > in.typ.Width() {
			in.typ = value.Type()
		}
	}
	mode, fill, err := x.o.Nulls.For(in.name, in.typ)
	switch {
	case err != nil:
		return err
	case mode != format.NullError:
		in.fill = fill
	case in.keyed && in.typ.IsTime():
		in.fill = format.Missing(in.typ) // a NaT that became a null in package sink/arrow
	}
	return nil
}

// nullFound returns the error for a null that the policy refuses.
func nullFound(column string, row int64) error {
	return &colstore.Error{Op: opRead, Column: column, Row: colstore.At(row), Err: fmt.Errorf(
		"%w: a batch has none; choose what it becomes with Options.Nulls: fill, mask, or a value in Values[%s]",
		colstore.ErrNull, strconv.Quote(column))}
}
