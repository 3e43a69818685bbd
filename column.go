package colstore

import (
	"bytes"
	"fmt"
	"iter"
	"reflect"
	"time"
	"unicode/utf8"
	"unsafe"
)

// A Column is a value: where its bytes begin, how many rows it has, how far apart they are, and what they are. It owns
// nothing; the batch it came in does. A stride of 0 is one value repeated. The zero Column has no rows and no dtype.
type Column struct {
	data   unsafe.Pointer
	rows   int
	stride int
	typ    DType
}

// Native is a Go type that a column's values can be read as.
type Native interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// NewColumn returns the first rows values of dtype t in data, which it shows without a copy.
//
// Shapes: len(data) ≥ rows * t.Size().
// Memory: the column dies with data.
// Errors: [ErrType] for an invalid dtype, [ErrMismatch] for too few bytes.
func NewColumn(t DType, rows int, data []byte) (Column, error) {
	if !t.Valid() {
		return Column{}, fmt.Errorf("%w: %s cannot be stored", ErrType, t.Name())
	}
	if rows < 0 || len(data)/t.Size() < rows {
		return Column{}, fmt.Errorf("%w: %d bytes hold no %d rows of %s", ErrMismatch, len(data), rows, t.Name())
	}
	return RawColumn(t, rows, t.Size(), unsafe.Pointer(unsafe.SliceData(data))), nil
}

// RawColumn returns rows values of dtype t, stride bytes apart, the first at data: for kernels and for readers of mapped
// files, which answer for the memory.
//
// Units: stride is bytes; 0 repeats one value, negative walks backwards.
// Memory: every value must lie in memory that outlives the column; alignment does not matter.
func RawColumn(t DType, rows, stride int, data unsafe.Pointer) Column {
	if rows == 0 {
		// A pointer just past an allocation would keep its neighbour alive.
		data = nil
	}
	return Column{data: data, rows: rows, stride: stride, typ: t}
}

// Wrap shows the values of v as a column, without a copy. A defined type counts as its underlying one.
func Wrap[T Native](v []T) Column {
	t := nativeTypes[reflect.TypeFor[T]().Kind()]
	return RawColumn(t, len(v), t.Size(), unsafe.Pointer(unsafe.SliceData(v)))
}

var nativeTypes = map[reflect.Kind]DType{
	reflect.Bool: Bool, reflect.Int8: Int8, reflect.Int16: Int16, reflect.Int32: Int32, reflect.Int64: Int64,
	reflect.Uint8: Uint8, reflect.Uint16: Uint16, reflect.Uint32: Uint32, reflect.Uint64: Uint64,
	reflect.Float32: Float32, reflect.Float64: Float64,
}

// Type returns the dtype.
func (c Column) Type() DType { return c.typ }

// Rows returns the number of values.
func (c Column) Rows() int { return c.rows }

// Stride returns the bytes from one value to the next.
func (c Column) Stride() int { return c.stride }

// Raw returns what the column is made of, for kernels; it dies with the batch.
func (c Column) Raw() (data unsafe.Pointer, rows, stride int) { return c.data, c.rows, c.stride }

// IsDense reports whether the values lie back to back.
func (c Column) IsDense() bool { return c.stride == c.typ.Size() || c.rows <= 1 }

// IsPlain reports whether the values lie back to back in native byte order: what [Values] and most kernels want.
func (c Column) IsPlain() bool { return c.IsDense() && !c.typ.big }

// As returns the same bytes under another dtype of the same size. It panics if the sizes differ.
func (c Column) As(t DType) Column {
	if t.size != c.typ.size {
		panic("colstore: Column.As from " + c.typ.Name() + " to " + t.Name())
	}
	c.typ = t
	return c
}

// Slice returns rows begin, begin+step, … up to but not including end. A negative step walks backwards from begin, and
// then an end of -1 includes row 0. It panics on a step of 0 and on rows the column does not have.
func (c Column) Slice(begin, end, step int) Column {
	n := 0
	switch {
	case step > 0 && end > begin:
		n = (end-begin-1)/step + 1
	case step < 0 && begin > end:
		n = (begin-end-1)/-step + 1
	case step == 0:
		panic("colstore: Column.Slice with step 0")
	}
	if n == 0 {
		return RawColumn(c.typ, 0, c.typ.Size(), nil)
	}
	if last := begin + (n-1)*step; min(begin, last) < 0 || max(begin, last) >= c.rows {
		panic(fmt.Sprintf("colstore: Column.Slice [%d:%d:%d] of %d rows", begin, end, step, c.rows))
	}
	return RawColumn(c.typ, n, c.stride*step, unsafe.Add(c.data, begin*c.stride))
}

