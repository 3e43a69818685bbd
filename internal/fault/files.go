package fault

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Files are the mapped files that columns lie in. The zero value is none.
type Files struct {
	ends map[*Region]uintptr // where the last byte of a column ends
	last *Region             // that of the column before: neighbours lie in one file
}

// Add adds the file that a column lies in; one on the heap lies in none.
func (f *Files) Add(c colstore.Column) {
	data, rows, stride := c.Raw()
	if rows == 0 {
		return
	}
	first, last := uintptr(data), uintptr(unsafe.Add(data, (rows-1)*stride))
	first, last = min(first, last), max(first, last)
	if f.last == nil || !f.last.Has(first) {
		if f.last = Of(first); f.last == nil {
			return
		}
	}
	if f.ends == nil {
		f.ends = map[*Region]uintptr{}
	}
	f.ends[f.last] = max(f.ends[f.last], last+uintptr(c.Type().Size()))
}

// Check is [Check] of all the files, for the bytes of the columns.
func (f *Files) Check() error {
	for r, end := range f.ends {
		if err := r.Check(end); err != nil {
			return err
		}
	}
	return nil
}
