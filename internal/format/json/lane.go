package json

import (
	"errors"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// A lane encodes a piece of a batch. Several do so side by side; what they have written goes out in the order of the rows.
type lane struct {
	buf      []byte
	scratch  [][]byte // by column, for values that do not lie as they are encoded
	cells    []encoder
	specials specials
	err      error
}

// encode puts the text of some rows of a batch in the lane's buffer. Of several values that JSON cannot hold the one of the
// first row is the error's.
func (l *lane) encode(w *writer, b *colstore.Batch, from, to int) {
	l.err = nil
	first := w.rows + int64(from)
	for i := range l.cells {
		cell, err := w.encoder(&l.specials, i, l.plain(i, b.At(i).Slice(from, to, 1)), first)
		if err != nil && (l.err == nil || rowOf(err) < rowOf(l.err)) {
			l.err = err
		}
		l.cells[i] = cell
	}
	if l.err != nil {
		return
	}
	f, dst := &w.wrapping, l.buf[:0]
	for r := range to - from {
		row := first + int64(r)
		if row == 0 {
			dst = append(dst, f.head...)
		} else {
			dst = append(dst, f.between...)
		}
		if f.labels {
			dst = appendLabel(dst, row)
		}
		for i, cell := range l.cells {
			dst = append(dst, f.names[i]...)
			dst = cell(dst, r)
		}
		dst = append(dst, f.rowEnd...)
	}
	l.buf = dst
}

// rowOf returns the row of an error that has one.
func rowOf(err error) int64 {
	e, _ := errors.AsType[*colstore.Error](err)
	row, _ := e.Row.Get()
	return row
}

// plain returns the values of column i back to back in native byte order, in memory of the lane's if need be.
func (l *lane) plain(i int, c colstore.Column) colstore.Column {
	if c.IsPlain() {
		return c
	}
	size := c.Rows() * c.Type().Size()
	if len(l.scratch[i]) < size {
		l.scratch[i] = make([]byte, size)
	}
	kernel.Load(l.scratch[i], c)
	out, err := colstore.NewColumn(c.Type().Native(), c.Rows(), l.scratch[i])
	if err != nil {
		panic(err) // the scratch has the column's size
	}
	return out
}
