package kernel

import (
	"math/bits"
	"unsafe"
)

// A lane is values of one width that lie a step apart.
type lane struct {
	data unsafe.Pointer
	step int
}

func (l lane) at(i int) unsafe.Pointer { return unsafe.Add(l.data, i*l.step) }

func (l lane) from(i int) lane { return lane{l.at(i), l.step} }

// moveLane copies n values of size bytes from one lane to another. The bytes of each word are reversed, unless word is 1.
//
// Memory: the lanes must not overlap.
// Source: docs/decisions/0022-kernels.md; assembly with requests ahead of time was no faster.
func moveLane(dst, src lane, n, size, word int) {
	switch {
	case dst.step == size && src.step == size:
		to, from := unsafe.Slice((*byte)(dst.data), n*size), unsafe.Slice((*byte)(src.data), n*size)
		if word > 1 {
			swapTo(to, from, word)
		} else {
			copy(to, from)
		}
		return
	case word > 1 && word == size:
		swapLane(dst, src, n, word)
		return
	case size == 1:
		moveLaneAs[uint8](dst, src, n)
	case size == 2:
		moveLaneAs[uint16](dst, src, n)
	case size == 4:
		moveLaneAs[uint32](dst, src, n)
	case size == 8:
		moveLaneAs[uint64](dst, src, n)
	case size == 16:
		moveLaneAs[[2]uint64](dst, src, n)
	case size < 4:
		movePairs[uint16](dst, src, n, size)
	case size < 8:
		movePairs[uint32](dst, src, n, size)
	case size < 16:
		movePairs[uint64](dst, src, n, size)
	case size <= 32:
		movePairs[[2]uint64](dst, src, n, size)
	default:
		for i := range n {
			moveBytes(dst.at(i), src.at(i), size)
		}
	}
	if word > 1 {
		for i := range n {
			Swap(unsafe.Slice((*byte)(dst.at(i)), size), word)
		}
	}
}

// moveLaneAs copies four values a round.
func moveLaneAs[T uint8 | uint16 | uint32 | uint64 | [2]uint64](dst, src lane, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		d, s := dst.at(i), src.at(i)
		v0, v1 := *(*T)(s), *(*T)(unsafe.Add(s, src.step))
		v2, v3 := *(*T)(unsafe.Add(s, 2*src.step)), *(*T)(unsafe.Add(s, 3*src.step))
		*(*T)(d), *(*T)(unsafe.Add(d, dst.step)) = v0, v1
		*(*T)(unsafe.Add(d, 2*dst.step)), *(*T)(unsafe.Add(d, 3*dst.step)) = v2, v3
	}
	for ; i < n; i++ {
		*(*T)(dst.at(i)) = *(*T)(src.at(i))
	}
}

// movePairs copies values that two pieces make, which may overlap.
func movePairs[T uint16 | uint32 | uint64 | [2]uint64](dst, src lane, n, size int) {
	last := size - int(unsafe.Sizeof(*new(T)))
	for i := range n {
		d, s := dst.at(i), src.at(i)
		first, second := *(*T)(s), *(*T)(unsafe.Add(s, last))
		*(*T)(d), *(*T)(unsafe.Add(d, last)) = first, second
	}
}

// swapLane is moveLane for values that are one word each.
func swapLane(dst, src lane, n, word int) {
	switch word {
	case 2:
		for i := range n {
			*(*uint16)(dst.at(i)) = bits.ReverseBytes16(*(*uint16)(src.at(i)))
		}
	case 4:
		for i := range n {
			*(*uint32)(dst.at(i)) = bits.ReverseBytes32(*(*uint32)(src.at(i)))
		}
	case 8:
		for i := range n {
			*(*uint64)(dst.at(i)) = bits.ReverseBytes64(*(*uint64)(src.at(i)))
		}
	}
}
