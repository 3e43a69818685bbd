package json

import (
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/source/format"
)

// A finding is what becomes of a column.
type finding struct {
	typ  colstore.DType
	mode format.NullMode
	fill colstore.Scalar // the value of nulls; not valid if they are refused
	// found tells that the dtype is that of the values, and not one that was asked for.
	found bool
	// empty tells that there is no value that is not null: any dtype would do.
	empty bool
}

// find returns the dtype of a column whose values have all been seen, and what its nulls become. declared is the dtype
// that was asked for, by the caller or the file itself; it may be none.
//
// Errors: colstore.ErrType, colstore.ErrNull, colstore.ErrValue, naming column and row.
func (g *guess) find(name string, declared colstore.DType, nulls format.Nulls) (finding, error) {
	empty := g.mask&^(1<<hasNull) == 0
	if t, ok := g.asked(declared); ok {
		// A width that was not asked for is found, and may be larger in another file.
		return g.withNulls(name, finding{typ: t, found: declared.IsString() && declared.Width() == 0, empty: empty}, nulls)
	}
	t, err := g.dtype(name, nulls)
	if err != nil {
		return finding{}, g.at(name, err)
	}
	f := finding{typ: t, found: true, empty: empty}
	if empty && g.absent >= 0 && nulls.Values[name] != "" {
		f.typ = typeOfValue(nulls.Values[name])
	}
	return g.withNulls(name, f, nulls)
}

// asked returns the dtype that values are read as since it was asked for, whatever the values are: one that is none of it
// is an error of its row. Text of no width is as wide as its longest value.
func (g *guess) asked(t colstore.DType) (colstore.DType, bool) {
	switch {
	case g.has(hasList, hasObject, hasHalf), t.Kind() == colstore.KindInvalid:
		return t, false
	case t.Kind() == colstore.KindBytes && t.Width() == 0:
		t = colstore.BytesOf(max(1, g.bytes, g.spelled))
	case t.Kind() == colstore.KindText && t.Width() == 0:
		t = colstore.TextOf(max(1, g.chars, g.spelled))
	}
	return t, t.Valid()
}

// dtype returns the dtype of the values.
func (g *guess) dtype(name string, nulls format.Nulls) (colstore.DType, error) {
	null := g.absent >= 0 && nulls.Values[name] == ""
	name = text.Clip(name)
	declare := fmt.Sprintf("declare a dtype (--dtype %s=float64 or %s=U20)", name, name)
	switch {
	case g.has(hasList):
		return colstore.DType{}, g.refuse(hasList, colstore.ErrType, "a list has no place in a column; "+nestedRemedy)
	case g.has(hasObject):
		return colstore.DType{}, g.refuse(hasObject, colstore.ErrType, "an object has no place in a column; "+nestedRemedy)
	case g.has(hasHalf):
		return colstore.DType{}, g.refuse(hasHalf, colstore.ErrValue, "the text holds half of a surrogate pair, which is no character")
	case g.has(hasText) && g.has(hasBool, hasInt, hasFloat):
		return colstore.DType{}, g.mixed(name, hasText, hasBool, hasInt, hasFloat)
	case g.has(hasBool) && g.has(hasInt, hasFloat):
		return colstore.DType{}, g.mixed(name, hasBool, hasInt, hasFloat)
	case g.has(hasText):
		t := colstore.TextOf(max(1, g.chars))
		if !t.Valid() {
			return t, fmt.Errorf("%w: a text of %d characters is too long for a column", colstore.ErrValue, g.chars)
		}
		return t, nil
	case g.has(hasBool):
		return colstore.Bool, nil
	case !g.has(hasInt), g.has(hasFloat):
		return colstore.Float64, nil
	case null && !g.has(hasInexact):
		return colstore.Float64, nil
	case null && nulls.Mode == format.NullError:
		return colstore.DType{}, &colstore.Error{Row: colstore.At(g.absent), Err: fmt.Errorf(
			"%w: a null makes the column float64, which may not hold the whole number of row %d exactly; %s, or say what nulls become (--nulls %s=VALUE)",
			colstore.ErrNull, g.first[hasInexact].row, declare, name)}
	case g.has(hasBeyond):
		return colstore.DType{}, g.refuse(hasBeyond, colstore.ErrValue, "the whole number does not fit 64 bits; "+declare)
	case g.has(hasHigh) && g.has(hasNegative):
		return colstore.DType{}, g.refuse(hasHigh, colstore.ErrValue, fmt.Sprintf(
			"the whole number does not fit int64, and that of row %d, which is negative, does not fit uint64; %s", g.first[hasNegative].row, declare))
	case g.has(hasHigh):
		return colstore.Uint64, nil
	}
	return colstore.Int64, nil
}

