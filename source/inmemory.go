package source

import (
	"errors"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
)

// memoryRows is a source whose rows lie in memory: where each run of them is, and how to find a row's.
type memoryRows struct {
	schema *colstore.Schema
	parts  []*colstore.Batch
	first  int64 // the source's row that the first part begins with
	runs   *kernel.Runs
	cols   [][]colstore.Column // by column, then part
	dense  []bool              // by column: the values of every part lie back to back
	files  []*fault.Region
	lies   []int // by part: which of the files its first column lies in, -1 for none
}

// rowsMapper is a colstore.Mapper that can show some of its parts without the others.
type rowsMapper interface {
	// mapRows is Map of the parts that hold rows from begin to end. The first begins at or before begin.
	mapRows(columns []string, rows colstore.Range) ([]*colstore.Batch, error)
}

// mapped returns the rows of a source that lie in memory, at least those of a range; ok is false if they do not. The caller
// closes it.
func mapped(src colstore.Source, schema *colstore.Schema, rows colstore.Range) (_ *memoryRows, ok bool, err error) {
	m, ok := src.(colstore.Mapper)
	if !ok {
		return nil, false, nil
	}
	var parts []*colstore.Batch
	first := int64(0)
	if some, ok := src.(rowsMapper); ok {
		if parts, err = some.mapRows(schema.Names(), rows); len(parts) > 0 {
			first = parts[0].Begin()
		}
	} else {
		parts, err = m.Map(schema.Names())
	}
	if errors.Is(err, colstore.ErrNotViewable) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	r := &memoryRows{schema: schema, parts: parts, first: first, cols: make([][]colstore.Column, schema.Len()), dense: make([]bool, schema.Len()), lies: make([]int, len(parts))}
	all := make([]colstore.Column, len(parts)*schema.Len())
	for i := range r.cols {
		r.cols[i], all = all[:len(parts):len(parts)], all[len(parts):]
		r.dense[i] = true
	}
	starts := make([]int64, len(parts)+1)
	for p, b := range parts {
		starts[p+1] = starts[p] + int64(b.Rows())
		for i := range r.cols {
			c := b.At(i)
			r.cols[i][p] = c
			r.dense[i] = r.dense[i] && c.IsDense()
		}
		r.lies[p] = r.addFiles(b)
	}
	r.runs = kernel.NewRuns(starts)
	return r, true, nil
}

// addFiles adds the mapped files that a part lies in, and returns which of them the part's first column lies in, or -1.
func (m *memoryRows) addFiles(b *colstore.Batch) int {
	in := -1
	for i := range b.Schema().Len() {
		if b.Rows() == 0 {
			break
		}
		begin, _ := extent(b.At(i))
		at := len(m.files) - 1
		if at < 0 || !m.files[at].Has(begin) {
			region := fault.Of(begin)
			if region == nil {
				continue // the heap's
			}
			at, m.files = len(m.files), append(m.files, region)
		}
		if i == 0 {
			in = at
		}
	}
	return in
}

func (m *memoryRows) close() {
	for _, b := range m.parts {
		b.Release()
	}
}

// find returns the part that a row lies in, and its place there.
func (m *memoryRows) find(row int64) (part int, at int64) {
	if len(m.parts) == 1 {
		return 0, row - m.first
	}
	return m.runs.Find(row - m.first)
}

// within returns the part that all rows of a run lie in, and the run in its rows; ok is false if there is none.
func (m *memoryRows) within(r run) (part int, at run, ok bool) {
	if r.n == 0 || len(m.parts) == 0 {
		return 0, run{}, false
	}
	part, first := m.find(r.first)
	lastPart, _ := m.find(r.first + (r.n-1)*r.step)
	return part, run{first, r.step, r.n}, part == lastPart
}

// leading returns the part that the first rows of a run lie in, and those rows in its numbers.
func (m *memoryRows) leading(r run) (part int, at run) {
	part, first := m.find(r.first)
	room := int64(m.parts[part].Rows()) - 1 - first // rows of the part that follow, in the direction of the step
	if r.step < 0 {
		room = first
	}
	return part, run{first, r.step, min(room/max(r.step, -r.step)+1, r.n)}
}

