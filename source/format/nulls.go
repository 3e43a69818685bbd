package format

import (
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// NullMode says what becomes of a null.
type NullMode uint8

// The modes.
const (
	NullError NullMode = iota // it is an error that names column and row
	NullFill                  // it becomes the missing value of its dtype
	NullMask                  // it is filled, and a bool column NAME_valid tells which values were there
)

// Nulls is the policy for nulls that a format keeps apart from its values. The zero value refuses them.
type Nulls struct {
	Mode   NullMode
	Values map[string]string // columns whose nulls become this value, whatever the mode
}

// MaskSuffix ends the name of the column that NullMask adds.
const MaskSuffix = "_valid"

// For returns what to do with the nulls of a column, and the value they become unless the mode is NullError. A value
// given for the column makes that NullFill; text of any width is given a width by the value if t has none.
//
// Errors: colstore.ErrValue for a value that is none of t, naming the column.
func (n Nulls) For(column string, t colstore.DType) (NullMode, colstore.Scalar, error) {
	if v, ok := n.Values[column]; ok {
		s, err := text.ParseScalar(t, v)
		if err != nil {
			return NullError, s, &colstore.Error{Column: column, Err: fmt.Errorf("the value for nulls: %w", err)}
		}
		return NullFill, s, nil
	}
	if n.Mode == NullError {
		return NullError, colstore.Scalar{}, nil
	}
	return n.Mode, Missing(t), nil
}

// NullFound returns the error for a null that the policy refuses, at a row if that is known.
func NullFound(path, column string, row colstore.Pos) error {
	return &colstore.Error{Op: "read", Path: path, Column: column, Row: row, Err: fmt.Errorf(
		"%w: there is no null in a .cstore file; choose what it becomes (--nulls fill, --nulls mask, --nulls %s=VALUE, or from.nulls in a recipe)",
		colstore.ErrNull, text.Clip(column))}
}

// Missing returns the value that stands for a missing one: NaN, NaT, "", 0 or false. A text or bytes dtype without a
// width gets one of 1.
func Missing(t colstore.DType) colstore.Scalar {
	switch {
	case t.Kind() == colstore.KindFloat:
		return number(t, text.FloatBits(t, quietNaN))
	case t.IsTime():
		return colstore.TimeScalar(t, colstore.NaT)
	case t == colstore.BytesOf(0):
		t = colstore.BytesOf(1)
	case t == colstore.TextOf(0):
		t = colstore.TextOf(1)
	}
	return number(t, 0)
}

// quietNaN is the NaN of NumPy and C; Go's own has another payload.
var quietNaN = math.Float64frombits(0x7ff8 << 48)

func number(t colstore.DType, bits uint64) colstore.Scalar {
	raw := make([]byte, t.Size())
	for i := range min(8, len(raw)) {
		raw[i] = byte(bits >> (8 * i))
	}
	s, err := colstore.NewScalar(t, raw)
	if err != nil {
		panic(err) // only an invalid dtype gets here
	}
	return s
}
