package numa

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// system is the kernel's calls themselves.
type system struct{}

// maskBits is beyond the number of nodes of any kernel.
const maskBits = 1024

// mask returns nodes as the kernel reads them, and how many bits it is to read.
func mask(nodes []int) (words [maskBits / 64]uint64, bits uintptr) {
	for _, n := range nodes {
		if n >= 0 && n < maskBits {
			words[n/64] |= 1 << (n % 64)
		}
	}
	return words, maskBits + 1 // the kernel reads one less than it is told
}

func failed(errno unix.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func (system) setThread(m mode, nodes []int) error {
	if len(nodes) == 0 {
		_, _, errno := unix.Syscall(unix.SYS_SET_MEMPOLICY, uintptr(m), 0, 0)
		return failed(errno)
	}
	words, bits := mask(nodes)
	_, _, errno := unix.Syscall(unix.SYS_SET_MEMPOLICY, uintptr(m), uintptr(unsafe.Pointer(&words)), bits)
	return failed(errno)
}

func (system) thread() (mode, error) {
	var m int32
	_, _, errno := unix.Syscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&m)), 0, 0, 0, 0, 0)
	return mode(m), failed(errno)
}

func (system) setRange(p []byte, m mode, nodes []int) error {
	words, bits := mask(nodes)
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(m), uintptr(unsafe.Pointer(&words)), bits, 0)
	return failed(errno)
}

func (system) nodes(p []byte) ([]int, error) {
	page := os.Getpagesize()
	pages := make([]unsafe.Pointer, 0, len(p)/page+1)
	for at := 0; at < len(p); at += page {
		pages = append(pages, unsafe.Pointer(&p[at]))
	}
	if len(pages) == 0 {
		return nil, nil
	}
	status := make([]int32, len(pages))
	_, _, errno := unix.Syscall6(unix.SYS_MOVE_PAGES, 0, uintptr(len(pages)), uintptr(unsafe.Pointer(unsafe.SliceData(pages))), 0, uintptr(unsafe.Pointer(unsafe.SliceData(status))), 0)
	if errno != 0 {
		return nil, errno
	}
	out := make([]int, len(status))
	for i, s := range status {
		out[i] = int(s)
	}
	return out, nil
}

func (system) bound() ([]int, error) {
	set := unix.NewCPUSet(maxCPU)
	if err := unix.SchedGetaffinityDynamic(0, set); err != nil {
		return nil, err
	}
	var cpus []int
	for c := range maxCPU {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

func (system) bind(cpus []int) error {
	set := unix.NewCPUSet(maxCPU)
	for _, c := range cpus {
		set.Set(c)
	}
	return unix.SchedSetaffinityDynamic(0, set)
}

// anonymous returns fresh memory of the system's own, and what gives it back.
func anonymous(n int) (p []byte, free func(), err error) {
	p, err = unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	return p, func() { _ = unix.Munmap(p) }, nil
}

// release returns the kernel's release.
func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
