package arrow

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// encode returns a column of b as an array of type t.
//
// Errors: a *badValue.
func encode(b *colstore.Batch, c colstore.Column, t arrow.DataType) (arrow.Array, error) {
	rows := c.Rows()
	var valid *memory.Buffer
	nulls := 0
	if c.Type().IsTime() {
		ticks := kernel.In[int64](plain(c))
		valid, nulls = validity(ticks)
	}
	var buffers []*memory.Buffer
	switch {
	case isShared(c):
		data, _ := c.Bytes()
		buffers = []*memory.Buffer{valid, show(b, data)}
	case c.Type().Kind() == colstore.KindBool:
		buffers = []*memory.Buffer{valid, memory.NewBufferBytes(packBools(plain(c)))}
	case t.ID() == arrow.DATE32:
		days, err := dates(kernel.In[int64](plain(c)))
		if err != nil {
			return nil, err
		}
		buffers = []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(days))}
	case c.Type().Kind() == colstore.KindText:
		offsets, data, err := encodeText(plain(c))
		if err != nil {
			return nil, err
		}
		buffers = []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(data)}
	default:
		data, _ := plain(c).Bytes()
		buffers = []*memory.Buffer{valid, memory.NewBufferBytes(data)}
	}
	data := array.NewData(t, rows, buffers, nil, nulls, 0)
	defer data.Release()
	for _, buf := range buffers {
		if buf != nil {
			buf.Release() // the array has its own hold
		}
	}
	return array.MakeFromData(data), nil
}

// isShared reports whether Arrow has a type of the same bytes: fixed-width numbers, times in s to ns, S; stored back to
// back in native byte order.
func isShared(c colstore.Column) bool {
	t := c.Type()
	return c.IsPlain() && t.Kind() != colstore.KindBool && t.Kind() != colstore.KindText && t != colstore.DatetimeOf(colstore.Day)
}

// plain returns c, or a copy of it that lies back to back in native byte order.
func plain(c colstore.Column) colstore.Column {
	if c.IsPlain() {
		return c
	}
	return c.Copy()
}

// validity returns a bitmap of the ticks that are not NaT, nil if all are not, and the number of NaT.
func validity(ticks []int64) (*memory.Buffer, int) {
	nulls := 0
	for _, v := range ticks {
		if v == colstore.NaT {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	bits := make([]byte, (len(ticks)+7)/8)
	for i, v := range ticks {
		if v != colstore.NaT {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return memory.NewBufferBytes(bits), nulls
}

// packBools returns the column as bits.
func packBools(c colstore.Column) []byte {
	values := kernel.In[uint8](c)
	bits := make([]byte, (len(values)+7)/8)
	for i, v := range values {
		if v != 0 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}

// dates returns days as 32 bits, 0 for NaT.
func dates(days []int64) ([]int32, error) {
	out := make([]int32, len(days))
	for i, d := range days {
		switch {
		case d == colstore.NaT:
		case d != int64(int32(d)):
			return nil, &badValue{i, fmt.Errorf("%w: day %d is beyond the 32 bits of Arrow's date32; cast the column to datetime in s first", colstore.ErrValue, d)}
		default:
			out[i] = int32(d)
		}
	}
	return out, nil
}

// encodeText returns text as UTF-8, and where each value begins in it.
func encodeText(c colstore.Column) (offsets []int32, data []byte, err error) {
	width, points := c.Type().Width(), pointsOf(kernel.RawIn(c))
	offsets = make([]int32, c.Rows()+1)
	for i := range c.Rows() {
		if data, err = text.AppendUTF8(data, points[i*width:(i+1)*width]); err != nil {
			return nil, nil, &badValue{i, err}
		}
		if len(data) > math.MaxInt32 {
			return nil, nil, &badValue{i, fmt.Errorf("%w: more than 2 GiB of text up to here, beyond one record of Arrow's utf8; make smaller batches", colstore.ErrValue)}
		}
		offsets[i+1] = int32(len(data))
	}
	return offsets, data, nil
}