const nestedRemedy = "choose with --jagged skip, explode or pad=N what becomes of it, or leave it out with --columns"

// typeOfValue returns the dtype of a value that stands for all nulls of a column that has nothing else.
func typeOfValue(value string) colstore.DType {
	for _, t := range []colstore.DType{colstore.Int64, colstore.Float64} {
		if _, err := text.ParseScalar(t, value); err == nil {
			return t
		}
	}
	return colstore.TextScalar(value).Type()
}

// withNulls adds what nulls become. Floats and times have a value for that; for others it is the policy's. If that refuses
// them, a scan does: only the rows that are read need have none, and of several the first row's is told.
func (g *guess) withNulls(name string, f finding, nulls format.Nulls) (finding, error) {
	if g.absent < 0 {
		if f.typ.Kind() == colstore.KindFloat || f.typ.IsTime() {
			f.mode, f.fill = format.NullFill, format.Missing(f.typ)
		}
		return f, nil
	}
	if nulls.Values[name] == "" && (f.typ.Kind() == colstore.KindFloat || f.typ.IsTime()) {
		f.mode, f.fill = format.NullFill, format.Missing(f.typ)
		return f, nil
	}
	t := f.typ
	if f.found && t.Kind() == colstore.KindText {
		t = colstore.TextOf(0) // as wide as the value needs
	}
	var err error
	if f.mode, f.fill, err = nulls.For(name, t); err != nil && f.typ == colstore.Int64 {
		// The value is none of whole numbers: with it, the column has others.
		f.typ = colstore.Float64
		f.mode, f.fill, err = nulls.For(name, f.typ)
	}
	if err != nil || f.mode == format.NullError {
		return f, err
	}
	if f.typ.Kind() == colstore.KindText && f.fill.Type().Width() > f.typ.Width() {
		f.typ = f.fill.Type()
	}
	return f, nil
}

// refuse returns the error for the first value with a trait.
func (g *guess) refuse(t trait, sentinel error, why string) error {
	at := g.first[t]
	return &colstore.Error{Row: colstore.At(at.row), Err: fmt.Errorf("%w: byte %d: %s", sentinel, at.offset, why)}
}

var traitNames = [...]string{hasBool: "true or false", hasInt: "a number", hasFloat: "a number", hasText: "text"}

// mixed returns the error for a column that has values of two kinds: that of the later one.
func (g *guess) mixed(name string, a trait, others ...trait) error {
	b := others[0]
	for _, t := range others {
		if g.has(t) && (!g.has(b) || g.first[t].row < g.first[b].row) {
			b = t
		}
	}
	if g.first[a].row < g.first[b].row {
		a, b = b, a
	}
	return g.refuse(a, colstore.ErrType, fmt.Sprintf("the value is %s, that of row %d is %s; to read both as text, declare the column (--dtype %s=U20)",
		traitNames[a], g.first[b].row, traitNames[b], text.Clip(name)))
}

// at adds the column to an error.
func (g *guess) at(name string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		e.Column = name
		return e
	}
	return &colstore.Error{Column: name, Err: err}
}