// At returns the bytes of value i as they are stored, without a copy. It panics on a row the column does not have.
func (c Column) At(i int) []byte {
	if uint(i) >= uint(c.rows) {
		panic(fmt.Sprintf("colstore: Column.At(%d) of %d rows", i, c.rows))
	}
	return unsafe.Slice((*byte)(unsafe.Add(c.data, i*c.stride)), c.typ.Size())
}

// Bytes returns the stored bytes of a dense column, without a copy; ok is false if the values do not lie back to back.
func (c Column) Bytes() (data []byte, ok bool) {
	if !c.IsDense() {
		return nil, false
	}
	return unsafe.Slice((*byte)(c.data), c.rows*c.typ.Size()), true
}

// Values returns the values as a slice over the column's own memory. It never copies.
//
// T must have the kind and size of the dtype; datetimes and timedeltas are int64 ticks, float16 is uint16 bits, and a
// bool column is also uint8. Values[bool] looks at every byte first, since a Go bool other than 0 and 1 is undefined.
//
// Memory: the slice dies with the batch.
// Errors: [ErrType] for another T; [ErrNotViewable] for foreign byte order, a stride, or a bool that is not 0 or 1.
func Values[T Native](c Column) ([]T, error) {
	k := reflect.TypeFor[T]().Kind()
	if !readsAs(c.typ, k) {
		return nil, fmt.Errorf("%w: %s values are not %s", ErrType, c.typ.Name(), reflect.TypeFor[T]())
	}
	switch {
	case c.typ.big:
		return nil, fmt.Errorf("%w: %s is stored big-endian; take a copy", ErrNotViewable, c.typ)
	case !c.IsDense():
		return nil, fmt.Errorf("%w: the values are %d bytes apart; take a copy", ErrNotViewable, c.stride)
	}
	if k == reflect.Bool {
		for i, b := range unsafe.Slice((*uint8)(c.data), c.rows) {
			if b > 1 {
				return nil, fmt.Errorf("%w: row %d is stored as %d, not 0 or 1; take a copy", ErrNotViewable, i, b)
			}
		}
	}
	return unsafe.Slice((*T)(c.data), c.rows), nil
}

// CopyOf returns the values in a slice of the caller's own, whatever their stride and byte order. A bool byte other
// than 0 is true.
//
// Errors: [ErrType] as in [Values].
func CopyOf[T Native](c Column) ([]T, error) {
	k := reflect.TypeFor[T]().Kind()
	if !readsAs(c.typ, k) {
		return nil, fmt.Errorf("%w: %s values are not %s", ErrType, c.typ.Name(), reflect.TypeFor[T]())
	}
	out := make([]T, c.rows)
	dst := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), c.rows*c.typ.Size())
	c.copyTo(dst)
	if c.typ.kind == KindBool {
		for i, b := range dst {
			if b > 1 {
				dst[i] = 1
			}
		}
	}
	return out, nil
}

func readsAs(t DType, k reflect.Kind) bool {
	n, ok := nativeTypes[k]
	switch {
	case !ok:
		return false
	case t.Native() == n:
		return true
	case t.IsTime():
		return k == reflect.Int64
	default:
		return t.kind == KindFloat && t.size == 2 && k == reflect.Uint16 || t.kind == KindBool && k == reflect.Uint8
	}
}

// copyTo writes the values back to back and little-endian into dst, which has room for all of them. It is the plain
// twin of the kernel that loads columns; this package cannot import it.
func (c Column) copyTo(dst []byte) {
	size := c.typ.Size()
	if src, ok := c.Bytes(); ok && !c.typ.big {
		copy(dst, src)
		return
	}
	for i := range c.rows {
		at := dst[i*size : (i+1)*size]
		copy(at, c.At(i))
		if c.typ.big {
			for word := c.typ.wordSize(); len(at) > 0; at = at[word:] {
				for l, r := 0, word-1; l < r; l, r = l+1, r-1 {
					at[l], at[r] = at[r], at[l]
				}
			}
		}
	}
}

