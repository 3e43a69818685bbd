package json

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A feed reads values of rows block by block: first the places of the values of some rows are found, for all columns at
// once, then each column is worked on alone, so that its dtype is looked at once and not for every value.
type feed struct {
	rows
	slots []int32   // by column of the file: which of cells has its values, or noSlot
	picks []*picker // by column of the file: where parts of its values go; nil for none
	takes [][]int   // by slot: the columns of the scan that come of it
	cells [][]cell  // by slot, of a block's rows
	block int       // rows of the block
	used  int       // of them
	most  int       // rows of a block
}

// The least and the most that a part of sizes gets.
const (
	leastText  = 4 << 10
	shareText  = 1 << 20
	blockRows  = 4096
	leastCells = 64

	cellBytes = 12 // of a cell in memory
)

// share returns the sizes for one of n columns that are read side by side.
func (s sizes) share(n int) sizes {
	if n < 2 {
		return s
	}
	return sizes{text: min(s.text, max(leastText, shareText/n)), cells: min(s.cells, max(leastCells, shareText/16/n))}
}

// blockBytes returns what the cells of n columns take.
func (s sizes) blockBytes(n int) int { return s.blockRows(n) * n * cellBytes }

// blockRows returns the rows of a block of n columns.
func (s sizes) blockRows(n int) int { return max(1, min(blockRows, s.cells/max(1, n))) }

// feed returns a feed with a window of text bytes, and room for the values of width columns. n are those of the file; nil
// is one.
func (t *file) feed(text int, s sizes, width int, f form, around enclosure, n *names) *feed {
	columns := 1
	if n != nil {
		columns = len(n.list)
	}
	out := &feed{
		rows:  rows{in: t.input(text), form: f, around: around, names: n, skip: make([]bool, columns)},
		slots: make([]int32, columns), picks: make([]*picker, columns), most: s.blockRows(width),
	}
	for i := range columns {
		out.skip[i], out.slots[i] = true, noSlot
	}
	return out
}

// take has a column of the scan, which is column i, get its values of a column of the file.
func (f *feed) take(number, i int, c *column) {
	f.skip[number] = false
	slot := &f.slots[number]
	if c.at != format.UnfoldedWhole || len(c.leaf.route) > 0 {
		if f.picks[number] == nil {
			f.picks[number] = newPicker()
		}
		slot = f.picks[number].to(c.leaf.route).slot(c.at)
	}
	if *slot < 0 {
		*slot = int32(len(f.cells))
		f.cells = append(f.cells, make([]cell, f.most))
		f.takes = append(f.takes, nil)
	}
	f.takes[*slot] = append(f.takes[*slot], i)
}

// read decodes the next n rows into the columns of a batch, after those that the scan does not want.
func (f *feed) read(sc *scan, columns []colstore.Column, n int) error {
	for done := 0; done < n; {
		if f.used == f.block {
			if err := f.fill(); err != nil {
				return err
			}
		}
		// The row of the first unused cell.
		at := f.row - int64(f.block-f.used)
		if ahead := sc.left.Begin - at; done == 0 && ahead > 0 {
			f.used += int(min(ahead, int64(f.block-f.used)))
			continue
		}
		rows := min(f.block-f.used, n-done)
		if err := f.decode(sc, columns, done, rows, at); err != nil {
			return err
		}
		f.used, done = f.used+rows, done+rows
	}
	return nil
}

// decode decodes rows of the block. Of several bad values the one of the first row is the error's.
func (f *feed) decode(sc *scan, columns []colstore.Column, done, rows int, at int64) (err error) {
	first := rows
	for slot, takes := range f.takes {
		cells := f.cells[slot][f.used : f.used+rows]
		for _, i := range takes {
			c, dst := &sc.columns[i], columns[i].Slice(done, done+rows, 1)
			if c.mask {
				mask(dst, cells)
				continue
			}
			var bad int
			if c.at == format.UnfoldedWhole {
				bad = c.decode(dst, f.p, cells)
			} else {
				bad = c.decodeList(dst, f.p, cells)
			}
			if bad >= 0 && bad < first {
				first, err = bad, f.refused(c, &cells[bad], at+int64(bad))
			}
		}
	}
	return err
}

// fill finds the values of the next rows, at least one. Those of the block before are gone.
func (f *feed) fill() error {
	f.block, f.used = 0, 0
	for f.block < f.most {
		st, err := f.try()
		if st == textEnded && err == nil && f.block == 0 {
			st, err = f.next()
		}
		switch {
		case err != nil && f.block == 0:
			return err
		case st == rowsEnded && f.block == 0:
			return errChanged // there were more rows when the file was read for the first time
		case err != nil || st != rowFound:
			return nil // the next block meets it again
		}
		for _, cells := range f.cells {
			cells[f.block].kind = kindMissing
		}
		for i := range f.tokens {
			t := &f.tokens[i]
			if slot := f.slots[t.column]; slot >= 0 {
				f.cells[slot][f.block] = t.cell
			}
			if k := f.picks[t.column]; k != nil {
				k.clear(f) // of a key that is there twice the later value counts
				k.pick(f, t.cell)
			}
		}
		f.block++
	}
	return nil
}

// mask tells which values are there.
func mask(dst colstore.Column, cells []cell) {
	for i, out := 0, values[uint8](dst); i < len(out); i++ {
		out[i] = 0
		if cells[i].kind > kindNull {
			out[i] = 1
		}
	}
}

// refused returns the error for a value of a row that is none of its column.
func (f *feed) refused(c *column, v *cell, row int64) error {
	if v.kind <= kindNull && (!c.found || c.nulls) {
		return format.NullFound(f.in.path, c.name, colstore.At(row))
	}
	e := &colstore.Error{Column: c.name, Row: colstore.At(row)}
	if c.found {
		e.Err = errChanged
	} else {
		e.Err = fmt.Errorf("%w: byte %d: %w", colstore.ErrValue, f.in.offset(int(v.lo)), badValue(c.typ, v, f.p[v.lo:v.hi]))
	}
	return e
}
