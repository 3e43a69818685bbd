package json

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/internal/half"
)

// A decoder turns cells of a text into the values of dst, which has as many rows and is dense. It returns the first cell
// that is no value, or -1; then the rows from there on mean nothing. Decoders keep no state.
type decoder func(dst colstore.Column, p []byte, cells []cell) (bad int)

// newDecoder returns the decoder for dtype t, whose nulls become fill; if that is not valid, they are bad.
func newDecoder(t colstore.DType, fill colstore.Scalar) decoder {
	switch t.Kind() {
	case colstore.KindBool:
		return boolDecoder(fill)
	case colstore.KindInt:
		switch t.Size() {
		case 1:
			return intDecoder[int8](fill)
		case 2:
			return intDecoder[int16](fill)
		case 4:
			return intDecoder[int32](fill)
		}
		return intDecoder[int64](fill)
	case colstore.KindUint:
		switch t.Size() {
		case 1:
			return uintDecoder[uint8](fill)
		case 2:
			return uintDecoder[uint16](fill)
		case 4:
			return uintDecoder[uint32](fill)
		}
		return uintDecoder[uint64](fill)
	case colstore.KindFloat:
		switch t.Size() {
		case 2:
			return floatDecoder(colstore.Uint16, fill, decimal.Float16, func(p []byte) uint16 { return half.From64(parseFloat(p, 64)) })
		case 4:
			return floatDecoder(colstore.Uint32, fill, decimal.Float32, func(p []byte) uint32 { return math.Float32bits(float32(parseFloat(p, 32))) })
		}
		return floatDecoder(colstore.Uint64, fill, decimal.Float64, func(p []byte) uint64 { return math.Float64bits(parseFloat(p, 64)) })
	case colstore.KindDatetime, colstore.KindTimedelta:
		return timeDecoder(t, fill)
	case colstore.KindBytes:
		return bytesDecoder(t.Width(), fill)
	default:
		return textDecoder(t.Width(), fill)
	}
}

// values returns the values of a column as a slice of their Go type, which the caller has chosen by the dtype.
func values[T colstore.Native](c colstore.Column) []T {
	v, err := colstore.Values[T](c)
	if err != nil {
		panic(err)
	}
	return v
}

// filling returns the value of nulls, and whether there is one. t is the dtype of T.
func filling[T colstore.Native](t colstore.DType, fill colstore.Scalar) (v T, ok bool) {
	if !fill.Valid() {
		return v, false
	}
	return values[T](fill.Cell().As(t))[0], true
}

// parseFloat reads a number as JSON spells it, or NaN, Infinity, -Infinity. A number beyond the float's range is an
// infinity.
func parseFloat(p []byte, bits int) float64 {
	switch {
	case p[0] == 'N':
		return math.Float64frombits(0x7ff8 << 48) // NumPy's; Go's own has another payload
	case p[0] == 'I':
		return math.Inf(1)
	case p[0] == '-' && p[1] == 'I':
		return math.Inf(-1)
	}
	v, _ := strconv.ParseFloat(string(p), bits) // the spelling is known to be one; beyond the range v is right
	return v
}

func intDecoder[T int8 | int16 | int32 | int64](fill colstore.Scalar) decoder {
	missing, filled := filling[T](fill.Type(), fill)
	return func(dst colstore.Column, p []byte, cells []cell) int {
		out := values[T](dst)
		for i := range out {
			c := &cells[i]
			if c.kind <= kindNull {
				if !filled {
					return i
				}
				out[i] = missing
				continue
			}
			v, ok := int64(0), false
			if c.kind == kindInt {
				v, ok = decimal.ParseInt(p, int(c.lo), int(c.hi))
			}
			if !ok {
				v, ok = slowInt(p, c)
			}
			if out[i] = T(v); !ok || int64(out[i]) != v {
				return i
			}
		}
		return -1
	}
}

func uintDecoder[T uint8 | uint16 | uint32 | uint64](fill colstore.Scalar) decoder {
	missing, filled := filling[T](fill.Type(), fill)
	return func(dst colstore.Column, p []byte, cells []cell) int {
		out := values[T](dst)
		for i := range out {
			c := &cells[i]
			if c.kind <= kindNull {
				if !filled {
					return i
				}
				out[i] = missing
				continue
			}
			v, ok := uint64(0), false
			if c.kind == kindInt {
				v, ok = decimal.ParseUint(p, int(c.lo), int(c.hi))
			}
			if !ok {
				v, ok = slowUint(p, c)
			}
			if out[i] = T(v); !ok || uint64(out[i]) != v {
				return i
			}
		}
		return -1
	}
}

