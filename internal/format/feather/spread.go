package feather

import (
	"encoding/binary"
	"errors"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/source/format"
)

// A spread is some of the columns that one list or array becomes, in a scan.
type spread struct {
	s      *source
	lists  *lists
	values *cursor // nil if only the number of values is wanted
	// columns are those of the batch, by the place of their values in a row; the last one is how many these are.
	columns []spreadColumn

	// What is under way: the values of some rows, and where those go that are wanted.
	pick         pick
	rows, places []int32
	scratch      []byte
	dst          [][]byte // by place
	cells        []int
	narrow       *columnar.Input // the column with the narrowest dtype, as which values are decoded
}

// A spreadColumn is a column of a batch; its fields number those, -1 is none.
type spreadColumn struct {
	in           *columnar.Input
	values, mask int
	missing      []byte // what a row without this value has
}

// spreadBytes is how much is decoded at once, unless one value is longer.
const spreadBytes = 256 << 10

// newSpread returns the columns of a leaf, none of which is asked for yet, from a row on.
func (s *source) newSpread(l *leaf, row int64) *spread {
	x := &spread{s: s, lists: &lists{f: s.f, leaf: l, row: row}, columns: make([]spreadColumn, l.kept+1)}
	x.dst, x.cells = make([][]byte, l.kept), make([]int, l.kept)
	for i := range x.columns {
		x.columns[i] = spreadColumn{values: -1, mask: -1}
	}
	return x
}

// take has an input, which is the value at a place or, for UnfoldedCount, their number, become columns of the batch.
func (x *spread) take(in *columnar.Input, at int) *spreadColumn {
	if at == format.UnfoldedCount {
		at = len(x.columns) - 1
	} else if x.narrow == nil || in.DType().Size() < x.narrow.DType().Size() {
		x.narrow = in
	}
	c := &x.columns[at]
	if c.in == nil {
		c.in, c.missing = in, format.Missing(in.DType()).Cell().At(0)
	}
	return c
}

// start makes the cursors, once all columns are taken.
func (x *spread) start() {
	if x.narrow == nil {
		return
	}
	x.values = x.s.f.cursor(&x.narrow.Column, x.s.dicts, 0)
	for i := range x.cells {
		x.cells[i] = x.narrow.DType().Size()
		if in := x.columns[i].in; in != nil {
			x.cells[i] = in.DType().Size()
		}
	}
}

func (x *spread) close() {
	x.lists.close()
	if x.values != nil {
		x.values.close()
	}
}

// read brings the next n rows into the buffers of a batch, of which the first is row first.
func (x *spread) read(n int, bufs [][]byte, first int64) error {
	for at := 0; at < n; {
		r, err := x.lists.next(n - at)
		if err != nil {
			return err
		}
		if err := x.begin(&r, bufs, at, first); err != nil {
			return err
		}
		if x.values != nil {
			if err := x.put(&r, bufs, at, first); err != nil {
				return err
			}
		}
		at += r.n
	}
	return nil
}

