package cstore

import (
	"encoding/binary"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/spool"
	"github.com/colstore/colstore-go/kernel"
)

// A cell is the bounds of some values of one column, kept as native bytes. The same values give the same cell in whatever
// parts and order they come.
type cell struct {
	lo, hi  [8]byte
	rows    int64 // without any there are no bounds yet
	invalid bool  // a NaN, an infinity or a NaT was seen
}

// add widens the bounds by the values of a column that is no text.
func (c *cell) add(values colstore.Column) {
	if values.IsPlain() {
		c.addPlain(values)
		return
	}
	// The error is that of the function.
	_ = spool.Pieces(values, func(_ int, piece colstore.Column) error {
		c.addPlain(piece)
		return nil
	})
}

func (c *cell) addPlain(values colstore.Column) {
	if values.Rows() == 0 {
		return
	}
	one := cell{rows: int64(values.Rows())}
	one.fold(values.Type(), values)
	c.merge(values.Type(), &one)
}

// merge widens the bounds by those of other values of dtype t.
func (c *cell) merge(t colstore.DType, o *cell) {
	switch {
	case o.rows == 0:
		return
	case c.rows == 0:
		*c = *o
		return
	}
	c.rows += o.rows
	if c.invalid = c.invalid || o.invalid; c.invalid {
		c.lo, c.hi = [8]byte{}, [8]byte{}
		return
	}
	if less(t, &o.lo, &c.lo) {
		c.lo = o.lo
	}
	if less(t, &c.hi, &o.hi) {
		c.hi = o.hi
	}
}

// less compares two finite values of dtype t; of the zeros of a float, -0 is the lesser one.
func less(t colstore.DType, a, b *[8]byte) bool {
	x, y := binary.LittleEndian.Uint64(a[:]), binary.LittleEndian.Uint64(b[:])
	switch t.Kind() {
	case colstore.KindBool, colstore.KindUint:
		return x < y
	case colstore.KindFloat:
		switch t.Size() {
		case 2:
			return rank[int16](uint16(x)) < rank[int16](uint16(y))
		case 4:
			return rank[int32](uint32(x)) < rank[int32](uint32(y))
		}
		return rank[int64](x) < rank[int64](y)
	}
	shift := 64 - 8*t.Size()
	return int64(x<<shift) < int64(y<<shift)
}

// fold sets the bounds to those of plain values, of which there are some.
func (c *cell) fold(t colstore.DType, v colstore.Column) {
	switch t.Kind() {
	case colstore.KindBool:
		lo, hi := kernel.MinMax(kernel.In[uint8](v)) // any byte but 0 is true
		c.set(uint64(min(lo, 1)), uint64(min(hi, 1)))
	case colstore.KindInt:
		switch t.Size() {
		case 1:
			setMinMax[int8](c, v)
		case 2:
			setMinMax[int16](c, v)
		case 4:
			setMinMax[int32](c, v)
		default:
			setMinMax[int64](c, v)
		}
	case colstore.KindUint:
		switch t.Size() {
		case 1:
			setMinMax[uint8](c, v)
		case 2:
			setMinMax[uint16](c, v)
		case 4:
			setMinMax[uint32](c, v)
		default:
			setMinMax[uint64](c, v)
		}
	case colstore.KindFloat:
		switch t.Size() {
		case 2:
			setFloats[int16](c, kernel.In[uint16](v), 0x7c00)
		case 4:
			setFloats[int32](c, kernel.In[uint32](v), math.Float32bits(float32(math.Inf(1))))
		default:
			setFloats[int64](c, kernel.In[uint64](v), math.Float64bits(math.Inf(1)))
		}
	case colstore.KindDatetime, colstore.KindTimedelta:
		lo, hi := kernel.MinMax(kernel.In[int64](v))
		if c.invalid = lo == colstore.NaT; !c.invalid {
			c.set(uint64(lo), uint64(hi))
		}
	}
}

func setMinMax[T kernel.Integer](c *cell, v colstore.Column) {
	lo, hi := kernel.MinMax(kernel.In[T](v))
	c.set(uint64(lo), uint64(hi))
}

// rank orders floats of any sign by their bits: -NaN, -Inf, …, -0, 0, …, Inf, NaN. It is its own inverse.
func rank[S int16 | int32 | int64, U uint16 | uint32 | uint64](bits U) S {
	if S(bits) < 0 {
		return S(bits ^ ^U(0)>>1)
	}
	return S(bits)
}

// setFloats sets the bounds of floats given as bits, in one pass: what is no finite number ranks outside of all that are.
func setFloats[S int16 | int32 | int64, U uint16 | uint32 | uint64](c *cell, v []U, inf U) {
	lo := rank[S](v[0])
	hi := lo
	for _, bits := range v[1:] {
		r := rank[S](bits)
		lo, hi = min(lo, r), max(hi, r)
	}
	least := rank[S](inf ^ ^(^U(0) >> 1)) // -Inf
	if c.invalid = lo <= least || hi >= S(inf); !c.invalid {
		c.set(uint64(U(rank[S](U(lo)))), uint64(U(rank[S](U(hi)))))
	}
}

func (c *cell) set(lo, hi uint64) {
	binary.LittleEndian.PutUint64(c.lo[:], lo)
	binary.LittleEndian.PutUint64(c.hi[:], hi)
}
