package kernel

import "math"

// Sqrt is the square root of each row, a NaN of numbers below zero. [Floor], [Ceil], [Trunc] and [Rint] likewise.
//
//	for i := range dst {
//		dst[i] = f(a[i])
//	}
//
// Shapes: a holds len(dst) values.
func Sqrt[T Float](dst, a []T) {
	if k := unaryFast(opSqrt, dst, a); k < len(dst) {
		sqrtGo(dst[k:], a[k:])
	}
}

func sqrtGo[T Float](dst, a []T) {
	for i, v := range a[:len(dst)] {
		z := T(math.Sqrt(float64(v)))
		if z != z {
			z = firstNaN(v, v, z)
		}
		dst[i] = z
	}
}

// Floor rounds each row down, as [Sqrt].
func Floor[T Float](dst, a []T) {
	if k := unaryFast(opFloor, dst, a); k < len(dst) {
		floorGo(dst[k:], a[k:])
	}
}

func floorGo[T Float](dst, a []T) {
	for i, v := range a[:len(dst)] {
		z := T(math.Floor(float64(v)))
		if z != z {
			z = firstNaN(v, v, z)
		}
		dst[i] = z
	}
}

// Ceil rounds each row up, as [Sqrt].
func Ceil[T Float](dst, a []T) {
	if k := unaryFast(opCeil, dst, a); k < len(dst) {
		ceilGo(dst[k:], a[k:])
	}
}

func ceilGo[T Float](dst, a []T) {
	for i, v := range a[:len(dst)] {
		z := T(math.Ceil(float64(v)))
		if z != z {
			z = firstNaN(v, v, z)
		}
		dst[i] = z
	}
}

// Trunc rounds each row toward zero, as [Sqrt].
func Trunc[T Float](dst, a []T) {
	if k := unaryFast(opTrunc, dst, a); k < len(dst) {
		truncGo(dst[k:], a[k:])
	}
}

func truncGo[T Float](dst, a []T) {
	for i, v := range a[:len(dst)] {
		z := T(math.Trunc(float64(v)))
		if z != z {
			z = firstNaN(v, v, z)
		}
		dst[i] = z
	}
}

// Rint rounds each row to the nearest whole number, halves to the even one, as [Sqrt].
func Rint[T Float](dst, a []T) {
	if k := unaryFast(opRint, dst, a); k < len(dst) {
		rintGo(dst[k:], a[k:])
	}
}

func rintGo[T Float](dst, a []T) {
	for i, v := range a[:len(dst)] {
		z := T(math.RoundToEven(float64(v)))
		if z != z {
			z = firstNaN(v, v, z)
		}
		dst[i] = z
	}
}

// Abs is each row without its sign; the least integer wraps, and a NaN keeps its other bits.
func Abs[T Signed | Float](dst, a []T) {
	a = a[:len(dst)]
	switch kindOf[T]() {
	case kindF4:
		BitAnd(as[uint32](dst), as[uint32](a), []uint32{1<<31 - 1})
	case kindF8:
		BitAnd(as[uint64](dst), as[uint64](a), []uint64{1<<63 - 1})
	default:
		if k := unaryFast(opAbs, dst, a); k < len(dst) {
			absGo(dst[k:], a[k:])
		}
	}
}

func absGo[T Number](dst, a []T) {
	for i, v := range a {
		if v < 0 {
			v = -v
		}
		dst[i] = v
	}
}

// Square multiplies each value by itself.
func Square[T Number](dst, a []T) { Mul(dst, a[:len(dst)], a[:len(dst)]) }

// Reciprocal divides 1 by each value.
func Reciprocal[T Float](dst, a []T) { Div(dst, []T{1}, a[:len(dst)]) }