// floatDecoder works on the bits of floats, which fast reads if it can, and slow always. t is the dtype of T.
func floatDecoder[T uint16 | uint32 | uint64](t colstore.DType, fill colstore.Scalar, fast decimal.Parser, slow func(p []byte) T) decoder {
	missing, filled := filling[T](t, fill)
	powers := decimal.Powers()
	return func(dst colstore.Column, p []byte, cells []cell) int {
		out := values[T](dst.As(t))
		for i := range out {
			c := &cells[i]
			switch {
			case c.kind == kindInt || c.kind == kindFloat:
				v, ok := fast(p, int(c.lo), int(c.hi), powers)
				if out[i] = T(v); !ok {
					out[i] = slow(p[c.lo:c.hi])
				}
			case c.kind <= kindNull && filled:
				out[i] = missing
			default:
				word, ok := spelledNumber(p, c)
				if !ok {
					return i
				}
				out[i] = slow(word)
			}
		}
		return -1
	}
}

func boolDecoder(fill colstore.Scalar) decoder {
	missing, filled := filling[uint8](colstore.Uint8, fill)
	return func(dst colstore.Column, p []byte, cells []cell) int {
		out := values[uint8](dst)
		for i := range out {
			switch c := &cells[i]; {
			case c.kind == kindTrue:
				out[i] = 1
			case c.kind == kindFalse:
				out[i] = 0
			case c.kind <= kindNull && filled:
				out[i] = missing
			default:
				v, ok := slowBool(p, c)
				if !ok {
					return i
				}
				out[i] = v
			}
		}
		return -1
	}
}

// timeDecoder reads datetimes as ISO 8601, times of both kinds as ticks.
func timeDecoder(t colstore.DType, fill colstore.Scalar) decoder {
	missing, filled := filling[int64](fill.Type(), fill)
	return func(dst colstore.Column, p []byte, cells []cell) int {
		out := values[int64](dst.As(colstore.Int64))
		for i := range out {
			c := &cells[i]
			ok := false
			switch {
			case c.kind == kindInt || c.kind == kindFloat:
				out[i], ok = slowInt(p, c)
			case c.kind <= kindNull:
				out[i], ok = missing, filled
			case c.kind == kindText || c.kind == kindEscaped:
				out[i], ok = timeText(t, string(plainText(p, c)))
			}
			if !ok {
				return i
			}
		}
		return -1
	}
}

// spelling returns the text of a cell that is no list and no object, as bytes that may still have escapes.
func spelling(p []byte, c *cell) ([]byte, bool) {
	return p[c.lo:c.hi], c.kind >= kindFalse && c.kind <= kindEscaped
}

func bytesDecoder(width int, fill colstore.Scalar) decoder {
	return func(dst colstore.Column, p []byte, cells []cell) int {
		out, _ := dst.Bytes()
		for i := range cells {
			c := &cells[i]
			value, ok := spelling(p, c)
			switch {
			case c.kind == kindEscaped:
				value, ok = unescape(make([]byte, 0, len(value)), value)
			case c.kind <= kindNull && fill.Valid():
				value, ok = fill.Cell().At(0), true
			}
			if !ok || len(value) > width {
				return i
			}
			n := copy(out[i*width:(i+1)*width], value)
			clear(out[i*width+n : (i+1)*width])
		}
		return -1
	}
}

func textDecoder(width int, fill colstore.Scalar) decoder {
	var missing []uint32
	if fill.Valid() {
		missing = textUnits(fill.Cell(), fill.Type().Width())
	}
	return func(dst colstore.Column, p []byte, cells []cell) int {
		out := textUnits(dst, width)
		for i := range cells {
			c := &cells[i]
			row := out[i*width : (i+1)*width]
			value, ok := spelling(p, c)
			if !ok {
				if c.kind > kindNull || missing == nil || len(missing) > width {
					return i
				}
				clear(row[copy(row, missing):])
				continue
			}
			n := 0
			if c.kind != kindEscaped {
				n = asciiText(row, value)
			}
			if n < len(value) {
				if n, ok = runesText(row, n, value[n:], c.kind == kindEscaped); !ok {
					return i
				}
			}
			clear(row[n:])
		}
		return -1
	}
}

// asciiText puts the code points of text into row as long as they are ASCII and there is room, and returns their number.
func asciiText(row []uint32, text []byte) int {
	n := min(len(row), len(text))
	row, text = row[:n], text[:n]
	for i, b := range text {
		if b >= utf8.RuneSelf {
			return i
		}
		row[i] = uint32(b)
	}
	return n
}

// runesText puts the code points of text into row[n:]. It returns where they end, and whether there was room and all were
// code points.
func runesText(row []uint32, n int, text []byte, escaped bool) (int, bool) {
	for i := 0; i < len(text); n++ {
		var r rune
		if escaped {
			r, i = nextRune(text, i)
		} else {
			var size int
			r, size = utf8.DecodeRune(text[i:])
			i += size
		}
		if n == len(row) || r < 0 {
			return n, false
		}
		row[n] = uint32(r)
	}
	return n, true
}

// textUnits returns the code points of a text column, width a row.
func textUnits(c colstore.Column, width int) []uint32 {
	data, rows, _ := c.Raw()
	return values[uint32](colstore.RawColumn(colstore.Uint32, rows*width, 4, data))
}