// wordSize is the number of bytes that a change of byte order reverses together.
func (t DType) wordSize() int {
	if t.kind == KindText {
		return 4
	}
	return t.Size()
}

// Copy returns the same values on the Go heap, dense and in native byte order.
func (c Column) Copy() Column {
	dst := make([]byte, c.rows*c.typ.Size())
	c.copyTo(dst)
	return RawColumn(c.typ.Native(), c.rows, c.typ.Size(), unsafe.Pointer(unsafe.SliceData(dst)))
}

// Strings iterates over the values of a bytes or text column without their NUL padding. Bytes are given as they are,
// valid UTF-8 or not; text is UTF-8, and a number that is no code point becomes U+FFFD. Columns of other kinds yield
// nothing.
func (c Column) Strings() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if !c.typ.IsString() {
			return
		}
		var buf []byte
		for i := range c.rows {
			buf = c.AppendString(buf[:0], i)
			if !yield(i, string(buf)) {
				return
			}
		}
	}
}

// AppendString appends value i of a bytes or text column to dst, as [Column.Strings] gives it.
func (c Column) AppendString(dst []byte, i int) []byte {
	raw := c.At(i)
	if c.typ.kind == KindBytes {
		return append(dst, bytes.TrimRight(raw, "\x00")...)
	}
	n := len(raw)
	for n >= 4 && raw[n-1]|raw[n-2]|raw[n-3]|raw[n-4] == 0 {
		n -= 4
	}
	for ; n > 0; n, raw = n-4, raw[4:] {
		r := uint32(raw[0]) | uint32(raw[1])<<8 | uint32(raw[2])<<16 | uint32(raw[3])<<24
		if c.typ.big {
			r = uint32(raw[3]) | uint32(raw[2])<<8 | uint32(raw[1])<<16 | uint32(raw[0])<<24
		}
		if r > utf8.MaxRune {
			r = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, rune(r))
	}
	return dst
}

// Times iterates over the values of a datetime column in UTC. NaT is the zero time, as is a tick that time.Time cannot
// hold; ticks finer than a nanosecond are cut. Columns of other kinds yield nothing.
func (c Column) Times() iter.Seq2[int, time.Time] {
	return func(yield func(int, time.Time) bool) {
		if c.typ.kind != KindDatetime {
			return
		}
		ticks, err := CopyOf[int64](c)
		if err != nil {
			return
		}
		for i, v := range ticks {
			if !yield(i, c.typ.unit.Time(v)) {
				return
			}
		}
	}
}

// Time returns the moment tick ticks of unit u after 1970-01-01T00:00:00 UTC; the zero time for NaT and for moments
// that time.Time cannot hold. Ticks finer than a nanosecond are cut.
func (u Unit) Time(tick int64) time.Time {
	if tick == NaT {
		return time.Time{}
	}
	fine := func(perSecond int64) time.Time {
		s, rest := tick/perSecond, tick%perSecond
		if rest < 0 {
			s, rest = s-1, rest+perSecond
		}
		if perSecond > 1e9 {
			return time.Unix(s, rest/(perSecond/1e9)).UTC()
		}
		return time.Unix(s, rest*(1e9/perSecond)).UTC()
	}
	coarse := func(seconds int64) time.Time {
		const limit = 1 << 55 // past any year that prints
		if s := tick * seconds; s/seconds == tick && s < limit && s > -limit {
			return time.Unix(s, 0).UTC()
		}
		return time.Time{}
	}
	const years = 1 << 30
	switch u {
	case Year:
		if tick < years && tick > -years {
			return time.Date(1970+int(tick), 1, 1, 0, 0, 0, 0, time.UTC)
		}
	case Month:
		if tick < 12*years && tick > -12*years {
			return time.Date(1970, 1+time.Month(tick), 1, 0, 0, 0, 0, time.UTC)
		}
	case Week:
		return coarse(7 * 86400)
	case Day:
		return coarse(86400)
	case Hour:
		return coarse(3600)
	case Minute:
		return coarse(60)
	case Second:
		return coarse(1)
	case Millisecond:
		return fine(1e3)
	case Microsecond:
		return fine(1e6)
	case Nanosecond:
		return fine(1e9)
	case Picosecond:
		return fine(1e12)
	case Femtosecond:
		return fine(1e15)
	case Attosecond:
		return fine(1e18)
	}
	return time.Time{}
}
