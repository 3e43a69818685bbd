package kernel

import "unsafe"

// Select copies a value of a where the bit is set, else the value of b. An operand of one value repeats it.
//
//	for i := range n {
//		if cond has i {
//			copy(dst[i*size:], a[i*size:(i+1)*size])
//		} else {
//			copy(dst[i*size:], b[i*size:(i+1)*size])
//		}
//	}
//
// Shapes: dst holds n values; a and b hold n or one.
// Units: size is bytes.
func Select(dst []byte, cond []uint64, a, b []byte, n, size int) {
	if n == 0 || size == 0 {
		return
	}
	dst, cond = dst[:n*size], cond[:Words(n)]
	stepA, stepB := size, size
	if len(a) == size {
		stepA = 0
	}
	if len(b) == size {
		stepB = 0
	}
	_, _ = a[:max(size, n*stepA)], b[:max(size, n*stepB)]
	done := selectFast(dst, cond, a, b, n, size, stepA, stepB)
	selectGo(dst[done*size:], cond[done/64:], a[done*stepA:], b[done*stepB:], n-done, size, stepA, stepB)
}

// selectGo is the loop that defines Select; an operand of one value has a step of 0.
func selectGo(dst []byte, cond []uint64, a, b []byte, n, size, stepA, stepB int) {
	d := unsafe.Pointer(unsafe.SliceData(dst))
	pa, pb := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	switch size {
	case 1:
		selectRows[uint8](d, cond, pa, pb, n, stepA, stepB)
	case 2:
		selectRows[uint16](d, cond, pa, pb, n, stepA, stepB)
	case 4:
		selectRows[uint32](d, cond, pa, pb, n, stepA, stepB)
	case 8:
		selectRows[uint64](d, cond, pa, pb, n, stepA, stepB)
	default:
		for i := range n {
			src := unsafe.Add(pb, i*stepB)
			if cond[i/64]>>(i%64)&1 != 0 {
				src = unsafe.Add(pa, i*stepA)
			}
			moveBytes(unsafe.Add(d, i*size), src, size)
		}
	}
}

// selectRows takes the bits of a value from one operand or the other without a branch, which nothing could foretell.
func selectRows[T uint8 | uint16 | uint32 | uint64](dst unsafe.Pointer, cond []uint64, a, b unsafe.Pointer, n, stepA, stepB int) {
	out := unsafe.Slice((*T)(dst), n)
	word := uint64(0)
	for i := range out {
		if i%64 == 0 {
			word = cond[i/64]
		}
		u, v := *(*T)(unsafe.Add(a, i*stepA)), *(*T)(unsafe.Add(b, i*stepB))
		out[i] = v ^ (u^v)&-T(word&1)
		word >>= 1
	}
}
