package meta

import (
	"fmt"
	"sort"

	"github.com/colstore/colstore-go"
)

// A Region is where a part of the page index lies in the file; without a length there is none.
type Region struct {
	Offset int64
	Length int32
}

// An Order is how the bounds of a chunk's pages follow each other.
type Order int8

// The orders. Pages of nulls alone have no place in them.
const (
	Unordered  Order = 0
	Ascending  Order = 1 // neither the lower nor the upper bounds ever fall
	Descending Order = 2
)

// A ColumnIndex has the bounds of a chunk's data pages, in the order of the column's logical type. They may be cut, as those
// of the chunk may, and no flag tells.
type ColumnIndex struct {
	AllNull  []bool   // the page has no value, and its bounds say nothing
	Min, Max [][]byte // of every page
	Order    Order
	Nulls    []int64 // of every page; nil if the file does not say
}

// An OffsetIndex tells where the data pages of a chunk lie.
type OffsetIndex []PageLocation

// A PageLocation is the place of a data page in the file and among the rows of its row group.
type PageLocation struct {
	Offset   int64
	Size     int32 // of the header and the compressed data
	FirstRow int64
}

// ParseColumnIndex reads the column index of a chunk of so many pages. The bounds share b.
//
// Errors: colstore.ErrFormat, also where it is of another number of pages.
func ParseColumnIndex(b []byte, pages int) (*ColumnIndex, error) {
	r, c := &reader{b: b}, &ColumnIndex{}
	counted := false
	list := func(t, item wire, add func()) {
		r.list(t, item, func(i int) {
			if i == pages {
				r.fail("a column index of more than %d pages", pages)
			} else {
				add()
			}
		})
	}
	r.fields(func(id int16, t wire) {
		switch id {
		case 1:
			c.AllNull = r.bools(t)
		case 2:
			list(t, wireBinary, func() { c.Min = append(c.Min, r.bytes(r.uvarint())) })
		case 3:
			list(t, wireBinary, func() { c.Max = append(c.Max, r.bytes(r.uvarint())) })
		case 4:
			c.Order = Order(r.enum(t, int(Descending), "boundary order"))
		case 5:
			counted = true
			list(t, wireI64, func() { c.Nulls = append(c.Nulls, r.varint()) })
		default:
			r.skip(t)
		}
	})
	if r.err != nil {
		return nil, r.err
	}
	if len(c.AllNull) != pages || len(c.Min) != pages || len(c.Max) != pages || counted && len(c.Nulls) != pages {
		return nil, fmt.Errorf("%w: a column index of other than %d pages", colstore.ErrFormat, pages)
	}
	return c, nil
}

// bools reads a list of bools, each of which takes a byte.
func (r *reader) bools(t wire) []bool {
	if !r.expect(t, wireList) {
		return nil
	}
	n, item := r.listHeader()
	if r.err == nil && n > 0 && item != wireTrue && item != wireFalse {
		r.fail("a list has items of type %d, not bools", item)
	}
	raw := r.bytes(uint64(n))
	out := make([]bool, len(raw))
	for i, v := range raw {
		out[i] = v == byte(wireTrue)
	}
	return out
}

// ParseOffsetIndex reads an offset index.
//
// Errors: colstore.ErrFormat.
func ParseOffsetIndex(b []byte) (OffsetIndex, error) {
	r := &reader{b: b}
	var o OffsetIndex
	r.fields(func(id int16, t wire) {
		if id == 1 {
			r.list(t, wireStruct, func(int) { o = append(o, r.location()) })
		} else {
			r.skip(t)
		}
	})
	return o, r.err
}

func (r *reader) location() (l PageLocation) {
	r.fields(func(id int16, t wire) {
		switch id {
		case 1:
			l.Offset = r.i64(t)
		case 2:
			l.Size = r.i32(t)
		case 3:
			l.FirstRow = r.i64(t)
		default:
			r.skip(t)
		}
	})
	if r.err == nil && l.Size <= 0 {
		r.fail("a page of %d bytes", l.Size) // also where there is no more to a location than its end
	}
	return l
}

// Check reports an index that contradicts the chunk it is of, in a row group of so many rows: pages that overlap, lie
// outside the chunk, or are not in the order of their rows.
//
// Errors: colstore.ErrFormat.
func (o OffsetIndex) Check(c *Chunk, rows int64) error {
	at, end := c.Start(), c.Start()+c.Compressed
	last := int64(-1)
	for i, l := range o {
		if l.Offset < at || int64(l.Size) > end-l.Offset || l.FirstRow <= last || l.FirstRow >= rows || i == 0 && l.FirstRow != 0 {
			return fmt.Errorf("%w: page %d of an offset index is out of place", colstore.ErrFormat, i)
		}
		at, last = l.Offset+int64(l.Size), l.FirstRow
	}
	return nil
}

// Page returns the page of a row of the row group, -1 in an index without pages.
func (o OffsetIndex) Page(row int64) int {
	return sort.Search(len(o), func(i int) bool { return o[i].FirstRow > row }) - 1
}

// End returns the row after those of page i, in a row group of so many rows.
func (o OffsetIndex) End(i int, rows int64) int64 {
	if i+1 < len(o) {
		return o[i+1].FirstRow
	}
	return rows
}

// Append appends the index to dst.
func (c *ColumnIndex) Append(dst []byte) []byte {
	w := &writer{b: dst}
	n := len(c.AllNull)
	w.fields(func() {
		w.list(1, wireTrue, n, func(i int) {
			if c.AllNull[i] {
				w.b = append(w.b, byte(wireTrue))
			} else {
				w.b = append(w.b, byte(wireFalse))
			}
		})
		w.list(2, wireBinary, n, func(i int) { w.text(c.Min[i]) })
		w.list(3, wireBinary, n, func(i int) { w.text(c.Max[i]) })
		w.i32(4, int32(c.Order))
		if c.Nulls != nil {
			w.list(5, wireI64, n, func(i int) { w.varint(c.Nulls[i]) })
		}
	})
	return w.b
}

// Append appends the index to dst.
func (o OffsetIndex) Append(dst []byte) []byte {
	w := &writer{b: dst}
	w.fields(func() {
		w.list(1, wireStruct, len(o), func(i int) {
			w.fields(func() {
				w.i64(1, o[i].Offset)
				w.i32(2, o[i].Size)
				w.i64(3, o[i].FirstRow)
			})
		})
	})
	return w.b
}

// region appends the place of a part of the page index, if there is one, as two fields.
func (w *writer) region(id int16, r Region) {
	if r.Length > 0 {
		w.i64(id, r.Offset)
		w.i32(id+1, r.Length)
	}
}
