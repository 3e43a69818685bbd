package columnar

import (
	"fmt"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// indices are the rows of a dictionary array.
type indices interface {
	// look sets places to where the values of the rows from begin on are; that of a null is any place.
	//
	// Errors: a *BadValue for a place that the dictionary does not have.
	look(places []int, begin int, valid bitmap) error
}

// newIndices returns the first rows of a dictionary array whose indices are of type t, and whose dictionary has n values.
func newIndices(t *Index, a *Array, rows, n int) (indices, error) {
	raw, err := a.fixed(rows, t.Size)
	if err != nil {
		return nil, err
	}
	switch *t {
	case Index{1, true}:
		return indexed[int8]{as[int8](raw), n}, nil
	case Index{2, true}:
		return indexed[int16]{as[int16](raw), n}, nil
	case Index{4, true}:
		return indexed[int32]{as[int32](raw), n}, nil
	case Index{8, true}:
		return indexed[int64]{as[int64](raw), n}, nil
	case Index{1, false}:
		return indexed[uint8]{raw, n}, nil
	case Index{2, false}:
		return indexed[uint16]{as[uint16](raw), n}, nil
	case Index{4, false}:
		return indexed[uint32]{as[uint32](raw), n}, nil
	case Index{8, false}:
		return indexed[uint64]{as[uint64](raw), n}, nil
	}
	return nil, short("a dictionary whose indices have %d bytes", t.Size)
}

// as shows bytes as the values that they hold in full.
func as[T kernel.Number](raw []byte) []T {
	var v T
	if len(raw) < int(unsafe.Sizeof(v)) {
		return nil // a pointer to a T that is not there must not even be made
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/int(unsafe.Sizeof(v)))
}

// pointsOf shows the bytes of text values as code points.
func pointsOf(raw []byte) []uint32 { return as[uint32](raw) }

// indexed are indices into a dictionary of n values.
type indexed[I kernel.Integer] struct {
	values []I
	n      int
}

func (x indexed[I]) look(places []int, begin int, valid bitmap) error {
	for i, v := range x.values[begin : begin+len(places)] {
		switch {
		case v >= 0 && uint64(v) < uint64(x.n):
			places[i] = int(v)
		case valid.has(begin + i):
			return &BadValue{begin + i, fmt.Errorf("%w: index %d into a dictionary of %d", colstore.ErrFormat, v, x.n)}
		default:
			places[i] = 0
		}
	}
	return nil
}
