//go:build unix

package mmap

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unmap(data []byte) { _ = unix.Munmap(data) }

var adviceCodes = [...]int{
	Normal: unix.MADV_NORMAL, Sequential: unix.MADV_SEQUENTIAL, Random: unix.MADV_RANDOM,
	WillNeed: unix.MADV_WILLNEED, DontNeed: unix.MADV_DONTNEED,
}

func advise(data []byte, a Advice) { _ = unix.Madvise(data, adviceCodes[a]) }
