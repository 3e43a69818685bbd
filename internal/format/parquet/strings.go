package parquet

import (
	"fmt"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
)

// put writes a string of the file as a value of the column's dtype, padded with NULs.
//
// Shapes: len(dst) is the dtype's size.
// Errors: colstore.ErrValue for a string that is too long or is no UTF-8.
func (c *column) put(dst, s []byte) error {
	if c.form == formText {
		return putText(view[uint32](dst), s)
	}
	if len(s) > len(dst) {
		return fmt.Errorf("%w: %d bytes do not fit %s", colstore.ErrValue, len(s), c.typ.Name())
	}
	clear(dst[copy(dst, s):])
	return nil
}

// putText decodes UTF-8 into code points.
func putText(points []uint32, s []byte) error {
	n := 0
	if len(s) <= len(points) {
		for n < len(s) && s[n] < utf8.RuneSelf {
			points[n] = uint32(s[n])
			n++
		}
		if n == len(s) {
			clear(points[n:])
			return nil
		}
	}
	for rest := s[n:]; len(rest) > 0; n++ {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size <= 1 {
			return fmt.Errorf("%w: text that is no UTF-8 (byte %#02x)", colstore.ErrValue, rest[0])
		}
		if n == len(points) {
			return fmt.Errorf("%w: text of %d characters does not fit %s", colstore.ErrValue, utf8.RuneCount(s), colstore.TextOf(len(points)).Name())
		}
		points[n] = uint32(r)
		rest = rest[size:]
	}
	clear(points[n:])
	return nil
}

// length returns how wide a string is in the column's dtype: code points or bytes. A string that is not wider than
// known is not looked at.
func (c *column) length(s []byte, known int) int {
	if len(s) <= known || c.form != formText {
		return len(s)
	}
	return utf8.RuneCount(s)
}
