package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source/format"
)

// A writer writes a file that appears, complete, at Commit, or a stream.
type writer struct {
	out       target
	path      string
	schema    *colstore.Schema
	delimiter byte
	quoted    [256]bool // bytes for which a cell is quoted
	lanes     []lane
	pending   []byte // text too short for a write of its own: the header, small batches
	piece     int    // rows that a lane encodes at a time
	threads   int
	rows      int64
	err       error // the first failed write; nothing can follow it
	prepared  bool
	closed    bool
}

const (
	bufferBytes = 256 << 10
	// leastWrite is how much text is written at once, but for the last.
	leastWrite = bufferBytes / 4
	// mostLanes bounds the goroutines, and so the memory, that one file is worth.
	mostLanes = 8
)

// A lane encodes a piece of a batch. Several do so side by side; what they have written goes out in the order of the rows.
type lane struct {
	buf     []byte
	scratch [][]byte // by column, for values that do not lie as they are encoded
	cells   []encoder
	err     error
}

// A target is where the text goes: a staged file, or a stream.
type target interface {
	io.Writer
	Prepare() error
	Commit() error
	Warnings() []string
	Abort() error
}

// pipe is a stream as a target: what was written is gone.
type pipe struct{ io.Writer }

func (pipe) Prepare() error     { return nil }
func (pipe) Commit() error      { return nil }
func (pipe) Warnings() []string { return nil }
func (pipe) Abort() error       { return nil }

func create(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	return newWriter(r, func() (target, error) {
		return r.Stage(ctx)
	})
}

func stream(_ context.Context, out io.Writer, r *format.CreateRequest) (colstore.Sink, error) {
	return newWriter(r, func() (target, error) { return pipe{out}, nil })
}

func newWriter(r *format.CreateRequest, open func() (target, error)) (colstore.Sink, error) {
	if r.Schema.Len() == 0 {
		return nil, &colstore.Error{Op: "create", Path: r.Path, Err: fmt.Errorf("%w: a table needs a column", colstore.ErrValue)}
	}
	w := &writer{path: r.Path, schema: r.Schema, threads: max(1, min(r.Threads, mostLanes))}
	w.piece = max(1, bufferBytes/w.rowText())
	w.delimiter, _ = character(r.Options.Text("delimiter"))
	for _, c := range []byte{w.delimiter, '"', '\n', '\r'} {
		w.quoted[c] = true
	}
	var err error
	if w.out, err = open(); err != nil {
		return nil, err
	}
	w.lanes = make([]lane, w.threads)
	for i := range w.lanes {
		w.lanes[i] = lane{scratch: make([][]byte, r.Schema.Len()), cells: make([]encoder, r.Schema.Len())}
	}
	if r.Options.Bool("header") {
		if err := w.header(); err != nil {
			return nil, errors.Join(err, w.Abort())
		}
	}
	return w, nil
}

// header appends the names. They go out before the first rows.
func (w *writer) header() error {
	for i, f := range w.schema.All() {
		if !utf8.ValidString(f.Name) {
			return &colstore.Error{Op: "write", Path: w.path, Column: f.Name, Err: fmt.Errorf("%w: the name is not UTF-8; rename the column", colstore.ErrValue)}
		}
		if i > 0 {
			w.pending = append(w.pending, w.delimiter)
		}
		w.pending = w.appendCell(w.pending, []byte(f.Name))
	}
	w.pending = w.endRow(w.pending, 0)
	return nil
}

// endRow ends the row that begins at begin. A row of one empty cell would be a blank line, which is none.
func (w *writer) endRow(dst []byte, begin int) []byte {
	if len(dst) == begin {
		dst = append(dst, '"', '"')
	}
	return append(dst, '\n')
}

// Write appends the rows of b. A batch of another schema, or with a value that text cannot hold, is refused; after an
// error only Abort is useful.
func (w *writer) Write(ctx context.Context, b *colstore.Batch) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch {
	case w.closed || w.prepared:
		return w.failed(colstore.ErrClosed)
	case w.err != nil:
		return w.err
	}
	if err := w.fits(b.Schema()); err != nil {
		return err
	}
	for at := 0; at < b.Rows(); {
		n := min(len(w.lanes), (b.Rows()-at+w.piece-1)/w.piece)
		w.err = parallel.Each(n, w.threads, func(i int) error {
			from := at + i*w.piece
			w.lanes[i].encode(w, b, from, min(from+w.piece, b.Rows()))
			return nil
		})
		for i := range w.lanes[:n] {
			if w.err == nil {
				w.err = w.lanes[i].err
			}
			if w.err == nil {
				w.err = w.write(w.lanes[i].buf)
			}
		}
		if w.err != nil {
			return w.err
		}
		at = min(at+n*w.piece, b.Rows())
	}
	w.rows += int64(b.Rows())
	return nil
}