// sliced returns the values of a column at a run of rows of a part.
func (m *memoryRows) sliced(column, part int, at run) colstore.Column {
	data, _, stride := m.cols[column][part].Raw()
	return colstore.RawColumn(m.schema.Field(column).Type, int(at.n), stride*int(at.step), unsafe.Add(data, int(at.first)*stride))
}

// slice returns the rows of a run that lies in one part, without a copy: the columns of a schema. The batch holds the part.
func (m *memoryRows) slice(s *colstore.Schema, part int, r run, begin int64) (*colstore.Batch, error) {
	cols := make([]colstore.Column, 0, s.Len())
	for _, i := range m.columnsOf(make([]int, 0, s.Len()), s) {
		cols = append(cols, m.sliced(i, part, r))
	}
	b := m.parts[part]
	b.Retain()
	out, err := colstore.NewOwnedBatch(s, colstore.Range{Begin: begin, End: begin + r.n}, b.Release, cols...)
	if err != nil {
		b.Release()
	}
	return out, err
}

// fewRows is up to how many rows a mapped file a read looks where each of them lies, instead of asking all files.
const fewRows = 64

// uncut tells, after rows of a view were read, of a file that was cut meanwhile. Where whole pages are gone reading faults;
// but in the last page that is left, zeros stand for what was behind the new end: so what is behind the rows is looked at.
//
// Errors: colstore.ErrTruncated.
func (m *memoryRows) uncut(columns []int, rows rowset, begin, end int64) error {
	if len(m.files) == 0 {
		return nil
	}
	return fault.Guard(func() error {
		if r, ok := rows.(run); ok {
			return m.uncutRun(columns, r.part(begin, end))
		}
		if end-begin > int64(fewRows*len(m.files)) {
			return m.uncutParts(columns)
		}
		var number [1]int64
		for i := begin; i < end; i++ {
			rows.fill(number[:], i)
			if err := m.uncutRun(columns, run{number[0], 1, 1}); err != nil {
				return err
			}
		}
		return nil
	})
}

// uncutRun is uncut for a run, of which the values that lie last in each part tell.
func (m *memoryRows) uncutRun(columns []int, r run) error {
	for r.n > 0 {
		part, at := m.leading(r)
		for _, column := range columns {
			c := m.sliced(column, part, at)
			_, end := extent(c)
			if file := m.fileOf(part, end-1); file != nil {
				if err := file.Check(end); err != nil {
					return err
				}
			}
		}
		r = r.part(at.n, r.n)
	}
	return nil
}

// uncutParts is uncut for rows all over: what lies last of each file tells.
func (m *memoryRows) uncutParts(columns []int) error {
	for part := 0; part < len(m.parts); {
		in, last := m.lies[part], uintptr(0)
		for ; part < len(m.parts) && m.lies[part] == in; part++ {
			for _, column := range columns {
				c := m.cols[column][part]
				if c.Rows() == 0 {
					continue
				}
				_, end := extent(c)
				if in >= 0 && m.files[in].Has(end-1) {
					last = max(last, end)
				} else if file := fault.Of(end - 1); file != nil {
					if err := file.Check(end); err != nil {
						return err
					}
				}
			}
		}
		if last > 0 {
			if err := m.files[in].Check(last); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileOf returns the region of a byte of a part, nil on the heap.
func (m *memoryRows) fileOf(part int, address uintptr) *fault.Region {
	if i := m.lies[part]; i >= 0 && m.files[i].Has(address) {
		return m.files[i]
	}
	return fault.Of(address)
}

// extent returns the addresses that a column's values lie between. It has some.
func extent(c colstore.Column) (begin, end uintptr) {
	data, rows, stride := c.Raw()
	first, last := uintptr(data), uintptr(unsafe.Add(data, (rows-1)*stride))
	return min(first, last), max(first, last) + uintptr(c.Type().Size())
}
