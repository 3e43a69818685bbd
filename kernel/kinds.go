package kernel

import (
	"math"
	"unsafe"
)

// A kind is an element type, for the loops of the processor.
type kind uint8

const (
	kindI1 kind = iota
	kindI2
	kindI4
	kindI8
	kindU1
	kindU2
	kindU4
	kindU8
	kindF4
	kindF8
	kindF2 // as bits in uint16
)

// kindOf returns the kind of a type; the compiler makes a constant of it.
func kindOf[T Number]() kind {
	half, less := T(1)/2, T(0)
	less--
	var of kind
	switch unsafe.Sizeof(half) {
	case 2:
		of = kindI2
	case 4:
		of = kindI4
	case 8:
		of = kindI8
	}
	switch {
	case half != 0:
		return of + kindF4 - kindI4
	case less > 0:
		return of + kindU1 - kindI1
	}
	return of
}

// as views values as those of another type of the same size.
func as[D, S Number](v []S) []D {
	return unsafe.Slice((*D)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

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
