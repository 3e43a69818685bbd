package memory

import (
	"strings"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/invariants"
)

// Huge is the size in bytes from which on memory is backed by huge pages, where the system has them: half of one, since what
// lies beside it in the heap uses the rest.
const Huge = 1 << 20

// uncleared is the size in bytes from which on clearing would be felt. The heap's places for as much are aligned for any
// type.
const uncleared = 4 << 10

// hugePage is the size in bytes of a huge page on the systems that have the advice; elsewhere it is not used.
const hugePage = 2 << 20

// Get returns n bytes whose contents are undefined: the caller writes all of them before anybody reads one.
//
// Memory: the collector's, aligned to 8 bytes if n is a multiple of 8, to a page from 64 KiB on.
// Errors: none; a size beyond what the process may have ends it, as of make.
// Concurrency: safe.
// Source: docs/decisions/0028-memory-and-cold-files.md.
func Get(n int) []byte {
	if n < uncleared {
		return make([]byte, n)
	}
	if n >= paced {
		pace(n)
	}
	p := undefined(n)
	if n >= Huge {
		adviseHuge(p)
	}
	if invariants.Enabled {
		p[0] = 0xdb
		for done := 1; done < n; done *= 2 {
			copy(p[done:], p[:done])
		}
	}
	return p
}

// undefined is Get for n bytes from uncleared on, on whatever pages.
func undefined(n int) []byte {
	// A builder's buffer is the one memory that the standard library allocates and does not clear. Nobody else sees the
	// string, so that it may be written to.
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // an empty string has no address
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}

// Make returns n values whose contents are undefined, as of [Get].
func Make[T colstore.Native](n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if n < uncleared/size {
		return make([]T, n)
	}
	// Such memory is aligned for any type. It holds no pointers, as T has none.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(Get(n*size)))), n)
}
