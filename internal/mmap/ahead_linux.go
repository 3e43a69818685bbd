package mmap

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// canAhead tells that the system knows which pages are in memory.
const canAhead = true

// inMemory reports whether the first page of p, which begins with one, is in memory. Of a file that is not the user's own the
// system says so always.
func inMemory(p []byte) bool {
	var state [1]byte
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(p))), 1, uintptr(unsafe.Pointer(&state)))
	return errno != 0 || state[0]&1 != 0
}

// populate reads the pages of p, which begins with one, in large pieces. It fails before Linux 5.14, and where the file was
// cut.
func populate(p []byte) bool { return unix.Madvise(p, unix.MADV_POPULATE_READ) == nil }
