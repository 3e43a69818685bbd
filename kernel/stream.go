package kernel

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Stream copies src to dst past the caches, where that can be: what is stored so is not read from memory first, and does
// not push out what the caches hold, but whoever reads it soon finds it in memory.
//
//	copy(dst, src)
//
// Shapes: len(dst) = len(src).
// Memory: dst must not overlap src.
// Source: docs/decisions/0022-kernels.md; the processor's own copy does the same from some length on, which a stretch of a
// record does not reach.
func Stream(dst, src []byte) {
	dst = dst[:len(src)]
	if len(src) < leastStream {
		copy(dst, src)
		return
	}
	head := leading(unsafe.SliceData(dst))
	copy(dst[:head], src)
	head += streamFast(dst[head:], src[head:])
	storeFence()
	copy(dst[head:], src[head:])
}

const (
	lineBytes = 64
	// leastStream is from how many bytes on a copy past the caches is no loss.
	leastStream = 4 << 10
)

// leading returns how many bytes there are from p to the next line.
func leading(p *byte) int { return int(-uintptr(unsafe.Pointer(p)) % lineBytes) }

// LoadPast is [Load] past the caches where that can be, as of [Stream]: for columns that are not back to back, and results
// that are larger than the caches.
func LoadPast(dst []byte, src colstore.Column) { load(dst, src, true) }
