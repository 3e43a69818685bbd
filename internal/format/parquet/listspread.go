package parquet

import (
	"context"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// ofList settles a column that is made of a list. All columns of one have the same width, and masks if there is any null in
// the list; how many values it has, a mask if rows are null.
func (x *choice) ofList(ctx context.Context, w *workspace) (input, error) {
	c, declared := x.c, x.declared != colstore.DType{}
	isCount := c.at == format.UnfoldedCount
	if c.refused != nil && !c.unknown {
		return input{}, c.refused
	}
	x.found = survey{
		wantNulls: x.f.nulls.Mode == format.NullMask && !x.hasValue(),
		wantWidth: !isCount && c.isVariable() && (!declared || x.declared.Kind() != c.typ.Kind()),
		wantUnit:  !isCount && c.form == formNanos && !declared,
	}
	if x.found.wantNulls || x.found.wantWidth || x.found.wantUnit {
		s := x.lists[c.leaf]
		if s == nil || x.found.wantWidth && !s.wantWidth || x.found.wantUnit && !s.wantUnit {
			s = &listSurvey{col: c, wantWidth: x.found.wantWidth, wantUnit: x.found.wantUnit}
			if err := guard(func() error { return s.run(ctx, x.f, w) }); err != nil {
				return input{}, err
			}
			x.lists[c.leaf] = s
		}
		x.found.width, x.found.coarse = s.width, s.coarse
		x.found.nulls = s.nullRows || !isCount && s.nullValues
	}
	if c.unknown {
		c.typ, c.refused, x.flexible = colstore.Float64, nil, true
		if declared {
			c.typ = x.declared
		}
	} else if err := x.settle(); err != nil {
		return input{}, err
	}
	fill, err := x.policy()
	if err != nil {
		return input{}, err
	}
	if fill == nil && c.unknown && c.typ.Kind() == colstore.KindFloat {
		fill = format.Missing(c.typ).Cell().At(0) // floats say by themselves that a value is missing
	}
	return input{col: c, typ: c.typ, fill: fill}, nil
}

// A listSpread is some of the columns that one list becomes, in a scan.
type listSpread struct {
	f       *file
	reader  *listReader
	begun   bool
	columns []spreadColumn // by the place of their values in a row; the last one is how many these are

	narrow  *input // the column with the narrowest dtype, as which values are decoded; nil if none is wanted
	scratch []byte
	dst     [][]byte // by place
	cells   []int
}

// A spreadColumn is a column of a batch; its fields number those, -1 is none.
type spreadColumn struct {
	in           *input
	values, mask int
	missing      []byte // what a row without this value has
}

// spreadBytes is how much is decoded at once, unless one value is longer.
const spreadBytes = 256 << 10

// spreads returns the lists that these outputs are made of, each once.
func (s *source) spreads(outputs []output) []*listSpread {
	var out []*listSpread
	at := map[int]*listSpread{}
	for i, o := range outputs {
		in := &s.inputs[o.input]
		if in.col.list == nil {
			continue
		}
		x := at[in.col.leaf]
		if x == nil {
			x = newListSpread(s.f, in.col.list.kept)
			at[in.col.leaf] = x
			out = append(out, x)
		}
		if c := x.take(in); o.mask {
			c.mask = i
		} else {
			c.values = i
		}
	}
	for _, x := range out {
		x.finish()
	}
	return out
}

func newListSpread(f *file, kept int) *listSpread {
	x := &listSpread{f: f, columns: make([]spreadColumn, kept+1), dst: make([][]byte, kept), cells: make([]int, kept)}
	for i := range x.columns {
		x.columns[i] = spreadColumn{values: -1, mask: -1}
	}
	return x
}

// take makes room for an input.
func (x *listSpread) take(in *input) *spreadColumn {
	at := in.col.at
	if at == format.UnfoldedCount {
		at = len(x.columns) - 1
	} else if x.narrow == nil || in.typ.Size() < x.narrow.typ.Size() {
		x.narrow = in
	}
	c := &x.columns[at]
	if c.in == nil {
		c.in, c.missing = in, format.Missing(in.typ).Cell().At(0)
	}
	return c
}

// finish makes the reader, once all inputs are taken.
func (x *listSpread) finish() {
	x.reader = &listReader{columnReader: columnReader{f: x.f, col: x.any().col}}
	for i := range x.cells {
		if x.narrow == nil {
			break
		}
		x.cells[i] = x.narrow.typ.Size()
		if in := x.columns[i].in; in != nil {
			x.cells[i] = in.typ.Size()
		}
	}
}

// any returns the input as which the list is read.
func (x *listSpread) any() *input {
	if x.narrow != nil {
		return x.narrow
	}
	return x.columns[len(x.columns)-1].in
}

// name returns the name of a column of the list, for messages.
func (x *listSpread) name() string { return x.any().col.name }

// read decodes rows from row on, which is where the reader stands unless it has not begun.
func (x *listSpread) read(bufs [][]byte, rows int, row int64, w *workspace) error {
	if !x.begun {
		x.begun = true
		if err := x.reader.seek(row, w); err != nil {
			return err
		}
	}
	for i := range x.dst {
		x.dst[i] = nil
		if c := &x.columns[i]; c.in != nil && c.values >= 0 {
			x.dst[i] = bufs[c.values]
			format.Repeat(bufs[c.values][:rows*c.in.typ.Size()], c.missing)
		}
	}
	if c := &x.columns[len(x.dst)]; c.values >= 0 {
		clear(bufs[c.values][:8*rows])
	}
	for i := range x.columns {
		if c := &x.columns[i]; c.mask >= 0 {
			format.Repeat(bufs[c.mask][:rows], []byte{1})
		}
	}
	kept := 0
	if x.narrow != nil {
		kept = len(x.dst)
	}
	r := x.reader
	win := r.begin(rows, kept)
	for more := true; more; {
		var err error
		if more, err = r.step(&win, w); err != nil {
			return err
		}
		if err := x.put(row); err != nil {
			return err
		}
		for _, n := range r.nulls {
			if n.place >= 0 {
				err = x.null(&x.columns[n.place], bufs, n.row, row)
			} else {
				err = x.nullRow(bufs, n.row, row)
			}
			if err != nil {
				return err
			}
		}
	}
	return x.count(bufs, rows)
}

// count puts how many values rows have where they are not null.
func (x *listSpread) count(bufs [][]byte, rows int) error {
	c := &x.columns[len(x.columns)-1]
	if c.values < 0 {
		return nil
	}
	out := view[int64](bufs[c.values][:8*rows])
	for i, n := range x.reader.counts[:rows] {
		if n > 0 {
			out[i] = n
		}
	}
	return nil
}

// nullRow puts a null into all columns.
func (x *listSpread) nullRow(bufs [][]byte, at int32, first int64) error {
	for i := range x.columns {
		if err := x.null(&x.columns[i], bufs, at, first); err != nil {
			return err
		}
	}
	return nil
}

// null puts a null into a column.
func (x *listSpread) null(c *spreadColumn, bufs [][]byte, at int32, first int64) error {
	switch {
	case c.in == nil:
		return nil
	case c.in.fill == nil:
		return format.NullFound(x.f.path, c.in.col.name, colstore.At(first+int64(at)))
	}
	if c.mask >= 0 {
		bufs[c.mask][at] = 0
	}
	if c.values >= 0 {
		copy(bufs[c.values][int(at)*len(c.in.fill):], c.in.fill)
	}
	return nil
}

// put decodes the values of a step to where they belong. first is the row that the rows of the step count from.
func (x *listSpread) put(first int64) error {
	r := x.reader
	if x.narrow == nil {
		return nil // nor are they decoded later: the next page starts over
	}
	in := x.narrow
	size := in.typ.Size()
	most := max(1, spreadBytes/size)
	at := 0
	for _, run := range r.runs {
		if run.kept > 0 && in.col.unknown {
			return fmt.Errorf("%w: a value in a column whose type (UNKNOWN) has none", colstore.ErrFormat)
		}
		for left := run.kept; left > 0; {
			n := min(left, most)
			x.scratch = sized(x.scratch, n*size)
			if err := r.values(x.scratch, n); err != nil {
				return x.failed(err, first, at)
			}
			format.Scatter(x.dst, x.cells, x.scratch, size, r.rows[at:at+n], r.places[at:])
			at, left = at+n, left-n
		}
		if err := r.skipValues(run.left); err != nil {
			return r.pager.wrap(err)
		}
	}
	return nil
}

// failed gives the error of a value its column and row. at is the first of those that were decoded.
func (x *listSpread) failed(err error, first int64, at int) error {
	b, ok := errors.AsType[*badValue](err)
	if !ok {
		return x.reader.pager.wrap(err)
	}
	at += b.at
	name := x.name()
	if in := x.columns[x.reader.places[at]].in; in != nil {
		name = in.col.name
	}
	return &colstore.Error{Column: name, Row: colstore.At(first + int64(x.reader.rows[at])), Err: b.err}
}
