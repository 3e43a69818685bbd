//go:build !purego

package kernel

import "unsafe"

// fusedFast computes what it can of dst from its beginning on, and returns how many rows that were.
func fusedFast[T Float](p pair, dst, a, b, c []T) int {
	size, rows, shape := int(unsafe.Sizeof(*new(T))), len(dst), 0
	for i, v := range [3][]T{a, b, c} {
		if len(v) == 1 {
			shape |= 1 << i
		} else {
			_ = v[:rows]
		}
	}
	number, n := call(operation(p), kindOf[T](), rows, size)
	if n == 0 || rows == 1 || shape&3 == 3 || shape == 7 || !fusedCall(number, first(dst), first(a), first(b), first(c), n*size, shape) {
		return 0
	}
	return n
}

// squaresFast is [fusedFast] for the sum of squares.
func squaresFast[T Float](dst, a, b []T, root bool) int {
	size := int(unsafe.Sizeof(*new(T)))
	a, b = a[:len(dst)], b[:len(dst)]
	number, n := call(0, kindOf[T](), len(dst), size)
	roots := 0
	if root {
		roots = 1
	}
	if n == 0 || !squaresCall(number, first(dst), first(a), first(b), n*size, roots) {
		return 0
	}
	return n
}
