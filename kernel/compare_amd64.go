//go:build !purego

package kernel

import "unsafe"

// compareFast compares what it can of n rows from the first on, and returns how many rows that were: all of them, or whole
// words. swapped is the relation for a constant on the left.
func compareFast[T Number](r, swapped relation, dst []uint64, a, b []T, n int) int {
	size := int(unsafe.Sizeof(*new(T)))
	dst = dst[:Words(n)]
	shape := 0
	switch {
	case n == 1:
	case len(b) == 1:
		shape = 1
	case len(a) == 1:
		a, b, r, shape = b, a, swapped, 1
	default:
		b = b[:n]
	}
	a = a[:n]
	number, n := call(operation(r), kindOf[T](), n, size)
	if Active() < LevelAVX512 {
		n &^= 63
	}
	if n == 0 || !compareCall(number, unsafe.SliceData(dst), first(a), first(b), n, shape) {
		return 0
	}
	return n
}
