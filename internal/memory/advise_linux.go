package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages under p. The range is rounded outwards: what lies beside p is the heap's too, since its
// arenas are many huge pages each, and a buffer rarely begins or ends with one. A system that has no
// huge pages, or is told not to use them, refuses; nothing changes then.
func adviseHuge(p []byte) {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
	end := (begin + uintptr(len(p)) + hugePage - 1) &^ (hugePage - 1)
	begin &^= hugePage - 1
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_HUGEPAGE)
}

// adviseUnused gives back what lies under p, all of whose contents are undefined from then on; p is whole pages.
func adviseUnused(p []byte) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), unix.MADV_DONTNEED)
}
