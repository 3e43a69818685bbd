package csv

import (
	"bytes"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/internal/text"
)

// An encoder appends one value of a column as a cell.
type encoder func(dst []byte, row int) []byte

// encoder returns the encoder of a plain column. A NaT is an empty cell.
func (w *writer) encoder(c colstore.Column) encoder {
	t := c.Type()
	switch t.Kind() {
	case colstore.KindBool:
		v := values[uint8](c)
		return func(dst []byte, row int) []byte { return strconv.AppendBool(dst, v[row] != 0) }
	case colstore.KindInt:
		switch t.Size() {
		case 1:
			return encodeInt[int8](c)
		case 2:
			return encodeInt[int16](c)
		case 4:
			return encodeInt[int32](c)
		}
		return encodeInt[int64](c)
	case colstore.KindUint:
		switch t.Size() {
		case 1:
			return encodeUint[uint8](c)
		case 2:
			return encodeUint[uint16](c)
		case 4:
			return encodeUint[uint32](c)
		}
		return encodeUint[uint64](c)
	case colstore.KindFloat:
		return encodeFloat(c)
	case colstore.KindDatetime:
		v, unit := values[int64](c), t.Unit()
		return func(dst []byte, row int) []byte {
			if v[row] == colstore.NaT {
				return dst
			}
			return calendar.AppendISO(dst, v[row], unit)
		}
	case colstore.KindTimedelta:
		v := values[int64](c)
		return func(dst []byte, row int) []byte {
			if v[row] == colstore.NaT {
				return dst
			}
			return decimal.AppendInt(dst, v[row])
		}
	case colstore.KindBytes:
		return w.encodeBytes(c)
	default:
		return w.encodeText(c)
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

func encodeFloat(c colstore.Column) encoder {
	switch c.Type().Size() {
	case 2:
		v := values[uint16](c)
		return func(dst []byte, row int) []byte { return text.AppendFloat(dst, float64(half.To32(v[row])), 16) }
	case 4:
		v := values[float32](c)
		return func(dst []byte, row int) []byte { return text.AppendFloat(dst, float64(v[row]), 32) }
	}
	v := values[float64](c)
	return func(dst []byte, row int) []byte { return text.AppendFloat(dst, v[row], 64) }
}

func (w *writer) encodeBytes(c colstore.Column) encoder {
	data, _ := c.Bytes()
	width := c.Type().Width()
	return func(dst []byte, row int) []byte {
		return w.appendCell(dst, bytes.TrimRight(data[row*width:(row+1)*width], "\x00"))
	}
}

func (w *writer) encodeText(c colstore.Column) encoder {
	width := c.Type().Width()
	units := textUnits(c, width)
	return func(dst []byte, row int) []byte {
		begin := len(dst)
		for _, r := range trimmed(units[row*width : (row+1)*width]) {
			dst = utf8.AppendRune(dst, rune(r))
		}
		if w.plainly(dst[begin:]) {
			return dst
		}
		return quote(dst, begin)
	}
}

// trimmed returns the code points of a text value without its padding.
func trimmed(units []uint32) []uint32 {
	n := len(units)
	for n > 0 && units[n-1] == 0 {
		n--
	}
	return units[:n]
}

// appendCell appends text, quoted if need be.
func (w *writer) appendCell(dst, cell []byte) []byte {
	begin := len(dst)
	dst = append(dst, cell...)
	if w.plainly(cell) {
		return dst
	}
	return quote(dst, begin)
}

// plainly reports whether text needs no quotes: it holds nothing that structures a row, and no blank at an end that a
// reader may take off. A byte-order mark counts as a blank.
func (w *writer) plainly(cell []byte) bool {
	if len(cell) == 0 {
		return true
	}
	for _, c := range cell {
		if w.quoted[c] {
			return false
		}
	}
	first, _ := utf8.DecodeRune(cell)
	last, _ := utf8.DecodeLastRune(cell)
	const mark = '\ufeff'
	return !unicode.IsSpace(first) && !unicode.IsSpace(last) && first != mark && last != mark
}

// quote puts the text from begin on between quotes, and doubles those that it has.
func quote(dst []byte, begin int) []byte {
	n := bytes.Count(dst[begin:], []byte{'"'})
	from := len(dst)
	dst = append(dst, make([]byte, n+2)...)
	to := len(dst) - 1
	dst[to] = '"'
	for from--; from >= begin; from-- {
		to--
		dst[to] = dst[from]
		if dst[from] == '"' {
			to--
			dst[to] = '"'
		}
	}
	dst[begin] = '"'
	return dst
}

// badBytes returns the first value that is no UTF-8 or has a NUL before its padding, or -1.
func badBytes(c colstore.Column) int {
	data, _ := c.Bytes()
	width := c.Type().Width()
	for i := range c.Rows() {
		value := bytes.TrimRight(data[i*width:(i+1)*width], "\x00")
		if !utf8.Valid(value) || bytes.IndexByte(value, 0) >= 0 {
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
