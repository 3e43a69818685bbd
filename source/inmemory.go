package source

import (
	"errors"
	"unsafe"

	"github.com/colstore/colstore-go"
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
	starts []int64             // by part: how many rows come before; then how many there are
	files  []mappedFile
	lasts  []uintptr // by file, then column: where its values end that lie last
	lies   []int     // by part: its file, -1 for none
	mixed  bool      // a file's parts do not lie in their order, or a part's columns lie in several files
}

// rowsMapper is a colstore.Mapper that can show some of its parts without the others.
type rowsMapper interface {
	// mapRows is Map of the parts that hold rows from begin to end. The first begins at or before begin. Of those that hold
	// none of read, zeros may stand for what cannot be shown.
	mapRows(columns []string, rows colstore.Range, read rowset) ([]*colstore.Batch, error)
}

// mapped returns the rows of a source that lie in memory, at least those of a range, of which read are going to be read; ok is
// false if they do not. The caller closes it.
func mapped(src colstore.Source, schema *colstore.Schema, rows colstore.Range, read rowset) (_ *memoryRows, ok bool, err error) {
	m, ok := src.(colstore.Mapper)
	if !ok {
		return nil, false, nil
	}
	var parts []*colstore.Batch
	first := int64(0)
	if some, ok := src.(rowsMapper); ok {
		if parts, err = some.mapRows(schema.Names(), rows, read); len(parts) > 0 {
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
	r := &memoryRows{schema: schema, parts: parts, first: first, cols: make([][]colstore.Column, schema.Len()), dense: make([]bool, schema.Len())}
	all := make([]colstore.Column, len(parts)*schema.Len())
	for i := range r.cols {
		r.cols[i], all = all[:len(parts):len(parts)], all[len(parts):]
		r.dense[i] = true
	}
	r.starts, r.lies = make([]int64, len(parts)+1), make([]int, len(parts))
	for p, b := range parts {
		r.starts[p+1] = r.starts[p] + int64(b.Rows())
		for i := range r.cols {
			c := b.At(i)
			r.cols[i][p] = c
			r.dense[i] = r.dense[i] && c.IsDense()
		}
		r.addFile(p)
	}
	r.runs = kernel.NewRuns(r.starts)
	return r, true, nil
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
