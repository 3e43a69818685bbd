package text

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
)

// JSONStyle says how [AppendJSON] writes what JSON has no word for.
type JSONStyle struct {
	WideAsText bool // 64-bit integers as text, for readers that keep numbers in a double
	Base64     bool // every bytes value as base64 text; else UTF-8 as text and other bytes as {"base64": "…"}
}

// AppendJSON appends value i of c as a JSON value. Floats are the shortest exact decimal, or the text "NaN",
// "Infinity", "-Infinity"; datetimes and timedeltas are their integer ticks, or the text "NaT".
func AppendJSON(dst []byte, c colstore.Column, i int, s JSONStyle) []byte {
	t, raw := c.Type(), c.At(i)
	switch t.Kind() {
	case colstore.KindBool:
		return strconv.AppendBool(dst, raw[0] != 0)
	case colstore.KindInt, colstore.KindUint:
		quote := s.WideAsText && t.Size() == 8
		if quote {
			dst = append(dst, '"')
		}
		if t.Kind() == colstore.KindInt {
			dst = strconv.AppendInt(dst, Int(t, raw), 10)
		} else {
			dst = strconv.AppendUint(dst, Uint(t, raw), 10)
		}
		if quote {
			dst = append(dst, '"')
		}
		return dst
	case colstore.KindFloat:
		return AppendJSONFloat(dst, Float(t, raw), 8*t.Size())
	case colstore.KindDatetime, colstore.KindTimedelta:
		if v := Int(t, raw); v != colstore.NaT {
			return strconv.AppendInt(dst, v, 10)
		}
		return append(dst, `"NaT"`...)
	case colstore.KindBytes:
		value := c.AppendString(nil, i)
		switch {
		case s.Base64:
			return appendBase64(dst, value)
		case utf8.Valid(value):
			return AppendJSONString(dst, string(value))
		}
		return append(appendBase64(append(dst, `{"base64": `...), value), '}')
	default:
		return AppendJSONString(dst, string(c.AppendString(nil, i)))
	}
}

// AppendJSONFloat appends the shortest decimal of v, or its name as text where JSON has no number for it.
func AppendJSONFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	}
	return AppendFloat(dst, v, bits)
}

func appendBase64(dst, value []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), value), '"')
}

// AppendJSONString appends s as a JSON string; bytes that are no UTF-8 become U+FFFD.
func AppendJSONString[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}