// write writes text, once there is enough of it.
func (w *writer) write(text []byte) error {
	if len(w.pending)+len(text) < leastWrite {
		w.pending = append(w.pending, text...)
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	if _, err := w.out.Write(text); err != nil {
		return w.failed(err)
	}
	return nil
}

// flush writes what is still to be written.
func (w *writer) flush() error {
	if len(w.pending) == 0 {
		return nil
	}
	_, err := w.out.Write(w.pending)
	w.pending = w.pending[:0]
	if err != nil {
		return w.failed(err)
	}
	return nil
}

// encode puts the text of some rows of a batch in the lane's buffer.
func (l *lane) encode(w *writer, b *colstore.Batch, from, to int) {
	l.err = nil
	for i := range l.cells {
		c := l.plain(i, b.At(i).Slice(from, to, 1))
		if err := w.check(i, c, w.rows+int64(from)); err != nil && (l.err == nil || rowOf(err) < rowOf(l.err)) {
			l.err = err
		}
		l.cells[i] = w.encoder(c)
	}
	if l.err != nil {
		return
	}
	dst := l.buf[:0]
	for r := range to - from {
		begin := len(dst)
		dst = l.cells[0](dst, r)
		for _, cell := range l.cells[1:] {
			dst = cell(append(dst, w.delimiter), r)
		}
		dst = w.endRow(dst, begin)
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

// check refuses values that text cannot hold: bytes that are no UTF-8 or have a NUL, and numbers that are no code points.
// begin is the number of the first.
func (w *writer) check(i int, c colstore.Column, begin int64) error {
	row, why := -1, ""
	switch c.Type().Kind() {
	case colstore.KindBytes:
		row = badBytes(c)
		why = "the bytes are no UTF-8 text, or have a NUL; leave the column out, or choose another format"
	case colstore.KindText:
		row = badText(c)
		why = "the text holds a number that is no code point; leave the column out, or choose another format"
	}
	if row < 0 {
		return nil
	}
	return &colstore.Error{
		Op: "write", Path: w.path, Column: w.schema.Field(i).Name, Row: colstore.At(begin + int64(row)),
		Err: fmt.Errorf("%w: %s", colstore.ErrValue, why),
	}
}

// fits refuses batches of another schema. Byte order does not matter.
func (w *writer) fits(s *colstore.Schema) error {
	if s == w.schema {
		return nil
	}
	if s.Len() != w.schema.Len() {
		return w.failed(fmt.Errorf("%w: %d columns, the file has %d", colstore.ErrMismatch, s.Len(), w.schema.Len()))
	}
	for i, f := range s.All() {
		if want := w.schema.Field(i); f.Name != want.Name || f.Type.Native() != want.Type.Native() {
			return &colstore.Error{Op: "write", Path: w.path, Column: f.Name, Err: fmt.Errorf("%w: column %d is %q %s, the file has %q %s",
				colstore.ErrMismatch, i, f.Name, f.Type, want.Name, want.Type)}
		}
	}
	return nil
}

func (w *writer) failed(err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: "write", Path: w.path, Err: fsx.Bare(err)}
}

// Prepare writes what is still in memory, and syncs.
func (w *writer) Prepare(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch {
	case w.closed:
		return w.failed(colstore.ErrClosed)
	case w.err != nil:
		return w.err
	case w.prepared:
		return nil
	}
	if w.err = w.flush(); w.err != nil {
		return w.err
	}
	if err := w.out.Prepare(); err != nil {
		w.err = w.failed(err)
		return w.err
	}
	w.prepared = true
	return nil
}

// Warnings implements colstore.Warner.
func (w *writer) Warnings() []string { return w.out.Warnings() }

// Commit publishes the file. Without a write it holds the header alone.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	if err := w.out.Commit(); err != nil {
		w.err = err
		return err
	}
	w.closed = true
	return nil
}

// Abort drops the file. After Commit it does nothing; it may be called any number of times.
func (w *writer) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return w.out.Abort()
}

// Cost returns the lanes' buffers, and the scratch for columns that are not plain.
func (w *writer) Cost([]string) colstore.Cost {
	return colstore.Cost{Fixed: leastWrite + int64(len(w.lanes)*(bufferBytes+w.rowText()+w.piece*w.schema.RowBytes()))}
}

// rowText returns how many bytes of text a row has, about or at most.
func (w *writer) rowText() int {
	row := 0
	for _, f := range w.schema.All() {
		if f.Type.IsString() {
			row += 2*f.Type.Size() + 3
		} else {
			row += 32
		}
	}
	return row
}
