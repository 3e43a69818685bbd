package parquet

import (
	"fmt"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// put writes a string of the file as a value of the column's dtype, padded with NULs.
//
// Shapes: len(dst) is the dtype's size.
// Errors: colstore.ErrValue for a string that is too long or is no UTF-8.
func (c *column) put(dst, s []byte) error {
	if c.form == formText {
		return text.PutUTF8(view[uint32](dst), s)
	}
	if len(s) > len(dst) {
		return fmt.Errorf("%w: %d bytes do not fit %s", colstore.ErrValue, len(s), c.typ.Name())
	}
	clear(dst[copy(dst, s):])
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
