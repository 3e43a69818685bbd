//go:build !purego

package kernel

import "unsafe"

// streamFast copies what it can of src from its beginning on to a dst that begins with a line, and returns how many bytes
// that were. A fence has to follow.
func streamFast(dst, src []byte) int {
	n := len(src) / 256
	if n == 0 || !has(LevelAVX2) {
		return 0
	}
	streamAVX2(unsafe.SliceData(dst), unsafe.SliceData(src), n)
	return 256 * n
}

const (
	// widestStep is up to how many vectors are looked at for one: of more, most lines have a value or none.
	widestStep4, widestStep8 = 8, 4
	// leastSteps is from how many vectors on they are taken at all.
	leastSteps = 4
)

// stepFast takes values of size bytes that lie step values apart, from the front of src, and returns how many of n.
func stepFast(dst unsafe.Pointer, src lane, n, size int, past bool) int {
	if src.step <= size || src.step%size != 0 || !has(LevelAVX512) {
		return 0
	}
	step := src.step / size
	if !(size == 4 && step <= widestStep4 || size == 8 && step <= widestStep8) {
		return 0
	}
	head := 0
	if past {
		if head = leading((*byte)(dst)); head%size != 0 {
			past, head = false, 0
		}
	}
	head /= size
	vectors := (n - head - 1) / (lineBytes / size) // of which the last lies before the last value
	if vectors < leastSteps {
		return 0
	}
	moveLane(lane{dst, size}, src, head, size, 1)
	to, from := (*byte)(unsafe.Add(dst, head*size)), (*byte)(src.at(head))
	order := lineBytes * (step*(step-1)/2 - 1) // those of smaller steps, from 2 on, have a vector each of theirs
	switch {
	case size == 4 && past:
		step4PastAVX512(to, from, order, step, vectors)
	case size == 4:
		step4AVX512(to, from, order, step, vectors)
	case past:
		step8PastAVX512(to, from, order, step, vectors)
	default:
		step8AVX512(to, from, order, step, vectors)
	}
	if past {
		storeFence()
	}
	return head + vectors*(lineBytes/size)
}
