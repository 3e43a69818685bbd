package fault

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/colstore/colstore-go"
)

// A Region is memory that a file is mapped to.
type Region struct {
	data       unsafe.Pointer
	begin, end uintptr
	path       string
	file       fs.FileInfo
}

var (
	mu      sync.RWMutex
	regions []*Region // from the highest address down: the order in which most systems map files
)

// Add makes faults in data known as faults of the file at path, which is mapped there and was file when it was opened; remove
// ends that.
func Add(data []byte, path string, file fs.FileInfo) (remove func()) {
	at := unsafe.Pointer(unsafe.SliceData(data))
	begin := uintptr(at)
	r := &Region{at, begin, begin + uintptr(len(data)), path, file}
	mu.Lock()
	defer mu.Unlock()
	i, _ := place(begin)
	regions = slices.Insert(regions, i, r)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if i := slices.Index(regions, r); i >= 0 {
			regions = slices.Delete(regions, i, i+1)
		}
	}
}

// place returns the first region that begins at or before an address, or where it would be. The caller holds mu.
func place(address uintptr) (i int, exact bool) {
	return slices.BinarySearchFunc(regions, address, func(r *Region, a uintptr) int { return cmp.Compare(a, r.begin) })
}

// Of returns the region that an address lies in, or nil if it lies in no mapped file.
func Of(address uintptr) *Region {
	mu.RLock()
	defer mu.RUnlock()
	if i, _ := place(address); i < len(regions) && regions[i].Has(address) {
		return regions[i]
	}
	return nil
}

// Has reports whether an address lies in the region.
func (r *Region) Has(address uintptr) bool { return address >= r.begin && address < r.end }

// Check is [Check] of the region's file for the bytes that were read up to an address. It asks the system only where memory
// does not tell. Behind the end of a file that was cut its last page is zeros: a byte that is not zero, the last one read or one
// behind it in its page, is a byte of the file, which goes on up to there. Where the file had a page behind that one, touching
// it faults if the page is gone. To be called under [Guard].
func (r *Region) Check(end uintptr) error {
	if r.at(end-1) != 0 {
		return nil
	}
	next := (end-1)/systemPage*systemPage + systemPage
	if next < r.end {
		if b := r.at(next); b != 0 {
			touched.Store(uint32(b)) // so that it is read
		}
		return nil
	}
	for a := end; a < r.end; a++ {
		if r.at(a) != 0 {
			return nil
		}
	}
	return Check(r.path, r.file, int64(end-r.begin))
}

// at returns the byte at an address of the region.
func (r *Region) at(address uintptr) byte { return *(*byte)(unsafe.Add(r.data, address-r.begin)) }

// systemPage is the size of the pages in which files are mapped, and end.
var systemPage = uintptr(os.Getpagesize())

// Guard runs f and returns its error, or [colstore.ErrTruncated] if f touched mapped bytes that the file no longer has.
//
// f is left in the middle of what it did: it must not hold a lock or another resource across a read of mapped memory
// unless a defer gives it back.
func Guard(f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if err = translate(r); err == nil {
				panic(r)
			}
		}
	}()
	return f()
}

// translate returns the error for a recovered fault on a mapped file, nil for anything else.
func translate(r any) error {
	a, ok := r.(interface{ Addr() uintptr })
	if !ok {
		return nil
	}
	if g := Of(a.Addr()); g != nil {
		return cut(g.path, int64(a.Addr()-g.begin))
	}
	return nil
}

// cut returns the error for a mapped file that has no byte at an offset any more.
func cut(path string, offset int64) error {
	return &colstore.Error{Op: "read", Path: path, Err: fmt.Errorf("%w: no byte at offset %d any more; the file was cut while it was open (or a program's own function wrote to its input, which is read-only)",
		colstore.ErrTruncated, offset)}
}

// Check tells of a file that was cut to less than n bytes since it was opened and mapped. The system reports that itself, as
// a fault, only where whole pages are gone: in the last that is left, zeros stand for what was behind the new end. A file
// that was renamed or removed has lost nothing.
//
// Errors: colstore.ErrTruncated, as of [Guard].
func Check(path string, opened fs.FileInfo, n int64) error {
	st, err := os.Stat(path)
	if err != nil || st.Size() >= n || !os.SameFile(st, opened) {
		return nil
	}
	return cut(path, st.Size())
}

// Find reads a byte of every page of p and returns what [Guard] returns then: where a system call says no more than that
// something is wrong with an address.
func Find(p []byte) error {
	return Guard(func() error {
		sum := byte(0)
		for i := 0; i < len(p); i += pageSize {
			sum += p[i]
		}
		if len(p) > 0 {
			sum += p[len(p)-1]
		}
		touched.Store(uint32(sum))
		return nil
	})
}

// pageSize is no larger than that of any system.
const pageSize = 4096

// touched takes what was read for no other use, or the compiler would leave the reading out.
var touched atomic.Uint32
