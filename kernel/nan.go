package kernel

import (
	"math"
	"unsafe"
)

// NaN is NumPy's quiet NaN. That of package math has other bits, by which files would differ.
func NaN() float64 { return math.Float64frombits(0x7ff8 << 48) }

// firstNaN returns the NaN that an operation on x and y gives whose result is one: the first of them that is one, quiet,
// or else that of an x86-64, which has a sign. Other processors have others.
func firstNaN[T Number](x, y, z T) T {
	if x != x {
		return quiet(x)
	}
	if y != y {
		return quiet(y)
	}
	switch kindOf[T]() {
	case kindF4:
		*(*float32)(unsafe.Pointer(&z)) = math.Float32frombits(0x3ff << 22)
	case kindF8:
		*(*float64)(unsafe.Pointer(&z)) = math.Float64frombits(0x1fff << 51)
	}
	return z
}

// quiet sets the bit of a NaN that tells it from a signalling one.
func quiet[T Number](nan T) T {
	switch kindOf[T]() {
	case kindF4:
		p := (*float32)(unsafe.Pointer(&nan))
		*p = math.Float32frombits(math.Float32bits(*p) | 1<<22)
	case kindF8:
		p := (*float64)(unsafe.Pointer(&nan))
		*p = math.Float64frombits(math.Float64bits(*p) | 1<<51)
	}
	return nan
}
