package columnar

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// Encoded are the buffers of a column.
type Encoded struct {
	// Buffers are those of an [Array]; the bitmap is nil if no row is null.
	Buffers [][]byte
	Nulls   int
	// Shared tells that the last buffer is the memory of the column itself.
	Shared bool
}

// Encode returns a column, in either byte order, as the buffers of the type that [TypeOf] gives for it. A NaT becomes a
// null.
//
// Errors: a *BadValue.
func Encode(c colstore.Column) (Encoded, error) {
	var e Encoded
	var valid []byte
	if c.Type().IsTime() {
		valid, e.Nulls = validity(kernel.In[int64](plain(c)))
	}
	switch {
	case c.IsPlain() && IsShared(c.Type()):
		data, _ := c.Bytes()
		e.Buffers, e.Shared = [][]byte{valid, data}, true
	case c.Type().Kind() == colstore.KindBool:
		e.Buffers = [][]byte{valid, packBools(plain(c))}
	case c.Type().Native() == colstore.DatetimeOf(colstore.Day):
		days, err := dates(kernel.In[int64](plain(c)))
		if err != nil {
			return Encoded{}, err
		}
		e.Buffers = [][]byte{valid, bytesOf(days)}
	case c.Type().Kind() == colstore.KindText:
		t := Texts{offsets: make([]int32, 1, c.Rows()+1)}
		if err := t.Append(c); err != nil {
			return Encoded{}, err
		}
		e.Buffers = [][]byte{valid, t.Offsets(), t.data}
	default:
		data, _ := plain(c).Bytes()
		e.Buffers = [][]byte{valid, data}
	}
	return e, nil
}

// IsShared reports whether Arrow has a type of the same bytes as a dtype in native byte order: fixed-width numbers, times in
// s to ns, S.
func IsShared(t colstore.DType) bool {
	return t.Kind() != colstore.KindBool && t.Kind() != colstore.KindText && t != colstore.DatetimeOf(colstore.Day)
}

// plain returns c, or a copy of it that lies back to back in native byte order.
func plain(c colstore.Column) colstore.Column {
	if c.IsPlain() {
		return c
	}
	return c.Copy()
}

// validity returns a bitmap of the ticks that are not NaT, nil if all are not, and the number of NaT.
func validity(ticks []int64) ([]byte, int) {
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
	return bits, nulls
}

// packBools returns the column as bits.
func packBools(c colstore.Column) []byte {
	values := kernel.In[uint8](c)
	bits := make([]byte, (len(values)+7)/8)
	whole := len(values) / 8 * 8
	for i := 0; i < whole; i += 8 {
		// The highest bit of each byte that is not 0; then these bits side by side.
		const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
		v := binary.LittleEndian.Uint64(values[i:])
		v = (v&low + low | v) & high
		bits[i/8] = byte(v >> 7 * 0x0102040810204080 >> 56)
	}
	for i, v := range values[whole:] {
		if v != 0 {
			bits[whole/8] |= 1 << i
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
			return nil, &BadValue{i, fmt.Errorf("%w: day %d is beyond the 32 bits of Arrow's date32; cast the column to datetime in s first", colstore.ErrValue, d)}
		default:
			out[i] = int32(d)
		}
	}
	return out, nil
}

// bytesOf shows 32-bit values as their bytes.
func bytesOf(values []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}
