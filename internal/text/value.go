package text

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/internal/half"
)

// Float returns the value of a float cell of any width.
func Float(t colstore.DType, raw []byte) float64 {
	switch bits := Uint(t, raw); t.Size() {
	case 2:
		return float64(half.To32(uint16(bits)))
	case 4:
		return float64(math.Float32frombits(uint32(bits)))
	default:
		return math.Float64frombits(bits)
	}
}

// Int returns the value of a signed integer, bool, datetime or timedelta cell.
func Int(t colstore.DType, raw []byte) int64 {
	shift := 64 - 8*t.Size()
	return int64(Uint(t, raw)<<shift) >> shift
}

// Uint returns the bits of a cell of at most eight bytes.
func Uint(t colstore.DType, raw []byte) uint64 {
	var b [8]byte
	copy(b[:], raw[:t.Size()])
	if t.BigEndian() {
		return binary.BigEndian.Uint64(b[:]) >> (64 - 8*t.Size())
	}
	return binary.LittleEndian.Uint64(b[:])
}

// AppendPlain appends value i of c as plain text, the spelling that [ParseScalar] reads: True and False, shortest
// decimals, ISO dates, timedeltas as ticks, bytes and text as they are.
func AppendPlain(dst []byte, c colstore.Column, i int) []byte {
	t, raw := c.Type(), c.At(i)
	switch t.Kind() {
	case colstore.KindBool:
		if raw[0] != 0 {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case colstore.KindInt:
		return strconv.AppendInt(dst, Int(t, raw), 10)
	case colstore.KindUint:
		return strconv.AppendUint(dst, Uint(t, raw), 10)
	case colstore.KindFloat:
		return AppendFloat(dst, Float(t, raw), 8*t.Size())
	case colstore.KindDatetime:
		return calendar.AppendISO(dst, Int(t, raw), t.Unit())
	case colstore.KindTimedelta:
		if v := Int(t, raw); v != colstore.NaT {
			return strconv.AppendInt(dst, v, 10)
		}
		return append(dst, "NaT"...)
	default:
		return c.AppendString(dst, i)
	}
}

// ParseScalar reads a value of dtype t. A bytes or text dtype without a width takes the width of the value.
//
// Errors: [colstore.ErrValue] for text that is no such value or is too wide, [colstore.ErrType].
func ParseScalar(t colstore.DType, s string) (colstore.Scalar, error) {
	switch t.Kind() {
	case colstore.KindBool:
		switch trim(s) {
		case "true", "True", "TRUE", "1":
			return colstore.ScalarOf(true), nil
		case "false", "False", "FALSE", "0":
			return colstore.ScalarOf(false), nil
		}
		return colstore.Scalar{}, notA("bool (true or false)", s)
	case colstore.KindInt:
		v, err := ParseInt(s, 8*t.Size())
		return bits(t, uint64(v), err)
	case colstore.KindUint:
		v, err := ParseUint(s, 8*t.Size())
		return bits(t, v, err)
	case colstore.KindFloat:
		v, err := ParseFloat(s)
		return bits(t, FloatBits(t, v), err)
	case colstore.KindDatetime:
		v, err := calendar.ParseISO(s, t.Unit())
		return bits(t, uint64(v), err)
	case colstore.KindTimedelta:
		if trim(s) == "NaT" {
			return colstore.TimeScalar(t, colstore.NaT), nil
		}
		v, err := ParseInt(s, 64)
		return bits(t, uint64(v), err)
	case colstore.KindBytes:
		return padded(t, colstore.BytesScalar([]byte(s)), s)
	case colstore.KindText:
		return padded(t, colstore.TextScalar(s), s)
	}
	return colstore.NewScalar(t, nil)
}

// FloatBits returns the bits of v, rounded to the float dtype t.
func FloatBits(t colstore.DType, v float64) uint64 {
	switch t.Size() {
	case 2:
		return uint64(half.From64(v))
	case 4:
		return uint64(math.Float32bits(float32(v)))
	default:
		return math.Float64bits(v)
	}
}

func bits(t colstore.DType, v uint64, err error) (colstore.Scalar, error) {
	if err != nil {
		return colstore.Scalar{}, err
	}
	return colstore.NewScalar(t, binary.LittleEndian.AppendUint64(nil, v)[:t.Size()])
}

func padded(t colstore.DType, v colstore.Scalar, s string) (colstore.Scalar, error) {
	switch {
	case t.Width() == 0:
		return v, nil
	case v.Type().Width() > t.Width():
		return colstore.Scalar{}, notA(t.Name()+", it is "+strconv.Itoa(v.Type().Width())+" wide", s)
	}
	return colstore.NewScalar(t, v.Cell().At(0))
}
