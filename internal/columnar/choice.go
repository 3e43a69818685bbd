package columnar

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A choice is a column on its way to an input.
type choice struct {
	o        *Options
	words    *Words
	in       Input
	declared colstore.DType // invalid if none is declared
	masked   bool
}

// hasValue reports whether a value is given for the column's nulls.
func (x *choice) hasValue() bool {
	_, ok := x.o.Nulls.Values[x.in.Name]
	return ok
}

// settle finds dtype and null policy, by the rows if there is a look at them.
func (x *choice) settle(look Look) error {
	in := &x.in
	if (x.declared != colstore.DType{}) && (!x.declared.Valid() || x.declared.BigEndian()) {
		return fmt.Errorf("%w: it cannot be read as %s; give a dtype with a width in native byte order", colstore.ErrType, x.declared)
	}
	if in.Type.Kind == Nested {
		return in.refusal(x.words)
	}
	wantMask := x.o.Nulls.Mode == format.NullMask && !x.hasValue()
	if look == nil {
		x.masked = wantMask && (in.Nullable || in.isUntyped())
		if in.isUntyped() {
			return x.untyped()
		}
		return x.typed(0)
	}
	f, err := look(&in.Column, in.refused == "" && in.IsLong() && !x.declared.Valid())
	switch {
	case err != nil:
		return err
	case in.isUntyped() && f.Rows == 0:
		return x.untyped()
	}
	x.masked = wantMask && f.Nulls > 0
	if f.Nulls > 0 && f.Nulls == f.Rows && !in.keyed {
		return x.absent()
	}
	return x.typed(max(1, f.Width))
}

// untyped settles a column of Arrow's null type of which no row is known: float64, unless a dtype is declared.
func (x *choice) untyped() error {
	x.in.typ, x.in.refused = colstore.Float64, ""
	x.in.Freedom = format.Anything
	if x.declared.Valid() {
		x.in.typ = x.declared
	}
	return x.absentFill()
}

// absent settles a column that is null in every row: float64, unless a dtype is declared for it or a value for its nulls.
func (x *choice) absent() error {
	in := &x.in
	in.absent = true
	if !x.hasValue() {
		in.Freedom = format.Anything
	}
	switch {
	case x.declared.Valid():
		in.typ = x.declared
	case !x.hasValue() || in.refused != "":
		in.typ = colstore.Float64
	}
	return x.absentFill()
}

// absentFill settles what a column without any value is filled with. Floats say by themselves that a value is missing,
// whatever the policy.
func (x *choice) absentFill() error {
	in := &x.in
	mode, fill, err := x.o.Nulls.For(in.Name, in.typ)
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
	if in.refused != "" {
		return in.refusal(x.words)
	}
	long := in.IsLong()
	if long && !in.keyed {
		in.Freedom = format.Wider
	}
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
		return fmt.Errorf("%w: %s of any length, and the records that hold it are still to come; give its width with %s, for instance %s",
			colstore.ErrType, in.typ.Kind(), x.words.Types, widthOf(in.typ.Kind(), 32))
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
		_, value, err := x.o.Nulls.For(in.Name, widthOf(in.typ.Kind(), 0))
		if err != nil {
			return err
		}
		if value.Type().Width() > in.typ.Width() {
			in.typ = value.Type()
		}
	}
	mode, fill, err := x.o.Nulls.For(in.Name, in.typ)
	switch {
	case err != nil:
		return err
	case mode != format.NullError:
		in.fill = fill
	case in.keyed && in.typ.IsTime():
		in.fill = format.Missing(in.typ) // a NaT that was written as a null
	}
	return nil
}
