package columnar

import (
	"fmt"
	"math"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// Texts are the buffers of text columns that follow one another. The zero Texts needs a Reset.
type Texts struct {
	offsets []int32
	data    []byte
	dropped int // bytes before data
}

// Reset starts over, with the memory that there is.
func (t *Texts) Reset() {
	t.offsets, t.data, t.dropped = append(t.offsets[:0], 0), t.data[:0], 0
}

// Reserve makes room for the offsets of rows and for bytes of text, so that no smaller memory is left behind by growing.
func (t *Texts) Reserve(rows, bytes int) {
	t.offsets = slices.Grow(t.offsets, max(0, rows+1-len(t.offsets)))
	t.data = slices.Grow(t.data, max(0, bytes-len(t.data)))
}

// Append appends the rows of a text column, in either byte order.
//
// Errors: a *BadValue.
func (t *Texts) Append(c colstore.Column) error {
	width, points := c.Type().Width(), pointsOf(kernel.RawIn(plain(c)))
	// A character takes no more bytes than its number.
	t.data = slices.Grow(t.data, 4*len(points))
	t.offsets = slices.Grow(t.offsets, c.Rows())
	for i := range c.Rows() {
		var err error
		if t.data, err = text.AppendUTF8(t.data, points[i*width:(i+1)*width]); err != nil {
			return &BadValue{i, err}
		}
		end := t.Bytes()
		if end > math.MaxInt32 {
			return &BadValue{i, fmt.Errorf("%w: more than 2 GiB of text up to here, beyond one record of Arrow's utf8; make smaller batches", colstore.ErrValue)}
		}
		t.offsets = append(t.offsets, int32(end))
	}
	return nil
}

// Drop lets go of the text, and keeps where it was.
func (t *Texts) Drop() { t.dropped, t.data = t.Bytes(), t.data[:0] }

// Bytes returns the bytes of all text.
func (t *Texts) Bytes() int { return t.dropped + len(t.data) }

// Offsets returns where each value begins, and the last one ends, as 32 bits.
//
// Memory: a view, valid until the next call of another method.
func (t *Texts) Offsets() []byte { return bytesOf(t.offsets) }

// Data returns the text that was not dropped.
//
// Memory: as Offsets.
func (t *Texts) Data() []byte { return t.data }