// begin settles what rows have as far as it does not take their values.
func (x *spread) begin(r *rowsOfLists, bufs [][]byte, at int, first int64) error {
	for i := range x.columns {
		c := &x.columns[i]
		if c.in == nil {
			continue
		}
		if c.mask >= 0 {
			format.Repeat(bufs[c.mask][at:at+r.n], []byte{1})
		}
		if c.values < 0 {
			continue
		}
		size := c.in.DType().Size()
		dst := bufs[c.values][at*size : (at+r.n)*size]
		if i < len(x.dst) {
			format.Repeat(dst, c.missing)
			continue
		}
		for row := range r.n {
			binary.LittleEndian.PutUint64(dst[8*row:], uint64(r.count(row)))
		}
	}
	if r.valid == nil && !r.empty {
		return nil
	}
	for row := range r.n {
		if r.has(row) {
			continue
		}
		for i := range x.columns {
			if err := x.null(&x.columns[i], bufs, at+row, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// null puts the null of a row into a column.
func (x *spread) null(c *spreadColumn, bufs [][]byte, row int, first int64) error {
	if c.in == nil {
		return nil
	}
	if c.mask >= 0 {
		bufs[c.mask][row] = 0
	}
	fill := c.in.Fill()
	if !fill.Valid() {
		return x.s.plan.Words.Null(c.in.Name, colstore.At(first+int64(row)))
	}
	if c.values >= 0 {
		copy(bufs[c.values][row*fill.Type().Size():], fill.Cell().At(0))
	}
	return nil
}

// put brings the values of rows to where they belong.
func (x *spread) put(r *rowsOfLists, bufs [][]byte, at int, first int64) error {
	for i := range x.dst {
		x.dst[i] = nil
		if c := &x.columns[i]; c.in != nil && c.values >= 0 {
			x.dst[i] = bufs[c.values]
		}
	}
	x.reset()
	for row := range r.n {
		begin := r.begins[row]
		kept := int(min(r.count(row), int64(len(x.dst))))
		if kept == 0 || !r.has(row) {
			continue
		}
		if !x.pick.fits(begin) {
			if err := x.flush(bufs, first); err != nil {
				return err
			}
			x.reset()
		}
		x.pick.add(begin, kept)
		for i := range kept {
			x.rows, x.places = append(x.rows, int32(at+row)), append(x.places, int32(i))
		}
	}
	return x.flush(bufs, first)
}

func (x *spread) reset() {
	x.pick.reset()
	x.rows, x.places = x.rows[:0], x.places[:0]
}

// flush decodes the values that wait. Of text and bytes only those that are wanted are looked at: the others may be longer.
func (x *spread) flush(bufs [][]byte, first int64) error {
	p, in := &x.pick, x.narrow
	if p.wanted == 0 {
		return nil
	}
	if err := x.values.forward(p.begin); err != nil {
		return err
	}
	size := in.DType().Size()
	step := max(1, spreadBytes/size)
	if len(x.scratch) < min(step, p.n)*size {
		x.scratch = make([]byte, min(step, max(p.n, stepRows))*size)
	}
	err := x.values.rows(p.n, nil, nil, func(v *columnar.Values, at, n int) error {
		for begin := 0; begin < n; begin += step {
			end := min(n, begin+step)
			if !in.IsLong() {
				if err := v.PutPresent(x.scratch[:(end-begin)*size], in, begin, end); err != nil {
					return err
				}
			}
			if err := p.each(at+begin, at+end, func(from, to, wanted int) error {
				values := x.scratch[(from-at-begin)*size : (to-at-begin)*size]
				if in.IsLong() {
					if err := v.PutPresent(values, in, from-at, to-at); err != nil {
						return err
					}
				}
				n := to - from
				format.Scatter(x.dst, x.cells, values, size, x.rows[wanted:wanted+n], x.places[wanted:])
				return x.nulls(v, from-at, n, wanted, bufs, first)
			}); err != nil {
				return err
			}
		}
		return nil
	})
	b, ok := errors.AsType[*columnar.BadValue](err)
	if !ok {
		return err
	}
	i := p.wantedAt(b.At)
	if other := x.columns[x.places[i]].in; other != nil {
		in = other
	}
	return x.s.plan.Words.Failed(in.Name, first, &columnar.BadValue{At: int(x.rows[i]), Err: b.Err})
}

// nulls puts the nulls among n values from begin on, which are wanted ones from wanted on, to where they belong.
func (x *spread) nulls(v *columnar.Values, begin, n, wanted int, bufs [][]byte, first int64) error {
	if v.Nulls(begin, begin+n) == 0 {
		return nil
	}
	for i := range n {
		if v.Has(begin + i) {
			continue
		}
		if err := x.null(&x.columns[x.places[wanted+i]], bufs, int(x.rows[wanted+i]), first); err != nil {
			return err
		}
	}
	return nil
}
