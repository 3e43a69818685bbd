package fault

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Files are the mapped files that columns lie in, for a reader that reads all their rows and asks of each file what lies last.
// The zero value is none. A view reads slices and few rows of many files again and again, which must not fail for a file that
// they read nothing of; source keeps what it knows of parts and their order for that, and asks [Region.Check] itself.
type Files struct {
	read []reach
	of   map[*Region]int // its place in read; nil for one file
	last int             // that of the column before: neighbours lie in one file
}

// reach is how far a file is read.
type reach struct {
	file *Region
	end  uintptr // where the last byte of a column ends
}

// Add adds the file that a column lies in; one on the heap lies in none.
func (f *Files) Add(c colstore.Column) {
	if c.Rows() == 0 {
		return
	}
	begin, end := Extent(c)
	if len(f.read) == 0 || !f.read[f.last].file.Has(begin) {
		r := Of(begin)
		if r == nil {
			return
		}
		at, known := f.of[r]
		if !known {
			at = len(f.read)
			f.read = append(f.read, reach{file: r})
			switch {
			case f.of != nil:
				f.of[r] = at
			case at > 0:
				f.of = map[*Region]int{f.read[0].file: 0, r: at}
			}
		}
		f.last = at
	}
	f.read[f.last].end = max(f.read[f.last].end, end)
}

// Extent returns the addresses that a column's values lie between. It has some.
func Extent(c colstore.Column) (begin, end uintptr) {
	data, rows, stride := c.Raw()
	first, last := uintptr(data), uintptr(unsafe.Add(data, (rows-1)*stride))
	return min(first, last), max(first, last) + uintptr(c.Type().Size())
}

// Check is [Check] of all the files, in the order they were added, for the bytes of the columns. It is a [Guard] itself: what
// it looks at may be cut meanwhile.
func (f *Files) Check() error {
	if len(f.read) == 0 {
		return nil
	}
	return Guard(func() error {
		for _, r := range f.read {
			if err := r.file.Check(r.end); err != nil {
				return err
			}
		}
		return nil
	})
}
