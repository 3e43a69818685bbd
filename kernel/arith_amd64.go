//go:build !purego

package kernel

import "unsafe"

// binaryFast computes what it can of dst from its beginning on, and returns how many rows that were.
func binaryFast[T Number](op operation, dst, a, b []T) int {
	n, size := len(dst), int(unsafe.Sizeof(*new(T)))
	shape := 0
	switch {
	case len(b) == 1:
		a, shape = a[:n], 1
	case len(a) == 1:
		b, shape = b[:n], 2
	default:
		a, b = a[:n], b[:n]
	}
	number, n := call(op, kindOf[T](), n, size)
	if n == 0 || !binaryCall(number, first(dst), first(a), first(b), n*size, shape) {
		return 0
	}
	return n
}

// unaryFast is [binaryFast] for one operand.
func unaryFast[T Number](op operation, dst, a []T) int {
	size := int(unsafe.Sizeof(*new(T)))
	a = a[:len(dst)]
	number, n := call(op, kindOf[T](), len(dst), size)
	if n == 0 || !unaryCall(number, first(dst), first(a), n*size) {
		return 0
	}
	return n
}

// bitwiseFast is [binaryFast] for operations on bits, whose kernels know words of 8 bytes only: a constant is repeated
// up to that.
func bitwiseFast[T Integer](op operation, dst, a, b []T) int {
	n, size := len(dst), int(unsafe.Sizeof(*new(T)))
	shape := 0
	var word uint64
	switch {
	case len(b) == 1:
		a, shape, word = a[:n], 1, filled(b[0])
	case len(a) == 1: // the same the other way round
		a, shape, word = b[:n], 1, filled(a[0])
	default:
		a, b = a[:n], b[:n]
	}
	p := first(b)
	if shape != 0 {
		p = (*byte)(unsafe.Pointer(&word))
	}
	number, n := call(op, 0, n, size)
	if n == 0 || !binaryCall(number, first(dst), first(a), p, n*size, shape) {
		return 0
	}
	return n
}

// filled fills a word with copies of a value.
func filled[T Integer](v T) uint64 {
	switch unsafe.Sizeof(v) {
	case 1:
		return uint64(uint8(v)) * 0x0101010101010101
	case 2:
		return uint64(uint16(v)) * 0x0001000100010001
	case 4:
		return uint64(uint32(v)) * 0x0000000100000001
	default:
		return uint64(v)
	}
}

// call returns the number of the kernel for n rows, and how many of them it does: of AVX2 whole vectors.
func call(op operation, k kind, n, size int) (number, rows int) {
	switch l := Active(); {
	case l >= LevelAVX512:
		return int(op)<<5 | int(k)<<1 | 1, n
	case l == LevelAVX2:
		return int(op)<<5 | int(k)<<1, n &^ (32/size - 1)
	default:
		return 0, 0
	}
}

// first returns the address of a slice's values.
func first[T Number](v []T) *byte { return (*byte)(unsafe.Pointer(unsafe.SliceData(v))) }
