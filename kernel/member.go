package kernel

import (
	"slices"
	"unsafe"
)

// Member sets bit i where a[i] is one of members; a NaN never is.
//
// Shapes: a holds n values or one; len(dst) = Words(n).
func Member[T Number](dst []uint64, a []T, n int, members []T) {
	clear(dst)
	if len(a) == 1 && n != 1 {
		if slices.Contains(members, a[0]) {
			Ones(dst, n)
		}
		return
	}
	var buf [16]uint64
	for at := 0; at < n; at += 64 * len(buf) {
		v := a[at:min(n, at+64*len(buf))]
		bits, equal := dst[at/64:][:Words(len(v))], buf[:Words(len(v))]
		for i := range members {
			Equal(equal, v, members[i:i+1], len(v))
			Or(bits, bits, equal)
		}
	}
}

// MemberOf is [Member] for many members, kept in a hash set.
func MemberOf[T Number](dst []uint64, a []T, n int, members map[T]struct{}) {
	clear(dst)
	s := step(len(a), n)
	for i := range n {
		_, ok := members[a[i*s]]
		dst[i/64] |= bit(ok) << (i % 64)
	}
}

// MemberOfStrings sets bit i where value i, without its padding, is one of members.
//
// Units: size is the bytes of a value, unit those of a character, 1 or 4.
func MemberOfStrings(dst []uint64, a []byte, size, unit, n int, members map[string]struct{}) {
	clear(dst)
	s := size * step(len(a)/size, n)
	for i := range n {
		v := TrimPadding(a[i*s:][:size], unit)
		_, ok := members[unsafe.String(unsafe.SliceData(v), len(v))]
		dst[i/64] |= bit(ok) << (i % 64)
	}
}
