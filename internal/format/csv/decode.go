package csv

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/internal/text"
)

// A decoder turns cells into the values of dst, which has as many rows and is dense. It returns the first cell that is
// no value, or -1; then the rows from there on mean nothing. Decoders keep no state.
type decoder func(dst colstore.Column, c *cells) (bad int)

// newDecoder returns the decoder for dtype t, whose missing cells become fill; if that is not valid, they are bad. A
// found dtype takes only the spellings by which [classify] finds it, a declared one all that package text reads.
func newDecoder(t colstore.DType, fill colstore.Scalar, found bool) decoder {
	size := t.Size()
	switch t.Kind() {
	case colstore.KindBool:
		return boolDecoder(fill, found)
	case colstore.KindInt:
		slow := func(cell []byte) (int64, error) { return slowInt(cell, found) }
		switch size {
		case 1:
			return intDecoder[int8](fill, slow)
		case 2:
			return intDecoder[int16](fill, slow)
		case 4:
			return intDecoder[int32](fill, slow)
		}
		return intDecoder[int64](fill, slow)
	case colstore.KindUint:
		switch size {
		case 1:
			return uintDecoder[uint8](fill, found)
		case 2:
			return uintDecoder[uint16](fill, found)
		case 4:
			return uintDecoder[uint32](fill, found)
		}
		return uintDecoder[uint64](fill, found)
	case colstore.KindFloat:
		switch size {
		case 2:
			return floatDecoder(colstore.Uint16, decimal.Float16, noFloats, fill, found)
		case 4:
			return floatDecoder(colstore.Uint32, decimal.Float32, decimal.ReadFloats[uint32], fill, found)
		}
		return floatDecoder(colstore.Uint64, decimal.Float64, decimal.ReadFloats[uint64], fill, found)
	case colstore.KindDatetime:
		return datetimeDecoder(t.Unit(), fill)
	case colstore.KindTimedelta:
		return intDecoder[int64](fill, slowTicks)
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

// filling returns the value of missing cells, and whether there is one. t is the dtype of T.
func filling[T colstore.Native](t colstore.DType, fill colstore.Scalar) (v T, ok bool) {
	if !fill.Valid() {
		return v, false
	}
	return values[T](fill.Cell().As(t))[0], true
}

func intDecoder[T int8 | int16 | int32 | int64](fill colstore.Scalar, slow func(cell []byte) (int64, error)) decoder {
	missing, filled := filling[T](fill.Type(), fill)
	return func(dst colstore.Column, c *cells) int {
		out := values[T](dst)
		for i := 0; ; i++ {
			if i = decimal.ReadWholes(out, c.numbers(), i, missing, filled); i == len(out) {
				return -1
			}
			v, err := slow(c.at(i))
			if out[i] = T(v); err != nil || int64(out[i]) != v {
				return i
			}
		}
	}
}

func uintDecoder[T uint8 | uint16 | uint32 | uint64](fill colstore.Scalar, found bool) decoder {
	missing, filled := filling[T](fill.Type(), fill)
	return func(dst colstore.Column, c *cells) int {
		out := values[T](dst)
		for i := 0; ; i++ {
			if i = decimal.ReadWholes(out, c.numbers(), i, missing, filled); i == len(out) {
				return -1
			}
			v, err := slowUint(c.at(i), found)
			if out[i] = T(v); err != nil || uint64(out[i]) != v {
				return i
			}
		}
	}
}

// A floatReader is [decimal.ReadFloats].
type floatReader[T uint16 | uint32 | uint64] func(dst []T, c decimal.Numbers, i int, powers *decimal.PowerTable, missing T, filled bool) (stopped int)

// noFloats is the reader of float16, which are too rare to have one: each cell is one to stop at.
func noFloats(_ []uint16, _ decimal.Numbers, i int, _ *decimal.PowerTable, _ uint16, _ bool) int {
	return i
}

// floatDecoder works on the bits of floats, which columns reads if they are spelled as they usually are, and parse if they
// are plainly spelled. t is the dtype of T.
func floatDecoder[T uint16 | uint32 | uint64](t colstore.DType, parse decimal.Parser, columns floatReader[T], fill colstore.Scalar, found bool) decoder {
	missing, filled := filling[T](t, fill)
	powers := decimal.Powers()
	return func(dst colstore.Column, c *cells) int {
		out := values[T](dst.As(t))
		for i := 0; i < len(out); i++ {
			if i = columns(out, c.numbers(), i, powers, missing, filled); i == len(out) {
				break
			}
			s, e := int(c.lo[i]), int(c.hi[i])
			if s == e && filled {
				out[i] = missing
				continue
			}
			v, ok := parse(c.text, s, e, powers)
			if !ok {
				cell := c.at(i)
				if p := trim(cell); len(p) > 0 {
					v, ok = parse(p, 0, len(p), powers)
				}
				if !ok {
					var err error
					if v, err = slowFloat(cell, t.Size(), found); err != nil {
						return i
					}
				}
			}
			out[i] = T(v)
		}
		return -1
	}
}

func boolDecoder(fill colstore.Scalar, found bool) decoder {
	missing, filled := filling[uint8](colstore.Uint8, fill)
	return func(dst colstore.Column, c *cells) int {
		out := values[uint8](dst)
		for i := range out {
			yes, no := c.isBool(i)
			if out[i] = yes; yes|no != 0 {
				continue
			}
			cell := c.at(i)
			if len(cell) == 0 && filled {
				out[i] = missing
				continue
			}
			switch word := trim(cell); {
			case isWord(word, "true"), !found && string(word) == "1":
				out[i] = 1
			case isWord(word, "false"), !found && string(word) == "0":
				out[i] = 0
			default:
				return i
			}
		}
		return -1
	}
}

func bytesDecoder(width int, fill colstore.Scalar) decoder {
	return func(dst colstore.Column, c *cells) int {
		out, _ := dst.Bytes()
		for i := range c.lo {
			cell := c.at(i)
			if len(cell) == 0 {
				cell = fill.Cell().At(0)
			}
			if len(cell) > width {
				return i
			}
			n := copy(out[i*width:(i+1)*width], cell)
			clear(out[i*width+n : (i+1)*width])
		}
		return -1
	}
}

func textDecoder(width int, fill colstore.Scalar) decoder {
	missing := textUnits(fill.Cell(), width)
	return func(dst colstore.Column, c *cells) int {
		out := textUnits(dst, width)
		for i := range c.lo {
			cell := c.at(i)
			row := out[i*width : (i+1)*width]
			n := asciiText(row, c.text, int(c.lo[i]), int(c.hi[i]))
			switch {
			case len(cell) == 0:
				n = copy(row, missing)
			case n < len(cell):
				var fits bool
				if n, fits = runesText(row, n, cell[n:]); !fits {
					return i
				}
			}
			for n < len(row) {
				row[n] = 0
				n++
			}
		}
		return -1
	}
}

// asciiText puts the code points of text[s:e] into row as long as they are ASCII and there is room, and returns their number.
func asciiText(row []uint32, text []byte, s, e int) int {
	n := 0
	for ; len(row)-n >= 8 && s < e; s += 8 {
		x := load8(text, s)
		if e-s < 8 {
			x &= 1<<(8*(e-s)) - 1
		}
		if x&highBits != 0 {
			break
		}
		out := (*[8]uint32)(row[n:])
		out[0], out[1], out[2], out[3] = uint32(x&0xff), uint32(x>>8&0xff), uint32(x>>16&0xff), uint32(x>>24&0xff)
		x >>= 32
		out[4], out[5], out[6], out[7] = uint32(x&0xff), uint32(x>>8&0xff), uint32(x>>16&0xff), uint32(x>>24)
		n += min(8, e-s)
	}
	if s >= e {
		return n
	}
	rest := row[n:]
	rest = rest[:min(len(rest), e-s)]
	for i, b := range text[s : s+len(rest)] {
		if b >= utf8.RuneSelf {
			return n + i
		}
		rest[i] = uint32(b)
	}
	return n + len(rest)
}

// runesText puts the code points of text into row[n:]. It returns where they end, and whether there was room.
func runesText(row []uint32, n int, text []byte) (int, bool) {
	for len(text) > 0 {
		if n == len(row) {
			return n, false
		}
		r, size := utf8.DecodeRune(text)
		row[n] = uint32(r)
		n++
		text = text[size:]
	}
	return n, true
}

// textUnits returns the code points of a text column, width a row.
func textUnits(c colstore.Column, width int) []uint32 {
	data, rows, _ := c.Raw()
	return values[uint32](colstore.RawColumn(colstore.Uint32, rows*width, 4, data))
}

// The slow ways read every spelling that a cell of the kind may have. Blanks are the usual reason to be there.

func slowInt(cell []byte, found bool) (int64, error) {
	if p := trim(cell); len(p) > 0 {
		if v, ok := decimal.ParseInt(p, 0, len(p)); ok {
			return v, nil
		}
	}
	if found && classify(cell) != kindInt {
		return 0, colstore.ErrValue
	}
	return text.ParseInt(string(cell), 64)
}

func slowUint(cell []byte, found bool) (uint64, error) {
	p := trim(cell)
	if v, ok := decimal.ParseUint(p, 0, len(p)); ok {
		return v, nil
	}
	if string(p) == "-0" {
		return 0, nil
	}
	if found && classify(cell) != kindInt {
		return 0, colstore.ErrValue
	}
	return text.ParseUint(string(cell), 64)
}

// slowTicks reads a timedelta.
func slowTicks(cell []byte) (int64, error) {
	if isWord(trim(cell), "nat") {
		return colstore.NaT, nil
	}
	return text.ParseInt(string(cell), 64)
}

// slowFloat returns the bits of a float of size bytes.
func slowFloat(cell []byte, size int, found bool) (uint64, error) {
	if k := classify(cell); found && k != kindInt && k != kindFloat {
		return 0, colstore.ErrValue
	}
	v, err := text.ParseFloat(string(cell))
	if err != nil {
		return 0, err
	}
	switch {
	case size == 2:
		return uint64(half.From64(v)), nil
	case size == 4 && v != v:
		return uint64(math.Float32bits(float32(v))), nil
	case size == 4:
		// Once more, since rounding the float64 would be rounding twice.
		v, _ := strconv.ParseFloat(string(trim(cell)), 32)
		return uint64(math.Float32bits(float32(v))), nil
	}
	return math.Float64bits(v), nil
}

// badCell returns why a cell is no value of dtype t, which it is not.
func badCell(t colstore.DType, cell []byte, found bool) error {
	switch {
	case found:
		return fmt.Errorf("%w: the file changed after its cells were read for the first time: %q is not %s any more", colstore.ErrFormat, text.Clip(cell), t.Name())
	case t.Kind() == colstore.KindText:
		return fmt.Errorf("%w: %q has %d characters, too many for %s", colstore.ErrValue, text.Clip(cell), utf8.RuneCount(cell), t.Name())
	case t.Kind() == colstore.KindBytes:
		return fmt.Errorf("%w: %q has %d bytes, too many for %s", colstore.ErrValue, text.Clip(cell), len(cell), t.Name())
	}
	const most = 64 // no value is spelled longer
	if len(cell) <= most {
		if _, err := text.ParseScalar(t, string(cell)); err != nil {
			return err
		}
	}
	if t.Kind() == colstore.KindDatetime && len(trim(cell)) > 0 {
		return fmt.Errorf("%w: %q is beyond what %s can hold", colstore.ErrValue, text.Clip(cell), t.Name())
	}
	return fmt.Errorf("%w: %q is not %s", colstore.ErrValue, text.Clip(cell), t.Name())
}
