package fault

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Files are the mapped files that columns lie in, for a reader that reads all their rows and asks of each file what lies last.
// The zero value is none. A view reads some rows of many files again and again, and must not fail for one that it read nothing
// of; source keeps what it knows of parts and their order for that, and asks [Region.Check] itself.
type Files struct {
	ends map[*Region]uintptr // where the last byte of a column ends
	last *Region             // that of the column before: neighbours lie in one file
}

// Add adds the file that a column lies in; one on the heap lies in none.
func (f *Files) Add(c colstore.Column) {
	if c.Rows() == 0 {
		return
	}
	begin, end := Extent(c)
	if f.last == nil || !f.last.Has(begin) {
		if f.last = Of(begin); f.last == nil {
			return
		}
	}
	if f.ends == nil {
		f.ends = map[*Region]uintptr{}
	}
	f.ends[f.last] = max(f.ends[f.last], end)
}

// Extent returns the addresses that a column's values lie between. It has some.
func Extent(c colstore.Column) (begin, end uintptr) {
	data, rows, stride := c.Raw()
	first, last := uintptr(data), uintptr(unsafe.Add(data, (rows-1)*stride))
	return min(first, last), max(first, last) + uintptr(c.Type().Size())
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
