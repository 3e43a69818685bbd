package colstore

import (
	"encoding/binary"
	"unsafe"
)

// A Scalar is one typed value: a typed parameter of an expression, a fill value, a bound. It is comparable; the zero
// Scalar is none.
type Scalar struct {
	typ DType
	raw string // typ.Size() bytes, little-endian
}

// NewScalar returns the value of dtype t whose native bytes are raw; shorter bytes and text are padded with NULs.
//
// Errors: [ErrType], [ErrMismatch] when raw has too many or, for other kinds, too few bytes.
func NewScalar(t DType, raw []byte) (Scalar, error) {
	t = t.Native()
	buf := make([]byte, max(t.Size(), len(raw)))
	copy(buf, raw)
	if !t.IsString() {
		buf = buf[:len(raw)]
	}
	if _, err := NewColumn(t, 1, buf); err != nil {
		return Scalar{}, err
	}
	return Scalar{t, string(buf[:t.Size()])}, nil
}

// ScalarOf returns v with the dtype of its Go type.
func ScalarOf[T Native](v T) Scalar {
	c := Wrap([]T{v})
	return Scalar{c.typ, string(c.At(0))}
}

// BytesScalar returns b as a bytes value of its own width, at least 1.
func BytesScalar(b []byte) Scalar {
	if len(b) == 0 {
		b = []byte{0}
	}
	return Scalar{BytesOf(len(b)), string(b)}
}

// TextScalar returns s as a text value of its own width, at least 1.
func TextScalar(s string) Scalar {
	raw := AppendText(nil, s)
	if len(raw) == 0 {
		raw = make([]byte, 4)
	}
	return Scalar{TextOf(len(raw) / 4), string(raw)}
}

// AppendText appends the code points of s to dst as a text column stores them: four bytes each, little-endian.
func AppendText(dst []byte, s string) []byte {
	for _, r := range s {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(r))
	}
	return dst
}

// TimeScalar returns a datetime or timedelta of tick ticks.
func TimeScalar(t DType, tick int64) Scalar {
	return Scalar{t.Native(), string(binary.LittleEndian.AppendUint64(nil, uint64(tick)))}
}

// Type returns the dtype.
func (s Scalar) Type() DType { return s.typ }

// Valid reports whether there is a value.
func (s Scalar) Valid() bool { return s.typ.Valid() }

// Column returns the value repeated rows times, in a column of stride 0.
func (s Scalar) Column(rows int) Column {
	return RawColumn(s.typ, rows, 0, unsafe.Pointer(unsafe.StringData(s.raw)))
}

// Cell returns the value as a column of one row.
func (s Scalar) Cell() Column {
	return RawColumn(s.typ, 1, s.typ.Size(), unsafe.Pointer(unsafe.StringData(s.raw)))
}

// ScalarAt returns value i of c. It panics on a row there is not.
func ScalarAt(c Column, i int) Scalar {
	one := c.Slice(i, i+1, 1).Copy()
	return Scalar{one.typ, string(one.At(0))}
}
