package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func mapFile(f *os.File, size int) ([]byte, error) {
	h, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, uint32(size>>32), uint32(size), nil)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(h) // the view keeps the mapping
	addr, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, err
	}
	// The address is outside the Go heap, so the collector never looks at it.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size), nil
}

func unmap(data []byte) { _ = windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) }

func advise([]byte, Advice) {}
