package diff

import (
	"bytes"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// chunkRows is how many values are compared at once where bytes do not tell.
const chunkRows = 4096

// A chunk compares values of plain columns: it sets the bits of the rows that differ, and returns the largest difference.
type chunk func(differ []uint64, a, b colstore.Column) (most float64)

// comparer compares the values of one column.
type comparer struct {
	column int  // its number in the report
	same   bool // equal bytes are equal values
	chunk  chunk
	a, b   []byte // values in native order
	differ [chunkRows / 64]uint64
}

// newComparer returns what compares values of two dtypes, nil if no value of one is a value of the other.
func newComparer(a, b colstore.DType, tolerance float64) *comparer {
	c := &comparer{same: a == b}
	switch {
	case a.IsString() && b.IsString():
		c.chunk = strings(a, b)
	case a.IsNumber() && b.IsNumber():
		c.chunk = numbers(a, b, tolerance)
	case a.IsTime() && a.Kind() == b.Kind():
		c.chunk = times(a.Kind(), a.Unit(), b.Unit())
	}
	if c.chunk == nil {
		return nil
	}
	return c
}

// compare compares the values of two columns of the same length, whose first row has that number.
func (c *comparer) compare(out *Column, a, b colstore.Column, first int64, samples int) {
	for at := 0; at < a.Rows(); at += chunkRows {
		end := min(at+chunkRows, a.Rows())
		x, y := a.Slice(at, end, 1), b.Slice(at, end, 1)
		if c.same && equalBytes(x, y) {
			continue
		}
		differ := c.differ[:(end-at+63)/64]
		clear(differ)
		x, c.a = plain(x, c.a)
		y, c.b = plain(y, c.b)
		out.Most = max(out.Most, c.chunk(differ, x, y))
		for w, word := range differ {
			out.Different += int64(bits.OnesCount64(word))
			for ; word != 0 && len(out.First) < samples; word &= word - 1 {
				i := w*64 + bits.TrailingZeros64(word)
				out.First = append(out.First, Sample{Row: first + int64(at+i), A: shown(x, i), B: shown(y, i)})
			}
		}
	}
}

func equalBytes(a, b colstore.Column) bool {
	x, ok := a.Bytes()
	y, okToo := b.Bytes()
	return ok && okToo && bytes.Equal(x, y)
}

// plain returns the values back to back in native byte order, in buf if they do not lie so.
func plain(c colstore.Column, buf []byte) (colstore.Column, []byte) {
	if c.IsPlain() {
		return c, buf
	}
	size := c.Type().Size()
	if len(buf) < c.Rows()*size {
		buf = make([]byte, chunkRows*size)
	}
	kernel.Load(buf[:c.Rows()*size], c)
	return colstore.RawColumn(c.Type().Native(), c.Rows(), size, unsafe.Pointer(unsafe.SliceData(buf))), buf
}

// shown returns a value as text, that of a string in quotes.
func shown(c colstore.Column, i int) string {
	s := string(text.AppendPlain(nil, c, i))
	if c.Type().IsString() {
		return strconv.Quote(s)
	}
	return s
}

// strings compares bytes and text, without their padding.
func strings(a, b colstore.DType) chunk {
	if a.Kind() == b.Kind() {
		return func(differ []uint64, x, y colstore.Column) float64 {
			p, _ := x.Bytes()
			q, _ := y.Bytes()
			kernel.EqualStrings(differ, p, a.Size(), q, b.Size(), x.Rows())
			kernel.Not(differ, differ, x.Rows())
			return 0
		}
	}
	var p, q []byte
	return func(differ []uint64, x, y colstore.Column) float64 {
		for i := range x.Rows() {
			p, q = x.AppendString(p[:0], i), y.AppendString(q[:0], i)
			differ[i/64] |= bit(!bytes.Equal(p, q)) << (i % 64)
		}
		return 0
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
