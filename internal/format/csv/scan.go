package csv

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A scan is one pass over some rows.
type scan struct {
	s       *source
	schema  *colstore.Schema
	columns []column
	asked   colstore.Range
	rows    colstore.Range // what is left of them; End is math.MaxInt64 if the end is not known
	most    int            // rows a batch
	mem     colstore.Allocator
	reads   []read

	in   *input
	used int // rows of the input's block that are done with
}

// A read is what becomes of the cells of one of the file's columns: the numbers of columns of the scan.
type read struct {
	cell    int
	columns []int
}

// The batch of a scan that does not say has at most so many rows and bytes.
const (
	batchRows  = 1 << 16
	batchBytes = 16 << 20
)

func (s *source) newScan(q colstore.Scan) (*scan, error) {
	if s.closed.Load() {
		return nil, colstore.ErrClosed
	}
	sc := &scan{s: s, schema: s.schema, columns: s.columns, asked: q.Rows, rows: q.Rows, most: q.BatchRows, mem: q.Mem}
	if q.Columns != nil {
		var err error
		if sc.schema, err = s.schema.Select(q.Columns...); err != nil {
			return nil, err
		}
		sc.columns = make([]column, len(q.Columns))
		for i, n := range q.Columns {
			at, _ := s.schema.Index(n)
			sc.columns[i] = s.columns[at]
		}
	}
	at := map[int]int{}
	for i, c := range sc.columns {
		n, ok := at[c.cell]
		if !ok {
			n = len(sc.reads)
			at[c.cell] = n
			sc.reads = append(sc.reads, read{cell: c.cell})
		}
		sc.reads[n].columns = append(sc.reads[n].columns, i)
	}
	if sc.most <= 0 {
		sc.most = max(1, min(batchRows, batchBytes/max(1, sc.schema.RowBytes())))
	}
	switch {
	case sc.rows.End == 0 && s.rows >= 0:
		sc.rows.End = s.rows
	case sc.rows.End == 0:
		sc.rows.End = math.MaxInt64
	}
	if sc.rows.Begin < 0 || sc.rows.Begin > sc.rows.End || s.rows >= 0 && sc.rows.End > s.rows {
		return nil, outOfRange(q.Rows, s.rows)
	}
	start := s.file.body
	if s.index != nil {
		if err := s.file.unchanged(); err != nil {
			return nil, err
		}
		start = s.index.places[s.index.before(sc.rows.Begin)]
	}
	sc.in = s.input()
	sc.in.reset(start)
	return sc, nil
}

func outOfRange(r colstore.Range, rows int64) error {
	if r.End == 0 {
		return fmt.Errorf("%w: rows from %d on, there are %d", colstore.ErrRange, r.Begin, rows)
	}
	return fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, r.Begin, r.End, rows)
}

// input returns an input with a block, which goes back to s.inputs when it is done with.
func (s *source) input() *input {
	if in, ok := s.inputs.Get().(*input); ok {
		return in
	}
	in := s.file.input(s.longest)
	in.block = newBlock(len(s.file.names), s.file.sizes)
	in.block.valid = s.index != nil
	return in
}

func (sc *scan) close() {
	if len(sc.in.buf)-slack <= sc.s.longest {
		sc.s.inputs.Put(sc.in)
	}
}

// need makes sure that the input's block has a row that is still to be read. Behind the last row of the file it returns
// io.EOF.
func (sc *scan) need() error {
	for {
		left := sc.in.block.rows - sc.used
		if ahead := sc.rows.Begin - (sc.in.at.row + int64(sc.used)); ahead > 0 {
			n := int(min(int64(left), ahead))
			sc.used, left = sc.used+n, left-n
		}
		if left > 0 {
			return nil
		}
		sc.used = 0
		if err := sc.in.next(); err != nil {
			sc.in.block.rows = 0
			return err
		}
		if sc.s.index != nil && !sc.s.index.holds(sc.in) {
			return errChanged
		}
	}
}

var errChanged = fmt.Errorf("%w: the file changed after it was read for the first time; read it again when it is complete, or a copy of it", colstore.ErrFormat)

// batch returns the next rows, or nil behind the last.
func (sc *scan) batch() (*colstore.Batch, error) {
	if sc.rows.Begin >= sc.rows.End {
		return nil, sc.finish()
	}
	switch err := sc.need(); {
	case errors.Is(err, io.EOF):
		return nil, sc.ended()
	case err != nil:
		return nil, err
	}
	b, err := sc.newBuffers()
	if err != nil {
		return nil, err
	}
	at := colstore.Range{Begin: sc.rows.Begin, End: sc.rows.Begin}
	for b.rows < b.most {
		if err := sc.need(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.release()
			return nil, err
		}
		n := min(sc.in.block.rows-sc.used, b.most-b.rows)
		if err := sc.decode(b, n); err != nil {
			b.release()
			return nil, err
		}
		sc.used += n
		at.End += int64(n)
		sc.rows.Begin = at.End
	}
	return b.batch(sc.schema, at)
}

