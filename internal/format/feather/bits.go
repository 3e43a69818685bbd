package feather

import (
	"fmt"

	"github.com/colstore/colstore-go"
)

// bits is a buffer of one bit a row, read from front to back.
type bits struct {
	s     *stream
	begun bool
	last  byte // the byte that was read last, which further rows may share
	buf   []byte
}

// take returns the bits of n rows from row at on, from bit 0 on; nil for no buffer. The next call goes on behind them.
func (b *bits) take(at int64, n int) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	first, end := at/8, (at+int64(n)+7)/8
	size := int(end - first)
	if cap(b.buf) < size {
		b.buf = make([]byte, size, size+1)
	}
	b.buf = b.buf[:size]
	rest := b.buf
	switch {
	case !b.begun:
		if err := b.s.skip(first); err != nil {
			return nil, err
		}
	case at%8 != 0:
		b.buf[0], rest = b.last, b.buf[1:]
	}
	b.begun = true
	if err := b.s.read(rest); err != nil {
		return nil, err
	}
	b.last = b.buf[size-1]
	return slideBits(b.buf, int(at%8), n), nil
}

// slideBits returns n bits from bit at on, from bit 0 on. They are a view if they begin at a byte.
func slideBits(b []byte, at, n int) []byte {
	if b == nil || at%8 == 0 {
		return b[min(at/8, len(b)):]
	}
	out := make([]byte, (n+7)/8)
	for i := range n {
		out[i/8] |= b[(at+i)/8] >> ((at + i) % 8) & 1 << (i % 8)
	}
	return out
}

// A validity tells which rows have a value: those that no bitmap has a null for, of the field's own and those of the
// structures around it. Without bitmaps all have.
type validity struct {
	maps []*bits
	both []byte
}

// open opens the bitmaps of fields, of rows rows each, in a record batch. none tells that no row has a value; then nothing
// is open.
func (v *validity) open(f *file, b *batch, rows int64, fields []place) (none bool, err error) {
	v.close()
	for _, p := range fields {
		if nulls := b.Nodes[p.node].Nulls; nulls > 0 && nulls == rows {
			return true, nil
		}
	}
	for _, p := range fields {
		nulls := b.Nodes[p.node].Nulls
		if nulls == 0 {
			continue
		}
		s, err := f.stream(&b.body, b.Buffers[b.buffer(p)])
		if err != nil {
			return false, err
		}
		if s.size == 0 {
			return false, fmt.Errorf("%w: %d nulls are declared and none is told", colstore.ErrFormat, nulls)
		}
		v.maps = append(v.maps, &bits{s: s})
	}
	return false, nil
}

func (v *validity) close() {
	for _, b := range v.maps {
		b.s.close()
	}
	v.maps = nil
}

// all reports whether every row has a value.
func (v *validity) all() bool { return len(v.maps) == 0 }

// take returns the bits of n rows from row at on, as [bits.take] does.
func (v *validity) take(at int64, n int) ([]byte, error) {
	if len(v.maps) == 0 {
		return nil, nil
	}
	first, err := v.maps[0].take(at, n)
	if err != nil || len(v.maps) == 1 {
		return first, err
	}
	v.both = append(v.both[:0], first...)
	for _, b := range v.maps[1:] {
		more, err := b.take(at, n)
		if err != nil {
			return nil, err
		}
		for i := range v.both {
			v.both[i] &= more[i]
		}
	}
	return v.both, nil
}
