package diff

import (
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// A lane is a type in which every value of some dtypes is exact.
type lane uint8

const (
	signed   lane = iota // int64, for bools and all integers but uint64
	unsigned             // uint64
	float                // float64
)

func laneOf(t colstore.DType) lane {
	switch {
	case t.Kind() == colstore.KindFloat:
		return float
	case t.Kind() == colstore.KindUint && t.Size() == 8:
		return unsigned
	}
	return signed
}

// lanes are values of a chunk in their lanes.
type lanes struct {
	i [chunkRows]int64
	u [chunkRows]uint64
	f [chunkRows]float64
}

// numbers compares bools, integers and floats.
func numbers(a, b colstore.DType, tolerance float64) chunk {
	la, lb := laneOf(a), laneOf(b)
	// Integers of less than 64 bits are floats too, exactly; where a difference is tolerated all of them may be.
	if la == float && (b.Size() < 8 || tolerance > 0) {
		lb = float
	}
	if lb == float && (a.Size() < 8 || tolerance > 0) {
		la = float
	}
	var x, y lanes
	return func(differ []uint64, p, q colstore.Column) float64 {
		n := p.Rows()
		switch {
		case la == signed && lb == signed:
			return compareSigned(differ, widen(x.i[:n], p), widen(y.i[:n], q))
		case la == unsigned && lb == unsigned:
			return compareUnsigned(differ, widen(x.u[:n], p), widen(y.u[:n], q))
		case la == signed && lb == unsigned:
			return compareMixed(differ, widen(x.i[:n], p), widen(y.u[:n], q))
		case la == unsigned && lb == signed:
			return compareMixed(differ, widen(y.i[:n], q), widen(x.u[:n], p))
		case la == float && lb == float:
			return compareFloats(differ, floats(x.f[:n], p), floats(y.f[:n], q), tolerance)
		case la == float && lb == signed:
			return compareExactly(differ, floats(x.f[:n], p), widen(y.i[:n], q), -1<<63, 1<<63)
		case la == float:
			return compareExactly(differ, floats(x.f[:n], p), widen(y.u[:n], q), 0, 1<<64)
		case la == signed:
			return compareExactly(differ, floats(y.f[:n], q), widen(x.i[:n], p), -1<<63, 1<<63)
		default:
			return compareExactly(differ, floats(y.f[:n], q), widen(x.u[:n], p), 0, 1<<64)
		}
	}
}

// widen returns bools and integers in their lane.
func widen[T int64 | uint64](dst []T, c colstore.Column) []T {
	switch t := c.Type(); {
	case t.Kind() == colstore.KindBool:
		for i, v := range kernel.In[uint8](c) {
			dst[i] = T(bit(v != 0))
		}
	case t.Kind() == colstore.KindUint:
		switch t.Size() {
		case 1:
			kernel.Convert(dst, kernel.In[uint8](c))
		case 2:
			kernel.Convert(dst, kernel.In[uint16](c))
		case 4:
			kernel.Convert(dst, kernel.In[uint32](c))
		default:
			kernel.Convert(dst, kernel.In[uint64](c))
		}
	default:
		switch t.Size() {
		case 1:
			kernel.Convert(dst, kernel.In[int8](c))
		case 2:
			kernel.Convert(dst, kernel.In[int16](c))
		case 4:
			kernel.Convert(dst, kernel.In[int32](c))
		default:
			kernel.Convert(dst, kernel.In[int64](c))
		}
	}
	return dst
}

// floats returns numbers as floats.
func floats(dst []float64, c colstore.Column) []float64 {
	t := c.Type()
	if t.Kind() != colstore.KindFloat {
		if laneOf(t) == unsigned {
			kernel.Convert(dst, kernel.In[uint64](c))
			return dst
		}
		var wide [chunkRows]int64
		kernel.Convert(dst, widen(wide[:len(dst)], c))
		return dst
	}
	switch t.Size() {
	case 2:
		kernel.FromHalf(dst, kernel.In[uint16](c))
	case 4:
		kernel.Convert(dst, kernel.In[float32](c))
	default:
		copy(dst, kernel.In[float64](c))
	}
	return dst
}

func compareSigned(differ []uint64, a, b []int64) (most float64) {
	largest := uint64(0)
	for i, x := range a {
		y := b[i]
		differ[i/64] |= bit(x != y) << (i % 64)
		largest = max(largest, distance(x, y))
	}
	return float64(largest)
}

// distance returns how far two integers are apart.
func distance(x, y int64) uint64 {
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

func compareUnsigned(differ []uint64, a, b []uint64) (most float64) {
	largest := uint64(0)
	for i, x := range a {
		y := b[i]
		differ[i/64] |= bit(x != y) << (i % 64)
		largest = max(largest, max(x, y)-min(x, y))
	}
	return float64(largest)
}

func compareMixed(differ []uint64, a []int64, b []uint64) (most float64) {
	for i, x := range a {
		y := b[i]
		switch {
		case x < 0:
			most = max(most, float64(y)-float64(x))
		case uint64(x) == y:
			continue
		default:
			most = max(most, float64(max(uint64(x), y)-min(uint64(x), y)))
		}
		differ[i/64] |= 1 << (i % 64)
	}
	return most
}

func compareFloats(differ []uint64, a, b []float64, tolerance float64) (most float64) {
	for i, x := range a {
		y := b[i]
		if x == y || x != x && y != y {
			continue
		}
		d := math.Abs(x - y) // NaN beside a number
		if d > most {
			most = d
		}
		if math.IsInf(d, 0) || !(d <= tolerance*max(1, math.Abs(x), math.Abs(y))) {
			differ[i/64] |= 1 << (i % 64)
		}
	}
	return most
}

// compareExactly compares floats with integers from low up to but not including high, which a float may not hold.
func compareExactly[T int64 | uint64](differ []uint64, a []float64, b []T, low, high float64) (most float64) {
	for i, x := range a {
		y := b[i]
		inside := x >= low && x < high
		if inside && x == math.Trunc(x) {
			whole := T(x)
			if whole == y {
				continue
			}
			most = max(most, float64(max(whole, y)-min(whole, y)))
		} else if d := math.Abs(x - float64(y)); d > most {
			most = d
		}
		differ[i/64] |= 1 << (i % 64)
	}
	return most
}