// decode reads n rows of the block into the buffers. Of several bad cells the one of the first row is the error's.
func (sc *scan) decode(b *buffers, n int) (err error) {
	first := n
	for _, r := range sc.reads {
		cells := sc.in.block.column(sc.s.file.d, r.cell, sc.used, sc.used+n)
		for _, i := range r.columns {
			c, dst := &sc.columns[i], b.columns[i].Slice(b.rows, b.rows+n, 1)
			if c.mask {
				mask(dst, &cells)
			} else if bad := c.decode(dst, &cells); bad >= 0 && bad < first {
				first, err = bad, sc.refused(c, cells.at(bad), bad)
			}
		}
	}
	b.rows += n
	return err
}

// refused returns the error for a cell of a row after those that have been used.
func (sc *scan) refused(c *column, cell []byte, after int) error {
	row := colstore.At(sc.in.at.row + int64(sc.used+after))
	if len(cell) == 0 && !c.found {
		return format.NullFound(sc.s.file.path, c.name, row)
	}
	return &colstore.Error{Column: c.name, Row: row, Err: badCell(c.typ, cell, c.found)}
}

// mask tells which cells are there.
func mask(dst colstore.Column, c *cells) {
	for i, out := 0, values[uint8](dst); i < len(out); i++ {
		out[i] = 0
		if c.lo[i] < c.hi[i] {
			out[i] = 1
		}
	}
}

// ended is the error for the end of the file, if it should not be there.
func (sc *scan) ended() error {
	switch {
	case sc.s.index != nil:
		return errChanged
	case sc.rows.End == math.MaxInt64 && sc.rows.Begin <= sc.in.at.row:
		return nil
	}
	return outOfRange(sc.asked, sc.in.at.row)
}

// finish makes sure, behind the last row asked for, that the file is still the one that was indexed.
func (sc *scan) finish() error {
	if sc.s.index == nil {
		return nil
	}
	if sc.rows.End == sc.s.rows {
		if sc.used < sc.in.block.rows {
			return errChanged
		}
		if err := sc.in.next(); err == nil {
			return errChanged
		} else if !errors.Is(err, io.EOF) {
			return err
		}
	}
	return sc.s.file.unchanged()
}

// buffers are the columns of a batch while it is being filled.
type buffers struct {
	columns []colstore.Column
	memory  [][]byte
	mem     colstore.Allocator
	rows    int
	most    int
}

// newBuffers returns room for the rows of the next batch.
//
// Errors: colstore.ErrBudget when the allocator has none.
func (sc *scan) newBuffers() (*buffers, error) {
	b := &buffers{mem: sc.mem, columns: make([]colstore.Column, len(sc.columns))}
	// A row has at least a byte and a line break, so that a file that ends soon bounds the rows too.
	left := (sc.s.file.size-sc.in.at.offset)/2 + 2
	b.most = int(min(int64(sc.most), sc.rows.End-sc.rows.Begin, left))
	for i, c := range sc.columns {
		size := b.most * c.typ.Size()
		if b.most > math.MaxInt/c.typ.Size() {
			b.release()
			return nil, fmt.Errorf("%w: a batch of %d rows", colstore.ErrBudget, b.most)
		}
		var data []byte
		if b.mem == nil {
			data = make([]byte, size)
		} else if data = b.mem.Get(size); data == nil {
			b.release()
			return nil, &colstore.Error{Column: c.name, Err: fmt.Errorf("%w: %d rows of %s", colstore.ErrBudget, b.most, c.typ.Name())}
		} else {
			b.memory = append(b.memory, data)
		}
		var err error
		if b.columns[i], err = colstore.NewColumn(c.typ, b.most, data); err != nil {
			b.release()
			return nil, err
		}
	}
	return b, nil
}

func (b *buffers) release() {
	for _, m := range b.memory {
		b.mem.Put(m)
	}
	b.memory = nil
}

// batch hands the filled rows over.
func (b *buffers) batch(s *colstore.Schema, at colstore.Range) (*colstore.Batch, error) {
	for i, c := range b.columns {
		b.columns[i] = c.Slice(0, b.rows, 1)
	}
	batch, err := colstore.NewOwnedBatch(s, at, b.release, b.columns...)
	if err != nil {
		b.release()
	}
	return batch, err
}
