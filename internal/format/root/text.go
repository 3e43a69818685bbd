package root

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// A string lies behind its length, which is a byte, or 255 and four bytes.

// cutString returns the string at the beginning of values, and the bytes that both take.
//
// Errors: colstore.ErrFormat for values that end in it.
func cutString(values []byte) (s []byte, size int, err error) {
	head := 1
	if len(values) < head {
		return nil, 0, fmt.Errorf("%w: a string without its length", colstore.ErrFormat)
	}
	n := int64(values[0])
	if n == math.MaxUint8 {
		if head = 5; len(values) < head {
			return nil, 0, fmt.Errorf("%w: a string without its length", colstore.ErrFormat)
		}
		n = int64(int32(binary.BigEndian.Uint32(values[1:])))
	}
	if n < 0 || n > int64(len(values)-head) {
		return nil, 0, fmt.Errorf("%w: a string of %d bytes where %d are left", colstore.ErrFormat, n, len(values)-head)
	}
	size = head + int(n)
	return values[head:size], size, nil
}

// strings finds where each of the basket's strings ends, and compares that with the table of where they begin, if the
// basket has one.
func (c *listCursor) strings(offsets []int64, rows int) error {
	if rows > len(c.values) {
		return fmt.Errorf("%w: %d strings in %d bytes", colstore.ErrFormat, rows, len(c.values))
	}
	if offsets != nil && len(offsets) != rows {
		return fmt.Errorf("%w: %d offsets for %d entries", colstore.ErrFormat, len(offsets), rows)
	}
	ends := grow64(&c.offs, rows) // which is where offsets are
	at := 0
	for i := range ends {
		if offsets != nil && offsets[i] != int64(at) {
			return fmt.Errorf("%w: string %d begins at byte %d, by the table at %d", colstore.ErrFormat, i, at, offsets[i])
		}
		_, size, err := cutString(c.values[at:])
		if err != nil {
			return err
		}
		at += size
		ends[i] = int64(at)
	}
	if at != len(c.values) {
		return fmt.Errorf("%w: %d bytes behind the last string", colstore.ErrFormat, len(c.values)-at)
	}
	c.ends = ends
	return nil
}

// text returns the dtype of a column of strings: the one that was declared, or text as wide as the widest.
func (b *builder) text(ctx context.Context, c *column, in *input) (colstore.DType, error) {
	if t, declared := b.types[c.name]; declared {
		if t.Kind() != colstore.KindText || !t.Valid() {
			return t, fmt.Errorf("%w: it holds text, which is not read as %s", colstore.ErrMismatch, t.Name())
		}
		return t, nil
	}
	f := b.s.f
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	cursor := in.newList(f)
	width := 1
	for row := int64(0); row < f.rows; {
		if err := context.Cause(ctx); err != nil {
			return colstore.DType{}, err
		}
		values, begin, ends, err := cursor.next(1<<16, w)
		if err != nil {
			return colstore.DType{}, err
		}
		for _, end := range ends {
			if s, _, err := cutString(values[begin:end]); err != nil {
				return colstore.DType{}, err
			} else if len(s) > width { // or it has no more characters
				width = max(width, utf8.RuneCount(s))
			}
			begin = end
		}
		row += int64(len(ends))
	}
	t := colstore.TextOf(width)
	if !t.Valid() {
		return t, fmt.Errorf("%w: a string of %d characters is wider than any dtype", colstore.ErrValue, width)
	}
	return t, nil
}

// putTexts writes one string of each row. After an error it returns the number of the row.
//
// Errors: colstore.ErrValue for text that is no UTF-8 or too long.
func (r *reader) putTexts(dst, values []byte, begin int64, ends []int64, o *output) (int, error) {
	width := o.typ.Width()
	if cap(r.points) < width {
		r.points = make([]uint32, width)
	}
	points := r.points[:width]
	for i, end := range ends {
		s, _, err := cutString(values[begin:end])
		if err == nil {
			err = text.PutUTF8(points, s)
		}
		if err != nil {
			return i, err
		}
		for _, p := range points {
			binary.NativeEndian.PutUint32(dst, p)
			dst = dst[4:]
		}
		begin = end
	}
	return 0, nil
}
