package kernel

import "unsafe"

// Select copies a value of a where the bit is set, else the value of b. An operand of one value repeats it.
//
// Shapes: dst holds n values; a and b hold n or one.
// Units: size is bytes.
func Select(dst []byte, cond []uint64, a, b []byte, n, size int) {
	d := unsafe.Pointer(unsafe.SliceData(dst))
	pa, pb := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	stepA, stepB := size, size
	if len(a) == size {
		stepA = 0
	}
	if len(b) == size {
		stepB = 0
	}
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
			src := b[i*stepB:]
			if cond[i/64]>>(i%64)&1 != 0 {
				src = a[i*stepA:]
			}
			copy(dst[i*size:(i+1)*size], src)
		}
	}
}

func selectRows[T uint8 | uint16 | uint32 | uint64](dst unsafe.Pointer, cond []uint64, a, b unsafe.Pointer, n, stepA, stepB int) {
	out := unsafe.Slice((*T)(dst), n)
	for i := range out {
		v := *(*T)(unsafe.Add(b, i*stepB))
		if u := *(*T)(unsafe.Add(a, i*stepA)); cond[i/64]>>(i%64)&1 != 0 {
			v = u
		}
		out[i] = v
	}
}
