package arrow

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// indices are the rows of a dictionary array.
type indices interface {
	// look sets places to where the values of the rows from begin on are; that of a null is any place.
	//
	// Errors: a *badValue for a place that the dictionary does not have.
	look(places []int, begin int, valid bitmap) error
}

// newIndices returns the first rows of a dictionary array whose indices are of type t, and whose dictionary has n values.
func newIndices(t arrow.DataType, a arrow.ArrayData, rows, n int) (indices, error) {
	fixed, ok := t.(arrow.FixedWidthDataType)
	if !ok {
		return nil, short("a dictionary whose indices are %s", t)
	}
	raw, err := fixedBytes(a, rows, fixed.Bytes())
	if err != nil {
		return nil, err
	}
	switch t.ID() {
	case arrow.INT8:
		return indexed[int8]{as[int8](raw), n}, nil
	case arrow.INT16:
		return indexed[int16]{as[int16](raw), n}, nil
	case arrow.INT32:
		return indexed[int32]{as[int32](raw), n}, nil
	case arrow.INT64:
		return indexed[int64]{as[int64](raw), n}, nil
	case arrow.UINT8:
		return indexed[uint8]{raw, n}, nil
	case arrow.UINT16:
		return indexed[uint16]{as[uint16](raw), n}, nil
	case arrow.UINT32:
		return indexed[uint32]{as[uint32](raw), n}, nil
	case arrow.UINT64:
		return indexed[uint64]{as[uint64](raw), n}, nil
	}
	return nil, short("a dictionary whose indices are %s", t)
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
			return &badValue{begin + i, fmt.Errorf("%w: index %d into a dictionary of %d", colstore.ErrFormat, v, x.n)}
		default:
			places[i] = 0
		}
	}
	return nil
}
