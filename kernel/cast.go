package kernel

import (
	"math"
	"unsafe"

	"github.com/colstore/colstore-go/internal/half"
)

// Convert casts integers and floats to any other integer width, and integers and floats to floats: low bits, or the
// nearest float. Floats become integers by [Truncate].
//
// Shapes: as many values in both.
func Convert[D, S Number](dst []D, src []S) {
	to, from := kindOf[D](), kindOf[S]()
	if to < kindF4 && from < kindF4 && unsafe.Sizeof(*new(D)) == unsafe.Sizeof(*new(S)) {
		copy(dst, as[D](src[:len(dst)])) // the same bits
		return
	}
	k := castFast(dst, src, to, from)
	convertGo(dst[k:], src[k:])
}

func convertGo[D, S Number](dst []D, src []S) {
	for i, v := range src[:len(dst)] {
		dst[i] = D(v)
	}
}

// Truncate casts floats to integers toward zero. What does not fit, and NaN, becomes what an x86-64 makes of it, on
// every platform: for int32 and int64 the least value, for narrower types the low bits of the int32, for uint32 the low
// bits of the int64, for uint64 2⁶³.
func Truncate[D Integer, S Float](dst []D, src []S) {
	k := castFast(dst, src, kindOf[D](), kindOf[S]())
	truncateGo(dst[k:], src[k:])
}

func truncateGo[D Integer, S Float](dst []D, src []S) {
	switch any(dst).(type) {
	case []int64:
		for i, v := range src[:len(dst)] {
			dst[i] = D(toInt64(float64(v)))
		}
	case []uint64:
		for i, v := range src[:len(dst)] {
			dst[i] = D(toUint64(float64(v)))
		}
	case []uint32:
		for i, v := range src[:len(dst)] {
			dst[i] = D(toInt64(float64(v)))
		}
	default:
		for i, v := range src[:len(dst)] {
			dst[i] = D(toInt32(float64(v)))
		}
	}
}

func toInt64(v float64) int64 {
	if v >= -0x1p63 && v < 0x1p63 {
		return int64(v)
	}
	return math.MinInt64
}

func toInt32(v float64) int32 {
	if v > -0x1p31-1 && v < 0x1p31 {
		return int32(v)
	}
	return math.MinInt32
}

func toUint64(v float64) uint64 {
	switch {
	case v >= 0x1p63 && v < 0x1p64:
		return uint64(v)
	case v < 0x1p63 && v > -0x1p63:
		return uint64(int64(v))
	default:
		return 1 << 63
	}
}

// FromHalf converts the bits of float16 values to floats, exactly.
func FromHalf[D Float](dst []D, src []uint16) {
	k := castFast(dst, src, kindOf[D](), kindF2)
	dst, src = dst[k:], src[k:]
	for i, v := range src[:len(dst)] {
		dst[i] = D(half.To32(v))
	}
}

// ToHalf rounds floats once to the bits of float16 values.
func ToHalf[S Float](dst []uint16, src []S) {
	k := castFast(dst, src, kindF2, kindOf[S]())
	dst, src = dst[k:], src[k:]
	if s, ok := any(src).([]float32); ok {
		for i, v := range s[:len(dst)] {
			dst[i] = half.From32(v)
		}
		return
	}
	for i, v := range src[:len(dst)] {
		dst[i] = half.From64(float64(v))
	}
}
