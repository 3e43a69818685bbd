package kernel

import "unsafe"

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
