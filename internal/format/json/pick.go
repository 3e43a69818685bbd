package json

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A picker brings parts of the lists and objects of a column to where a block has cells for them.
type picker struct {
	parts  map[string]*picker // of objects
	whole  int32              // the slot of the value itself
	values []int32            // of a list's values, by their place
	count  int32              // of how many a list has
}

// noSlot is where nobody wants cells.
const noSlot = -1

func newPicker() *picker { return &picker{parts: map[string]*picker{}, whole: noSlot, count: noSlot} }

// to returns the picker at the end of a route, which is made if it is not there.
func (k *picker) to(route []string) *picker {
	for _, name := range route {
		next := k.parts[name]
		if next == nil {
			next = newPicker()
			k.parts[name] = next
		}
		k = next
	}
	return k
}

// slot returns where the slot of a place is kept.
func (k *picker) slot(at int) *int32 {
	switch at {
	case format.UnfoldedWhole:
		return &k.whole
	case format.UnfoldedCount:
		return &k.count
	}
	for len(k.values) <= at {
		k.values = append(k.values, noSlot)
	}
	return &k.values[at]
}

// clear makes the cells of a row those of a value that is not there.
func (k *picker) clear(f *feed) {
	if k.whole >= 0 {
		f.cells[k.whole][f.block].kind = kindMissing
	}
	if k.count >= 0 {
		f.cells[k.count][f.block].kind = kindMissing
	}
	for _, s := range k.values {
		if s >= 0 {
			f.cells[s][f.block].kind = kindMissing
		}
	}
	for _, p := range k.parts {
		p.clear(f)
	}
}

// pick sets the cells of a row by a value. The text is known to be JSON.
func (k *picker) pick(f *feed, c cell) {
	switch {
	case k.whole >= 0:
		f.cells[k.whole][f.block] = c
	case c.kind == kindList:
		k.list(f, int(c.lo))
	case c.kind == kindObject:
		var room [64]byte
		for i := f.space(int(c.lo) + 1); f.p[i] != '}'; {
			name, next := f.member(i, room[:])
			var v cell
			i = f.behindComma(f.value(next, &v))
			if p := k.parts[string(name)]; p != nil {
				p.clear(f) // of a name that is there twice the later value counts
				p.pick(f, v)
			}
		}
	}
}

// list sets the cells of a list's values, whose bracket is at i, and of their number.
func (k *picker) list(f *feed, i int) {
	n := 0
	for i = f.space(i + 1); f.p[i] != ']'; n++ {
		var v cell
		i = f.behindComma(f.value(i, &v))
		if n < len(k.values) && k.values[n] >= 0 {
			f.cells[k.values[n]][f.block] = v
		}
	}
	for at := n; at < len(k.values); at++ {
		if s := k.values[at]; s >= 0 {
			f.cells[s][f.block].kind = kindBeyond
		}
	}
	if k.count >= 0 {
		f.cells[k.count][f.block] = cell{kind: kindInt, lo: uint32(n)}
	}
}

// decodeList decodes cells of a column that is made of a list. It returns the first that is none of the column, or -1.
func (c *column) decodeList(dst colstore.Column, p []byte, cells []cell) int {
	if c.at == format.UnfoldedCount {
		for i, out := 0, values[int64](dst); i < len(out); i++ {
			out[i] = int64(cells[i].lo)
		}
	} else {
		// To the decoder a value that is beyond the end of its list is one that is not there.
		for i := range cells {
			if cells[i].kind == kindBeyond {
				cells[i].kind = kindMissing
			} else if cells[i].kind == kindMissing {
				cells[i].kind = kindNull
			}
		}
		bad := c.decode(dst, p, cells)
		for i := range cells {
			if cells[i].kind == kindMissing {
				cells[i].kind = kindBeyond
			} else if cells[i].kind == kindNull {
				cells[i].kind = kindMissing
			}
		}
		if bad >= 0 {
			return bad
		}
	}
	return c.fillNulls(dst, cells)
}

// fillNulls puts what nulls become where they are.
func (c *column) fillNulls(dst colstore.Column, cells []cell) int {
	for i := range cells {
		switch {
		case cells[i].kind > kindNull:
		case !c.fill.Valid():
			return i
		default:
			value := dst.At(i)
			clear(value[copy(value, c.fill.Cell().At(0)):])
		}
	}
	return -1
}
