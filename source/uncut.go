package source

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// mappedFile is a file that parts lie in which follow each other.
type mappedFile struct {
	region     *fault.Region
	first, end int // the parts; those without rows lie nowhere
}

// addFile adds the mapped file that a part lies in, or the part to it.
func (m *memoryRows) addFile(part int) {
	m.lies[part] = -1
	if m.parts[part].Rows() == 0 {
		return
	}
	width := len(m.cols)
	for i, column := range m.cols {
		begin, end := fault.Extent(column[part])
		if m.lies[part] < 0 {
			m.lies[part] = m.fileAt(begin, part)
		}
		in := m.lies[part]
		if in < 0 || !m.files[in].region.Has(begin) {
			m.mixed = m.mixed || in >= 0 && fault.Of(begin) != nil
			continue // the heap's
		}
		last := &m.lasts[in*width+i]
		m.mixed = m.mixed || begin < *last || column[part].Stride() < 0
		*last = max(*last, end)
	}
	if in := m.lies[part]; in >= 0 {
		m.files[in].end = part + 1
	}
}

// fileAt returns the file that an address of a part lies in, which is added if the part before lies in another; -1 on the
// heap.
func (m *memoryRows) fileAt(address uintptr, part int) int {
	in := len(m.files) - 1
	if in >= 0 && m.files[in].region.Has(address) && m.follows(m.files[in].end, part) {
		return in
	}
	region := fault.Of(address)
	if region == nil {
		return -1
	}
	m.files = append(m.files, mappedFile{region, part, part})
	m.lasts = append(m.lasts, make([]uintptr, len(m.cols))...)
	return in + 1
}

// follows reports whether the parts from one to another have no rows.
func (m *memoryRows) follows(part, to int) bool {
	for ; part < to; part++ {
		if m.parts[part].Rows() > 0 {
			return false
		}
	}
	return true
}

// fewRows is up to how many rows more than there are files a read looks where each of them lies, instead of asking all
// files.
const fewRows = 64

// uncut tells, after rows of a view were read, of a file that was cut meanwhile. Where whole pages are gone reading faults;
// but in the last page that is left, zeros stand for what was behind the new end: so what is behind the rows is looked at.
// Slices and few rows ask only the files that rows were read of, in a time that does not depend on how many there are beside:
// that is what [fault.Files], which frames ask after they have read all rows, does not do. Lists and masks of more rows than
// there are files ask every file, and only if one was cut, where the rows lie.
//
// Errors: colstore.ErrTruncated.
func (m *memoryRows) uncut(columns []int, rows rowset, begin, end int64) error {
	if len(m.files) == 0 {
		return nil
	}
	r, isRun := rows.(run)
	many := !isRun && end-begin > int64(fewRows+len(m.files))
	err := fault.Guard(func() error {
		switch {
		case isRun:
			return m.uncutRun(columns, r.part(begin, end))
		case many:
			return m.uncutFiles(columns)
		}
		return m.uncutRows(columns, rows, begin, end)
	})
	if many && err != nil {
		return fault.Guard(func() error { return m.uncutParts(columns, rows, begin, end) })
	}
	return err
}

// uncutRows is uncut for few rows.
func (m *memoryRows) uncutRows(columns []int, rows rowset, begin, end int64) error {
	var numbers [fewRows]int64
	for ; begin < end; begin += fewRows {
		some := numbers[:min(fewRows, end-begin)]
		rows.fill(some, begin)
		for _, row := range some {
			part, at := m.find(row)
			if err := m.uncutPart(columns, part, run{at, 1, 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

// uncutParts is uncut for many rows: of each part the stretch from the first to the last that was read of it.
func (m *memoryRows) uncutParts(columns []int, rows rowset, begin, end int64) error {
	read := make([]colstore.Range, len(m.parts))
	var numbers [numberedRows]int64
	for ; begin < end; begin += numberedRows {
		some := numbers[:min(numberedRows, end-begin)]
		rows.fill(some, begin)
		for _, row := range some {
			part, at := m.find(row)
			r := &read[part]
			if r.Rows() == 0 {
				*r = colstore.Range{Begin: at, End: at + 1}
			}
			r.Begin, r.End = min(r.Begin, at), max(r.End, at+1)
		}
	}
	for part, r := range read {
		if err := m.uncutPart(columns, part, run{r.Begin, 1, r.Rows()}); err != nil {
			return err
		}
	}
	return nil
}

// uncutRun is uncut for a run: of each file the last of its rows tells.
func (m *memoryRows) uncutRun(columns []int, r run) error {
	if m.mixed {
		for r.n > 0 {
			part, at := m.leading(r)
			if err := m.uncutPart(columns, part, at); err != nil {
				return err
			}
			r = r.part(at.n, r.n)
		}
		return nil
	}
	if r.step < 0 {
		r = run{r.first + (r.n-1)*r.step, -r.step, r.n} // the same rows
	}
	for r.n > 0 {
		part, at := m.find(r.first)
		n := min(r.n, (int64(m.parts[part].Rows())-1-at)/r.step+1)
		in := m.lies[part]
		if in >= 0 {
			n = min(r.n, (m.starts[m.files[in].end]+m.first-1-r.first)/r.step+1)
			last := r.first + (n-1)*r.step
			if part, at = m.find(last); m.lies[part] == in {
				if err := m.uncutPart(columns, part, run{at, 1, 1}); err != nil {
					return err
				}
			}
		}
		r = r.part(n, r.n)
	}
	return nil
}

// uncutFiles is uncut for rows all over: what lies last of each file tells.
func (m *memoryRows) uncutFiles(columns []int) error {
	if m.mixed {
		for part, b := range m.parts {
			if err := m.uncutPart(columns, part, run{0, 1, int64(b.Rows())}); err != nil {
				return err
			}
		}
		return nil
	}
	width := len(m.cols)
	for in, file := range m.files {
		last := uintptr(0)
		for _, column := range columns {
			last = max(last, m.lasts[in*width+column])
		}
		if last == 0 {
			continue // all of them are the heap's
		}
		if err := file.region.Check(last); err != nil {
			return err
		}
	}
	return nil
}

// uncutPart is uncut for rows of one part.
func (m *memoryRows) uncutPart(columns []int, part int, at run) error {
	if at.n == 0 {
		return nil
	}
	for _, column := range columns {
		_, end := fault.Extent(m.sliced(column, part, at))
		if file := m.regionOf(part, end-1); file != nil {
			if err := file.Check(end); err != nil {
				return err
			}
		}
	}
	return nil
}

// regionOf returns the region of a byte of a part, nil on the heap.
func (m *memoryRows) regionOf(part int, address uintptr) *fault.Region {
	if in := m.lies[part]; in >= 0 && m.files[in].region.Has(address) {
		return m.files[in].region
	}
	return fault.Of(address)
}
