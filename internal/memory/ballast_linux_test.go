package memory

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The ballast takes no memory of the system's, wherever in a heap that was used before it lies.
func TestBallastIsNotResident(t *testing.T) {
	light(t)
	used := undefined(4 * ballastBytes)
	clear(used)
	runtime.GC() // the memory is free, and still there
	if n := weighed(); n != ballastBytes {
		t.Fatalf("%d bytes of ballast", n)
	}
	p := ballast.held
	pages := make([]byte, len(p)/4096)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)), uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
		t.Fatal(errno)
	}
	there := 0
	for _, b := range pages {
		there += int(b&1) * 4096
	}
	if there > 2*hugePage { // those it shares with what lies before and behind it
		t.Errorf("%d bytes of the ballast are resident", there)
	}
}
