package fault

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/colstore/colstore-go"
)

type region struct {
	begin, end uintptr
	path       string
}

var (
	mu      sync.RWMutex
	regions []region
)

// Add makes faults in [begin, begin+size) known as faults of the file at path; remove ends that.
func Add(begin uintptr, size int, path string) (remove func()) {
	r := region{begin, begin + uintptr(size), path}
	mu.Lock()
	regions = append(regions, r)
	mu.Unlock()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if i := slices.Index(regions, r); i >= 0 {
			regions = slices.Delete(regions, i, i+1)
		}
	}
}

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
	mu.RLock()
	defer mu.RUnlock()
	for _, g := range regions {
		if addr := a.Addr(); addr >= g.begin && addr < g.end {
			return &colstore.Error{Op: "read", Path: g.path, Err: fmt.Errorf("%w: no byte at offset %d any more; the file was cut while it was open (or a program's own function wrote to its input, which is read-only)",
				colstore.ErrTruncated, addr-g.begin)}
		}
	}
	return nil
}
