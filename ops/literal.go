package ops

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// DefaultType returns the dtype of an operand that meets nothing to adapt to: a literal is int64 (or uint64 where only
// that holds it), float64, bool, or text of its own width.
//
// Errors: colstore.ErrValue for an integer beyond 64 bits, colstore.ErrType for None.
func (o Operand) DefaultType() (colstore.DType, error) {
	switch v := o.Lit.(type) {
	case nil:
		return o.Type, nil
	case bool:
		return colstore.Bool, nil
	case *big.Int:
		switch {
		case v.IsInt64():
			return colstore.Int64, nil
		case v.IsUint64():
			return colstore.Uint64, nil
		}
		return colstore.DType{}, fmt.Errorf("%w: %s is beyond 64 bits", colstore.ErrValue, shortInt(v))
	case float64:
		return colstore.Float64, nil
	case string:
		return colstore.TextScalar(v).Type(), nil
	case []byte:
		return colstore.BytesScalar(v).Type(), nil
	}
	return colstore.DType{}, fmt.Errorf("%w: None has no value to compute with", colstore.ErrType)
}

// name is how a message calls the operand.
func (o Operand) name() string {
	switch v := o.Lit.(type) {
	case nil:
		return o.Type.Name()
	case bool:
		return "the literal " + strings.ToUpper(strconv.FormatBool(v)[:1]) + strconv.FormatBool(v)[1:]
	case *big.Int:
		return "the number " + shortInt(v)
	case float64:
		return "the number " + string(text.AppendFloat(nil, v, 64))
	case string:
		return "the text " + strconv.Quote(v)
	case []byte:
		return "the bytes " + strconv.Quote(string(v))
	}
	return "None"
}

func shortInt(v *big.Int) string {
	s := v.String()
	if len(s) > 40 {
		s = s[:20] + "…" + s[len(s)-10:]
	}
	return s
}

func names(args []Operand) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.name()
	}
	return strings.Join(parts, " and ")
}

// refused is the error for operand types an operation does not have; why says what to do instead and may be empty.
func refused(symbol string, args []Operand, why string) error {
	if why != "" {
		why = "; " + why
	}
	return fmt.Errorf("%w: %s has no meaning for %s%s", colstore.ErrType, symbol, names(args), why)
}

// Constant returns a literal as a value of dtype t. For bytes and text without a width the value gives it.
//
// Errors: colstore.ErrValue for a number that t does not hold; colstore.ErrType for a literal of another kind.
func Constant(lit any, t colstore.DType) (colstore.Scalar, error) {
	mismatch := func() (colstore.Scalar, error) {
		return colstore.Scalar{}, fmt.Errorf("%w: %s is no %s", colstore.ErrType, Operand{Lit: lit}.name(), t.Name())
	}
	switch v := lit.(type) {
	case bool:
		n := int64(0)
		if v {
			n = 1
		}
		if !t.IsNumber() && t.Kind() != colstore.KindTimedelta {
			return mismatch()
		}
		return Constant(big.NewInt(n), t)
	case *big.Int:
		switch t.Kind() {
		case colstore.KindBool:
			return colstore.ScalarOf(v.Sign() != 0), nil
		case colstore.KindInt, colstore.KindUint:
			if !fits(v, t) {
				return colstore.Scalar{}, fmt.Errorf("%w: %s does not fit %s", colstore.ErrValue, shortInt(v), t.Name())
			}
			return colstore.NewScalar(t, littleEndian(v, t.Size()))
		case colstore.KindFloat:
			f, _ := new(big.Float).SetInt(v).Float64()
			if math.IsInf(f, 0) {
				return colstore.Scalar{}, fmt.Errorf("%w: %s does not fit %s", colstore.ErrValue, shortInt(v), t.Name())
			}
			return Constant(f, t)
		case colstore.KindTimedelta:
			if !v.IsInt64() {
				return colstore.Scalar{}, fmt.Errorf("%w: %s does not fit %s", colstore.ErrValue, shortInt(v), t.Name())
			}
			return colstore.TimeScalar(t, v.Int64()), nil
		}
	case float64:
		if t.Kind() == colstore.KindFloat {
			bits := text.FloatBits(t, v)
			raw := make([]byte, t.Size())
			for i := range raw {
				raw[i] = byte(bits >> (8 * i))
			}
			return colstore.NewScalar(t, raw)
		}
	case string:
		switch t.Kind() {
		case colstore.KindText:
			return colstore.TextScalar(v), nil
		case colstore.KindBytes:
			return colstore.BytesScalar([]byte(v)), nil
		}
	case []byte:
		switch t.Kind() {
		case colstore.KindBytes:
			return colstore.BytesScalar(v), nil
		case colstore.KindText:
			return colstore.TextScalar(string(v)), nil
		}
	}
	return mismatch()
}

// fits reports whether an integer dtype holds v.
func fits(v *big.Int, t colstore.DType) bool {
	bits := 8 * t.Size()
	if t.Kind() == colstore.KindUint {
		return v.Sign() >= 0 && v.BitLen() <= bits
	}
	if v.Sign() < 0 {
		// -2ⁿ needs n+1 bits, of which BitLen of -v-1 counts n.
		return new(big.Int).Not(v).BitLen() < bits
	}
	return v.BitLen() < bits
}

// littleEndian returns the low bytes of v in two's complement.
func littleEndian(v *big.Int, size int) []byte {
	raw := make([]byte, size)
	u := v.Uint64()
	if v.Sign() < 0 {
		u = -new(big.Int).Neg(v).Uint64()
	}
	for i := range raw {
		raw[i] = byte(u >> (8 * i))
	}
	return raw
}
