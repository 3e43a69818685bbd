package mmap

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/invariants"
)

// Advice is a hint on how a range will be read. Hints change speed only; a system that has none ignores them.
type Advice uint8

// The hints.
const (
	Normal     Advice = iota
	Sequential        // read ahead eagerly
	Random            // no read-ahead
	WillNeed          // start reading now
	DontNeed          // the pages may go; reading them again brings them back
)

// A Mapping is the bytes of a file as they were sized when it was opened.
type Mapping struct {
	data   []byte
	path   string
	file   os.FileInfo
	forget func()
	refs   atomic.Int64
	kept   []uint64 // the cells that stay mapped behind scans: see Keep
	// reading tells that pages are read ahead: one goroutine a mapping keeps a disk busy.
	reading atomic.Bool
}

// Open maps the file at path. The caller is its first holder.
func Open(path string) (*Mapping, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for its writer
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return File(f, path)
}

// File maps an open file, which may be closed afterwards; path is its name in errors.
func File(f *os.File, path string) (*Mapping, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &os.PathError{Op: "map", Path: path, Err: fmt.Errorf("not a regular file (%s)", st.Mode().Type())}
	}
	m := &Mapping{path: path, file: st}
	m.refs.Store(1)
	if size := st.Size(); size > 0 {
		if int64(int(size)) != size {
			return nil, &os.PathError{Op: "map", Path: path, Err: fmt.Errorf("%w: %d bytes are beyond the address space", colstore.ErrValue, size)}
		}
		if m.data, err = mapFile(f, int(size)); err != nil {
			return nil, &os.PathError{Op: "map", Path: path, Err: err}
		}
		m.forget = fault.Add(m.data, path, st)
	}
	invariants.Mappings.Add(1)
	return m, nil
}

// Data returns the bytes. They are read-only, and dead after the last Release.
func (m *Mapping) Data() []byte { return m.data }

// Path returns the path the file was opened by.
func (m *Mapping) Path() string { return m.path }

// Check is [fault.Check] of the mapped file.
func (m *Mapping) Check(n int64) error { return fault.Check(m.path, m.file, n) }

// Retain adds a holder, who owes one Release.
func (m *Mapping) Retain() { m.refs.Add(1) }

// Release ends a hold; the last one unmaps the file.
func (m *Mapping) Release() {
	if m.refs.Add(-1) != 0 {
		return
	}
	invariants.Mappings.Add(-1)
	m.forgetKept()
	if m.data != nil {
		m.forget()
		unmap(m.data)
		m.data = nil
	}
}

// faultAround is how many bytes around a page that is touched Linux maps with it, in a window aligned to them.
const faultAround = 64 << 10

// Advise gives the hint for the bytes from off on. DontNeed takes along what touching the first of them has mapped before
// them, and leaves alone the last page if the range covers it in part: both are the business of a reader that goes on.
func (m *Mapping) Advise(off, n int, a Advice) {
	begin, end := off, min(off+n, len(m.data))
	page := os.Getpagesize()
	if a == DontNeed {
		begin = begin / faultAround * faultAround
		if end < len(m.data) {
			end = end / page * page
		}
	} else {
		begin = begin / page * page
	}
	if begin < end && begin >= 0 {
		advise(m.data[begin:end], a)
	}
}
