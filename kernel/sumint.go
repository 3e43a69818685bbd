package kernel

import (
	"math/bits"
	"unsafe"
)

// CountTrue returns how many bytes are not 0.
func CountTrue(v []uint8) int64 {
	n, done := countTrueFast(v)
	for _, b := range v[done:] {
		if b != 0 {
			n++
		}
	}
	return n
}

// SumIntegers returns the sum as a two's complement integer of 128 bits, beyond which it does not go.
func SumIntegers[T Integer](v []T) (high int64, low uint64) {
	high, low, done := sumIntegersFast(v)
	h, l := sumIntegersGo(v[done:])
	return add128(high, low, h, l)
}

// sumIntegersGo is the loop that defines SumIntegers.
func sumIntegersGo[T Integer](v []T) (high int64, low uint64) {
	if unsafe.Sizeof(T(0)) == 8 {
		for _, x := range v {
			high, low = add128(high, low, signOf(x), uint64(x))
		}
		return high, low
	}
	for len(v) > 0 {
		part := v[:min(len(v), 1<<30)] // an int64 holds 2^31 of them
		n := int64(0)
		for _, x := range part {
			n += int64(x)
		}
		high, low = add128(high, low, n>>63, uint64(n))
		v = v[len(part):]
	}
	return high, low
}

// signOf returns the upper word of a value: -1 if it is less than 0.
func signOf[T Integer](x T) int64 {
	if x < 0 {
		return -1
	}
	return 0
}

// add128 adds integers of 128 bits.
func add128(high int64, low uint64, h int64, l uint64) (int64, uint64) {
	low, carry := bits.Add64(low, l, 0)
	return high + h + int64(carry), low
}
