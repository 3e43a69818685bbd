package kernel

import "unsafe"

// moveBytes copies a value of a width that no instruction has: by pieces that may overlap, which costs less than a call of
// the general copy.
//
// Memory: the values must not overlap.
func moveBytes(dst, src unsafe.Pointer, size int) {
	switch {
	case size > 64:
		copy(unsafe.Slice((*byte)(dst), size), unsafe.Slice((*byte)(src), size))
	case size >= 16:
		for i := 0; i < size-16; i += 16 {
			moveAt[[2]uint64](dst, src, i)
		}
		moveAt[[2]uint64](dst, src, size-16)
	case size >= 8:
		moveAt[uint64](dst, src, 0)
		moveAt[uint64](dst, src, size-8)
	case size >= 4:
		moveAt[uint32](dst, src, 0)
		moveAt[uint32](dst, src, size-4)
	case size >= 2:
		moveAt[uint16](dst, src, 0)
		moveAt[uint16](dst, src, size-2)
	case size == 1:
		moveAt[uint8](dst, src, 0)
	}
}

func moveAt[T any](dst, src unsafe.Pointer, i int) {
	*(*T)(unsafe.Add(dst, i)) = *(*T)(unsafe.Add(src, i))
}
