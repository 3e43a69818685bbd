package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// appendPlain appends values of the dtype, none of them null, in PLAIN layout.
//
// Errors: a *badValue.
func (p *plan) appendPlain(dst, values []byte) ([]byte, error) {
	n := len(values) / p.typ.Size()
	switch {
	case p.isSame():
		return append(dst, values...), nil
	case p.typ.Kind() == colstore.KindBool:
		return appendBits(dst, values), nil
	case p.typ.Kind() == colstore.KindText:
		dst, _, err := p.appendText(dst, values, math.MaxInt)
		return dst, err
	}
	at := len(dst)
	dst = extend(dst, n*p.width)
	out := dst[at:]
	switch {
	case p.typ == colstore.Int8:
		kernel.Convert(view[int32](out), view[int8](values))
	case p.typ == colstore.Int16:
		kernel.Convert(view[int32](out), view[int16](values))
	case p.typ == colstore.Uint8:
		kernel.Convert(view[int32](out), view[uint8](values))
	case p.typ == colstore.Uint16:
		kernel.Convert(view[int32](out), view[uint16](values))
	case p.element.Type == meta.Int32:
		return dst, dates(view[int32](out), view[int64](values))
	default:
		return dst, millis(view[int64](out), view[int64](values))
	}
	return dst, nil
}

// extend makes b longer by n bytes of any content.
func extend(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		grown := make([]byte, len(b), max(len(b)+n, 2*cap(b)))
		copy(grown, b)
		b = grown
	}
	return b[:len(b)+n]
}

// appendBits packs bools, the first in the least significant bit. Any byte but 0 is true.
func appendBits(dst, values []byte) []byte {
	for ; len(values) >= 8; values = values[8:] {
		v := binary.LittleEndian.Uint64(values)
		// The high bit of each byte tells whether the byte is not zero; the product brings the eight bits together.
		v = ((v & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f | v) & 0x8080808080808080
		dst = append(dst, byte(v>>7*0x0102040810204080>>56))
	}
	if len(values) > 0 {
		last := byte(0)
		for i, v := range values {
			if v != 0 {
				last |= 1 << i
			}
		}
		dst = append(dst, last)
	}
	return dst
}

// dates narrows days to the 32 bits of a DATE.
func dates(dst []int32, src []int64) error {
	for i, v := range src {
		if v != int64(int32(v)) {
			if v == colstore.NaT {
				return &badValue{i, fmt.Errorf("%w: NaT has no DATE; write it as a null (nat=null)", colstore.ErrValue)}
			}
			return &badValue{i, fmt.Errorf("%w: day %d since 1970 is beyond what a DATE holds (32 bits); cast the column to another unit first",
				colstore.ErrValue, v)}
		}
		dst[i] = int32(v)
	}
	return nil
}

// millis turns seconds into milliseconds. Parquet has no seconds.
func millis(dst, src []int64) error {
	for i, v := range src {
		if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
			if v != colstore.NaT {
				return &badValue{i, fmt.Errorf("%w: %d seconds since 1970 are beyond what milliseconds hold, and Parquet has no seconds", colstore.ErrValue, v)}
			}
			dst[i] = v
			continue
		}
		dst[i] = 1000 * v
	}
	return nil
}

// appendText appends text as UTF-8 behind its length, until there are most bytes or more, and returns the number of
// values that were appended.
func (p *plan) appendText(dst, values []byte, most int) ([]byte, int, error) {
	points, width := view[uint32](values), p.typ.Width()
	n := 0
	for begin := len(dst); len(points) > 0 && len(dst)-begin < most; n, points = n+1, points[width:] {
		at := len(dst)
		var err error
		if dst, err = text.AppendUTF8(append(dst, 0, 0, 0, 0), points[:width]); err != nil {
			return dst, n, &badValue{n, err}
		}
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, n, nil
}

// appendLevels appends the definition levels of n rows behind their length: 1 where mask has a bit, or everywhere for a
// nil mask.
func appendLevels(dst []byte, mask []uint64, n int, scratch []uint32) ([]byte, []uint32) {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	if mask == nil {
		dst = encoding.AppendRepeated(dst, 1, n, 1)
	} else {
		scratch = scratch[:0]
		for i := range n {
			scratch = append(scratch, uint32(mask[i/64]>>(i%64)&1))
		}
		dst = encoding.AppendHybrid(dst, scratch, 1)
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst, scratch
}
