package source

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// used returns which of the parts hold some of the rows. A number of a list that is no row is found out by whoever reads it.
func (c *concat) used(rows rowset) []bool {
	out := make([]bool, len(c.parts))
	if r, ok := rows.(run); ok && r.n > 0 && (r.step == 1 || r.step == -1) {
		last := r.first + (r.n-1)*r.step
		for i := c.partOf(min(r.first, last)); i <= c.partOf(max(r.first, last)); i++ {
			out[i] = c.starts[i] < c.starts[i+1] // one without rows between them is none of them
		}
		return out
	}
	var numbers [numberedRows]int64
	for begin, n := int64(0), rows.len(); begin < n; begin += numberedRows {
		some := numbers[:min(numberedRows, n-begin)]
		rows.fill(some, begin)
		for _, row := range some {
			if row >= 0 && row < c.Rows() {
				out[c.partOf(row)] = true
			}
		}
	}
	return out
}

// standIn returns zeros in the place of a part of which no row is read, so that the rows of the others keep their numbers.
func (c *concat) standIn(columns []string, rows int64) ([]*colstore.Batch, error) {
	schema, err := c.schema.Select(columns...)
	if err != nil {
		return nil, err
	}
	cols := make([]colstore.Column, schema.Len())
	for i, f := range schema.All() {
		zero := make([]byte, f.Type.Size())
		cols[i] = colstore.RawColumn(f.Type, int(rows), 0, unsafe.Pointer(unsafe.SliceData(zero)))
	}
	b, err := colstore.NewOwnedBatch(schema, colstore.Range{Begin: 0, End: rows}, nil, cols...)
	if err != nil {
		return nil, err
	}
	return []*colstore.Batch{b}, nil
}

// partEnd implements parted.
func (c *concat) partEnd(row int64) int64 { return c.starts[c.partOf(row)+1] }

// between implements parted.
func (c *concat) between(row, next int64) bool {
	if next-row < 2 {
		return false
	}
	part := c.partOf(row + 1)
	if c.starts[part] <= row { // the rest of the part that row lies in
		if c.starts[part+1] >= next {
			return false
		}
		part = c.partOf(c.starts[part+1])
	}
	return c.starts[part+1] <= next
}
