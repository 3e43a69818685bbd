package ops

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/colstore/colstore-go"
)

// Promote returns the common dtype in which NumPy computes with two numbers: the smallest that holds both, float64 for a
// signed integer with uint64. ok is false unless both are numbers.
func Promote(a, b colstore.DType) (t colstore.DType, ok bool) {
	a, b = a.Native(), b.Native()
	if !a.IsNumber() || !b.IsNumber() {
		return t, false
	}
	if a.Kind() > b.Kind() || a.Kind() == b.Kind() && a.Size() > b.Size() {
		a, b = b, a
	}
	// Now a is no wider in kind: bool, int, uint, float.
	switch {
	case a.Kind() == b.Kind() || a.Kind() == colstore.KindBool:
		return b, true
	case b.Kind() == colstore.KindUint: // a is signed
		switch {
		case a.Size() > b.Size():
			return a, true
		case b.Size() == 8:
			return colstore.Float64, true
		}
		return signed(2 * b.Size()), true
	default: // b is a float
		return floatOf(max(floatFor(a).Size(), b.Size())), true
	}
}

func signed(size int) colstore.DType {
	return map[int]colstore.DType{1: colstore.Int8, 2: colstore.Int16, 4: colstore.Int32, 8: colstore.Int64}[size]
}

func floatOf(size int) colstore.DType {
	return map[int]colstore.DType{2: colstore.Float16, 4: colstore.Float32, 8: colstore.Float64}[size]
}

// floatFor returns the float in which a function without an integer form computes: wide enough for every integer of a
// narrow type.
func floatFor(t colstore.DType) colstore.DType {
	switch {
	case t.Kind() == colstore.KindFloat:
		return t
	case t.Size() == 1:
		return colstore.Float16
	case t.Size() == 2:
		return colstore.Float32
	default:
		return colstore.Float64
	}
}

// errRange marks an integer literal that its column's type does not hold.
var errRange = errors.New("out of range")

// outOfRange is the error of an integer literal beside a column whose type t does not hold it.
func outOfRange(v *big.Int, t colstore.DType) error {
	wide := colstore.Float64
	if v.IsInt64() {
		wide = colstore.Int64
	}
	return rangeError{fmt.Errorf("%w: %s does not fit the column's %s; widen that, for instance with astype(…, '%s')",
		colstore.ErrValue, shortInt(v), t.Name(), wide.Name())}
}

// rangeError is an error that is errRange too, without saying so twice.
type rangeError struct{ error }

func (e rangeError) Unwrap() []error { return []error{e.error, errRange} }

// adapt returns the dtype in which a number column meets an untyped literal, which widens it only across kinds.
func adapt(t colstore.DType, lit any) (colstore.DType, error) {
	switch v := lit.(type) {
	case bool:
		return t, nil
	case *big.Int:
		switch t.Kind() {
		case colstore.KindBool:
			if !fits(v, colstore.Int64) {
				return colstore.Int64, outOfRange(v, t)
			}
			return colstore.Int64, nil
		case colstore.KindInt, colstore.KindUint:
			if !fits(v, t) {
				return t, outOfRange(v, t)
			}
		}
		return t, nil
	case float64:
		if t.Kind() != colstore.KindFloat {
			return colstore.Float64, nil
		}
		return t, nil
	}
	return t, fmt.Errorf("%w: %s is no number", colstore.ErrType, Operand{Lit: lit}.name())
}

// isNumber reports whether the operand takes part in number arithmetic.
func (o Operand) isNumber() bool {
	switch o.Lit.(type) {
	case nil:
		return o.Type.IsNumber()
	case bool, *big.Int, float64:
		return true
	}
	return false
}

// isString reports whether the operand is bytes or text.
func (o Operand) isString() bool {
	switch o.Lit.(type) {
	case nil:
		return o.Type.IsString()
	case string, []byte:
		return true
	}
	return false
}

func (o Operand) isTime() bool { return o.Lit == nil && o.Type.IsTime() }

// common returns the dtype in which operands, all numbers, are computed together.
func common(args ...Operand) (colstore.DType, error) {
	var t colstore.DType
	for _, a := range args {
		if a.Lit != nil {
			continue
		}
		if t.Valid() {
			t, _ = Promote(t, a.Type)
		} else {
			t = a.Type
		}
	}
	for _, a := range args {
		if a.Lit == nil {
			continue
		}
		if !t.Valid() {
			d, err := a.DefaultType()
			if err != nil {
				return t, err
			}
			t = d
			continue
		}
		var err error
		if t, err = adapt(t, a.Lit); err != nil {
			return t, err
		}
	}
	return t, nil
}
