package json

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/internal/text"
)

// An encoder appends one value of a column as JSON.
type encoder func(dst []byte, row int) []byte

// The choices of the option "nonfinite".
const (
	nonfiniteNull    = "null"
	nonfiniteLiteral = "literal"
)

// specials say how numbers are written that JSON does not have.
type specials struct {
	nan, inf, minusInf string
	counts             bool  // infinities are lost
	infinite           int64 // how many were
}

func specialsOf(nonfinite string) specials {
	if nonfinite == nonfiniteLiteral {
		return specials{nan: "NaN", inf: "Infinity", minusInf: "-Infinity"}
	}
	return specials{nan: "null", inf: "null", minusInf: "null", counts: true}
}

// encoder returns the encoder of plain values of column i, of which the first is that of a row. The NaT of a datetime is
// "NaT", as text among text; that of a timedelta is null.
//
// Errors: colstore.ErrValue for a value that JSON cannot hold, naming column and row.
func (w *writer) encoder(s *specials, i int, c colstore.Column, row int64) (encoder, error) {
	t := c.Type()
	switch t.Kind() {
	case colstore.KindBool:
		v := values[uint8](c)
		return func(dst []byte, row int) []byte { return strconv.AppendBool(dst, v[row] != 0) }, nil
	case colstore.KindInt:
		switch t.Size() {
		case 1:
			return encodeInt[int8](c), nil
		case 2:
			return encodeInt[int16](c), nil
		case 4:
			return encodeInt[int32](c), nil
		}
		return encodeInt[int64](c), nil
	case colstore.KindUint:
		switch t.Size() {
		case 1:
			return encodeUint[uint8](c), nil
		case 2:
			return encodeUint[uint16](c), nil
		case 4:
			return encodeUint[uint32](c), nil
		}
		return encodeUint[uint64](c), nil
	case colstore.KindFloat:
		return s.encodeFloat(c), nil
	case colstore.KindDatetime:
		v, unit := values[int64](c.As(colstore.Int64)), t.Unit()
		return func(dst []byte, row int) []byte {
			return append(calendar.AppendISO(append(dst, '"'), v[row], unit), '"')
		}, nil
	case colstore.KindTimedelta:
		v := values[int64](c.As(colstore.Int64))
		return func(dst []byte, row int) []byte {
			if v[row] == colstore.NaT {
				return append(dst, "null"...)
			}
			return decimal.AppendInt(dst, v[row])
		}, nil
	case colstore.KindBytes:
		if bad := badBytes(c); bad >= 0 {
			return nil, w.unfit(i, row+int64(bad), "the bytes are no UTF-8 text; leave the column out, or choose another format")
		}
		data, _ := c.Bytes()
		width := t.Width()
		return func(dst []byte, row int) []byte {
			return text.AppendJSONString(dst, bytes.TrimRight(data[row*width:(row+1)*width], "\x00"))
		}, nil
	}
	if bad := badText(c); bad >= 0 {
		return nil, w.unfit(i, row+int64(bad), "the text holds a number that is no code point; leave the column out, or choose another format")
	}
	width := t.Width()
	units := textUnits(c, width)
	value := make([]byte, 0, utf8.UTFMax*width)
	return func(dst []byte, row int) []byte {
		value, _ = text.AppendUTF8(value[:0], units[row*width:(row+1)*width]) // the code points were looked at
		return text.AppendJSONString(dst, value)
	}, nil
}

func (w *writer) unfit(i int, row int64, why string) error {
	return &colstore.Error{
		Op: "write", Path: w.path, Column: w.schema.Field(i).Name, Row: colstore.At(row), Err: fmt.Errorf("%w: %s", colstore.ErrValue, why),
	}
}

func encodeInt[T int8 | int16 | int32 | int64](c colstore.Column) encoder {
	v := values[T](c)
	return func(dst []byte, row int) []byte { return decimal.AppendInt(dst, int64(v[row])) }
}

func encodeUint[T uint8 | uint16 | uint32 | uint64](c colstore.Column) encoder {
	v := values[T](c)
	return func(dst []byte, row int) []byte { return decimal.AppendUint(dst, uint64(v[row])) }
}

func (s *specials) encodeFloat(c colstore.Column) encoder {
	switch c.Type().Size() {
	case 2:
		v := values[uint16](c.As(colstore.Uint16))
		return func(dst []byte, row int) []byte { return s.append(dst, float64(half.To32(v[row])), 16) }
	case 4:
		v := values[float32](c)
		return func(dst []byte, row int) []byte { return s.append(dst, float64(v[row]), 32) }
	}
	v := values[float64](c)
	return func(dst []byte, row int) []byte { return s.append(dst, v[row], 64) }
}

// append appends a float as the shortest decimal that reads back as the same number.
func (s *specials) append(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, s.nan...)
	case !math.IsInf(v, 0):
		return text.AppendFloat(dst, v, bits)
	}
	if s.counts {
		s.infinite++
	}
	if v > 0 {
		return append(dst, s.inf...)
	}
	return append(dst, s.minusInf...)
}

// badBytes returns the first value that is no UTF-8, or -1.
func badBytes(c colstore.Column) int {
	data, _ := c.Bytes()
	width := c.Type().Width()
	for i := range c.Rows() {
		if !utf8.Valid(bytes.TrimRight(data[i*width:(i+1)*width], "\x00")) {
			return i
		}
	}
	return -1
}

// badText returns the first value with a number that is no code point, or -1.
func badText(c colstore.Column) int {
	width := c.Type().Width()
	for i, r := range textUnits(c, width) {
		if r > math.MaxInt32 || !utf8.ValidRune(rune(r)) {
			return i / width
		}
	}
	return -1
}
