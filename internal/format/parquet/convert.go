package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// A badValue is a value that the dtype cannot hold, by its place among those that were converted at once.
type badValue struct {
	at  int
	err error
}

func (b *badValue) Error() string { return b.err.Error() }
func (b *badValue) Unwrap() error { return b.err }

// view returns the bytes as values of T. They need not be aligned.
func view[T kernel.Number](b []byte) []T {
	var t colstore.DType // of the size of T, which is all that matters here
	switch any(T(0)).(type) {
	case int8, uint8:
		t = colstore.Uint8
	case int16, uint16:
		t = colstore.Uint16
	case int32, uint32, float32:
		t = colstore.Uint32
	default:
		t = colstore.Uint64
	}
	c, err := colstore.NewColumn(t, len(b)/t.Size(), b)
	if err != nil {
		panic(err) // the number of rows is that of the bytes
	}
	return kernel.Out[T](c)
}

// convert turns n physical values of fixed width, back to back, into values of the column's dtype.
//
// Shapes: len(src) = n × the physical width, len(dst) = n × the dtype's size.
// Errors: a *badValue.
func (c *column) convert(dst, src []byte) error {
	switch c.form {
	case formInt8:
		return narrow(view[int8](dst), view[int32](src), c.typ)
	case formUint8:
		return narrow(view[uint8](dst), view[int32](src), c.typ)
	case formInt16:
		return narrow(view[int16](dst), view[int32](src), c.typ)
	case formUint16:
		return narrow(view[uint16](dst), view[int32](src), c.typ)
	case formDate:
		kernel.Convert(view[int64](dst), view[int32](src))
	case formSeconds:
		return seconds(view[int64](dst), view[int64](src))
	case formNanos:
		return int96(view[int64](dst), src, nanosOfDay, 1)
	case formMicros:
		return int96(view[int64](dst), src, nanosOfDay/1000, 1000)
	default:
		copy(dst, src)
	}
	return nil
}

// narrow keeps the low bits of every value. Small integers are stored in 32 bits, which may hold more.
func narrow[T int8 | uint8 | int16 | uint16](dst []T, src []int32, t colstore.DType) error {
	var lost int32
	for i, v := range src {
		dst[i] = T(v)
		lost |= int32(T(v)) ^ v
	}
	if lost == 0 {
		return nil
	}
	for i, v := range src {
		if int32(T(v)) != v {
			return &badValue{i, fmt.Errorf("%w: %d does not fit %s, which the column declares", colstore.ErrValue, v, t.Name())}
		}
	}
	return nil
}

// seconds divides milliseconds by 1000.
func seconds(dst, src []int64) error {
	for i, v := range src {
		s := v / 1000
		switch {
		case s*1000 == v:
		case v == colstore.NaT:
			s = v
		default:
			return &badValue{i, fmt.Errorf("%w: %d milliseconds are no whole seconds, in a column of %s",
				colstore.ErrValue, v, colstore.DatetimeOf(colstore.Second).Name())}
		}
		dst[i] = s
	}
	return nil
}

const (
	nanosOfDay = 86400 * 1e9
	// unixDay is the Julian day of 1970-01-01.
	unixDay = 2440588
)

// int96 turns a time of day in nanoseconds and a Julian day into ticks of nanos nanoseconds, perDay a day.
func int96(dst []int64, src []byte, perDay, nanos int64) error {
	for i := range dst {
		v := src[12*i : 12*i+12]
		ofDay := int64(binary.LittleEndian.Uint64(v))
		days := int64(int32(binary.LittleEndian.Uint32(v[8:]))) - unixDay
		ticks := ofDay / nanos
		if ticks*nanos != ofDay {
			return &badValue{i, fmt.Errorf("%w: an INT96 timestamp has nanoseconds, and others of the column are beyond the years 1677 to 2262, where %s ends",
				colstore.ErrValue, colstore.DatetimeOf(colstore.Nanosecond).Name())}
		}
		if days > math.MaxInt64/perDay || days < math.MinInt64/perDay || overflows(days*perDay, ticks) || days*perDay+ticks == colstore.NaT {
			return &badValue{i, fmt.Errorf("%w: an INT96 timestamp is beyond what the dtype holds (day %d since 1970)", colstore.ErrValue, days)}
		}
		dst[i] = days*perDay + ticks
	}
	return nil
}

func overflows(a, b int64) bool {
	sum := a + b
	return (a > 0) == (b > 0) && (sum > 0) != (a > 0) && b != 0 && a != 0
}

// spread moves the first values of dst, as many as mask has bits among its first n, to the rows of those bits, and puts
// fill in the others.
//
//	for i := n - 1; i >= 0; i-- {
//		if bit i: dst[i] = dst[--m], else dst[i] = fill
//	}
//
// Shapes: len(dst) ≥ n × len(fill).
func spread(dst []byte, mask []uint64, n, m int, fill []byte) {
	switch len(fill) {
	case 1:
		spreadWords(view[uint8](dst), mask, n, m, fill[0])
	case 2:
		spreadWords(view[uint16](dst), mask, n, m, binary.LittleEndian.Uint16(fill))
	case 4:
		spreadWords(view[uint32](dst), mask, n, m, binary.LittleEndian.Uint32(fill))
	case 8:
		spreadWords(view[uint64](dst), mask, n, m, binary.LittleEndian.Uint64(fill))
	default:
		size := len(fill)
		for i := n - 1; i >= 0; i-- {
			if mask[i/64]>>(i%64)&1 == 1 {
				m--
				copy(dst[i*size:(i+1)*size], dst[m*size:(m+1)*size])
			} else {
				copy(dst[i*size:(i+1)*size], fill)
			}
		}
	}
}

func spreadWords[T uint8 | uint16 | uint32 | uint64](dst []T, mask []uint64, n, m int, fill T) {
	for i := n - 1; i >= 0; i-- {
		if mask[i/64]>>(i%64)&1 == 1 {
			m--
			dst[i] = dst[m]
		} else {
			dst[i] = fill
		}
	}
}

// repeat fills dst with copies of one value.
//
// Shapes: len(dst) is a multiple of len(value).
func repeat(dst, value []byte) {
	for n := copy(dst, value); n > 0 && n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
