package columnar

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// spans are values of any length.
type spans interface {
	// longest returns the characters of the longest of some values, at least known. valid says which of the rows from
	// begin on have a value.
	//
	// Errors: a *BadValue.
	longest(known int, isText bool, places []int, valid bitmap, begin int) (int, error)
	// put writes values as ones of dtype t, one behind the other; rows without a value are left as they are.
	//
	// Shapes: len(dst) = len(places) × t.Size().
	// Errors: a *BadValue.
	put(dst []byte, t colstore.DType, places []int, valid bitmap, begin int) error
}

// A finder finds value i; ok is false if the buffers do not hold what they say.
type finder interface {
	at(i int) (s []byte, ok bool)
}

func longest[F finder](f F, known int, isText bool, places []int, valid bitmap, begin int) (int, error) {
	for i, p := range places {
		if !valid.has(begin + i) {
			continue
		}
		s, ok := f.at(p)
		if !ok {
			return 0, outside(begin + i)
		}
		if n := len(s); n > known {
			if isText {
				n = utf8.RuneCount(s)
			}
			known = max(known, n)
		}
	}
	return known, nil
}

func put[F finder](f F, dst []byte, t colstore.DType, places []int, valid bitmap, begin int) error {
	size, isText := t.Size(), t.Kind() == colstore.KindText
	for i, p := range places {
		if !valid.has(begin + i) {
			continue
		}
		s, ok := f.at(p)
		if !ok {
			return outside(begin + i)
		}
		at := dst[i*size : (i+1)*size]
		if isText {
			if err := text.PutUTF8(pointsOf(at), s); err != nil {
				return &BadValue{begin + i, err}
			}
			continue
		}
		if len(s) > size {
			return &BadValue{begin + i, fmt.Errorf("%w: %d bytes do not fit %s", colstore.ErrValue, len(s), t.Name())}
		}
		clear(at[copy(at, s):])
	}
	return nil
}

func outside(row int) error {
	return &BadValue{row, fmt.Errorf("%w: the value lies outside its buffer", colstore.ErrFormat)}
}

// offsets are values that lie one behind the other.
type offsets[O int32 | int64] struct {
	begins []O // where each value begins, and the last one ends
	data   []byte
}

func newOffsets[O int32 | int64](a *Array, n int) (offsets[O], error) {
	begins, at := as[O](a.buffer(1)), a.Offset
	if len(begins) < at+n+1 {
		return offsets[O]{}, short("%d offsets for %d values", len(begins), at+n)
	}
	return offsets[O]{begins[at : at+n+1], a.buffer(2)}, nil
}

func (o offsets[O]) at(i int) ([]byte, bool) {
	begin, end := o.begins[i], o.begins[i+1]
	if begin < 0 || end < begin || int64(end) > int64(len(o.data)) {
		return nil, false
	}
	return o.data[begin:end], true
}

func (o offsets[O]) longest(known int, isText bool, places []int, valid bitmap, begin int) (int, error) {
	return longest(o, known, isText, places, valid, begin)
}

func (o offsets[O]) put(dst []byte, t colstore.DType, places []int, valid bitmap, begin int) error {
	return put(o, dst, t, places, valid, begin)
}

// views are values of 16 bytes each: a length, then the value itself if that is at most 12, else its first four bytes,
// the number of a buffer and the place in it.
type views struct {
	headers []byte
	buffers [][]byte
}

// The bytes of a view, and of a value that lies in it.
const (
	ViewBytes  = 16
	viewInline = 12
)

func newViews(a *Array, n int) (views, error) {
	headers, err := a.fixed(n, ViewBytes)
	v := views{headers: headers}
	if len(a.Buffers) > 2 {
		v.buffers = a.Buffers[2:]
	}
	return v, err
}

func (v views) at(i int) ([]byte, bool) {
	h := v.headers[i*ViewBytes : (i+1)*ViewBytes]
	n := int64(int32(binary.LittleEndian.Uint32(h)))
	if n >= 0 && n <= viewInline {
		return h[4 : 4+n], true
	}
	which, begin := binary.LittleEndian.Uint32(h[8:]), int64(int32(binary.LittleEndian.Uint32(h[12:])))
	if n < 0 || begin < 0 || int64(which) >= int64(len(v.buffers)) || begin+n > int64(len(v.buffers[which])) {
		return nil, false
	}
	return v.buffers[which][begin : begin+n], true
}

func (v views) longest(known int, isText bool, places []int, valid bitmap, begin int) (int, error) {
	return longest(v, known, isText, places, valid, begin)
}

func (v views) put(dst []byte, t colstore.DType, places []int, valid bitmap, begin int) error {
	return put(v, dst, t, places, valid, begin)
}
