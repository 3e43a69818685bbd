package json

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/internal/spool"
	"github.com/colstore/colstore-go/source/format"
)

// A writer writes a file that appears, complete, at Commit, or a stream.
type writer struct {
	out      target
	path     string
	schema   *colstore.Schema // in native byte order
	wrapping wrapping
	lanes    []lane
	buf      []byte // text that is not written yet
	piece    int    // rows that a lane encodes at a time
	threads  int
	rows     int64
	begun    bool // what is before the first row is written

	byColumn bool
	fsys     fsx.FS
	spool    *spool.Spool // of rows that are written by column

	err      error // the first failed write; nothing can follow it
	prepared bool
	closed   bool
}

const (
	bufferBytes = 256 << 10
	// leastWrite is how much text is written at once, but for the last.
	leastWrite = bufferBytes / 4
	// pieceRows is how many rows of a column are encoded before the next piece is looked at, where a file lies by columns.
	pieceRows = 1 << 10
	// mostLanes bounds the goroutines, and so the memory, that one file is worth.
	mostLanes = 8
)

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
	return newWriter(ctx, r, r.Options.Text("orient"), stage(ctx, r))
}

func createLines(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	return newWriter(ctx, r, orientLines, stage(ctx, r))
}

func streamLines(ctx context.Context, out io.Writer, r *format.CreateRequest) (colstore.Sink, error) {
	return newWriter(ctx, r, orientLines, func() (target, error) { return pipe{out}, nil })
}

func stage(ctx context.Context, r *format.CreateRequest) func() (target, error) {
	return func() (target, error) {
		return r.Stage(ctx)
	}
}

func newWriter(ctx context.Context, r *format.CreateRequest, orient string, open func() (target, error)) (colstore.Sink, error) {
	w := &writer{path: r.Path, byColumn: orient == orientColumns, fsys: fsx.Of(ctx), threads: max(1, min(r.Threads, mostLanes))}
	fail := func(column string, err error) (colstore.Sink, error) {
		return nil, &colstore.Error{Op: "create", Path: r.Path, Column: column, Err: err}
	}
	if r.Schema.Len() == 0 {
		return fail("", fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	fields := make([]colstore.Field, r.Schema.Len())
	for i, f := range r.Schema.All() {
		if !utf8.ValidString(f.Name) {
			return fail(f.Name, fmt.Errorf("%w: the name is not UTF-8; rename the column", colstore.ErrValue))
		}
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
	}
	var err error
	if w.schema, err = colstore.NewSchema(fields...); err != nil {
		return fail("", err)
	}
	w.wrapping = newWrapping(orient, w.schema)
	w.piece = max(1, bufferBytes/w.rowText())
	if w.byColumn {
		w.threads = 1
	}
	w.lanes = make([]lane, w.threads)
	for i := range w.lanes {
		w.lanes[i] = lane{specials: specialsOf(r.Options.Text("nonfinite")), scratch: make([][]byte, w.schema.Len()), cells: make([]encoder, w.schema.Len())}
	}
	if w.out, err = open(); err != nil {
		return nil, err
	}
	return w, nil
}

// Write appends the rows of b. A batch of another schema, or with a value that JSON cannot hold, is refused; after an
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
	err := error(nil)
	if w.byColumn {
		err = w.keep(b)
	} else {
		err = w.writeRows(b)
	}
	if err != nil {
		w.err = w.failed(err)
	}
	return w.err
}

// keep appends the rows of b to the spool.
func (w *writer) keep(b *colstore.Batch) (err error) {
	if w.spool == nil {
		if w.spool, err = spool.New(w.fsys, w.path, w.schema); err != nil {
			return err
		}
	}
	w.rows += int64(b.Rows())
	return w.spool.Write(b)
}

// writeRows writes the rows of b one after the other.
func (w *writer) writeRows(b *colstore.Batch) error {
	for at := 0; at < b.Rows(); {
		n := min(len(w.lanes), (b.Rows()-at+w.piece-1)/w.piece)
		if err := parallel.Each(n, w.threads, func(i int) error {
			from := at + i*w.piece
			w.lanes[i].encode(w, b, from, min(from+w.piece, b.Rows()))
			return nil
		}); err != nil {
			return err
		}
		for i := range w.lanes[:n] {
			l := &w.lanes[i]
			if l.err != nil {
				return l.err
			}
			if err := w.write(l.buf); err != nil {
				return err
			}
		}
		at = min(at+n*w.piece, b.Rows())
	}
	w.begun = w.begun || b.Rows() > 0
	w.rows += int64(b.Rows())
	return nil
}

// appendLabel appends the name of a row, its number.
func appendLabel(dst []byte, row int64) []byte {
	return append(decimal.AppendInt(append(dst, '"'), row), '"', ':')
}

// write writes text, once there is enough of it.
func (w *writer) write(text []byte) error {
	if len(w.buf)+len(text) < leastWrite {
		w.buf = append(w.buf, text...)
		return nil
	}
	if err := w.flush(1); err != nil {
		return err
	}
	_, err := w.out.Write(text)
	return err
}

// flush writes the buffer if it holds so many bytes.
func (w *writer) flush(least int) error {
	if len(w.buf) < least {
		return nil
	}
	_, err := w.out.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// writeColumns writes the rows of the spool column by column.
func (w *writer) writeColumns(ctx context.Context) error {
	if w.spool != nil {
		if err := w.spool.Flush(); err != nil {
			return err
		}
	}
	w.begun = true
	for i, f := range w.schema.All() {
		w.buf = append(append(w.buf, w.wrapping.names[i]...), '{')
		piece := make([]byte, pieceRows*f.Type.Size())
		var from io.Reader
		if w.spool != nil {
			from = w.spool.Column(i)
		}
		for row := int64(0); row < w.rows; {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			n := int(min(pieceRows, w.rows-row))
			if _, err := io.ReadFull(from, piece[:n*f.Type.Size()]); err != nil {
				return err
			}
			c, err := colstore.NewColumn(f.Type, n, piece)
			if err != nil {
				return err
			}
			encode, err := w.encoder(&w.lanes[0].specials, i, c, row)
			if err != nil {
				return err
			}
			for r := range n {
				if row > 0 {
					w.buf = append(w.buf, ',')
				}
				w.buf = encode(appendLabel(w.buf, row), r)
				row++
				if err := w.flush(bufferBytes); err != nil {
					return err
				}
			}
		}
		w.buf = append(w.buf, '}')
	}
	return nil
}

// fits refuses batches of another schema. Byte order does not matter.
func (w *writer) fits(s *colstore.Schema) error {
	if s.Len() != w.schema.Len() {
		return w.failed(fmt.Errorf("%w: %d columns, the file has %d", colstore.ErrMismatch, s.Len(), w.schema.Len()))
	}
	for i, f := range s.All() {
		if want := w.schema.Field(i); f.Name != want.Name || f.Type.Native() != want.Type {
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

// Prepare writes what is still to be written, and syncs.
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
	if err := w.finish(ctx); err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
			w.err = cause
		} else {
			w.err = w.failed(err)
		}
		return w.err
	}
	w.prepared = true
	return nil
}

func (w *writer) finish(ctx context.Context) error {
	if w.byColumn {
		if err := w.writeColumns(ctx); err != nil {
			return err
		}
	}
	if !w.begun {
		w.buf = append(w.buf, w.wrapping.empty...)
	} else {
		w.buf = append(w.buf, w.wrapping.tail...)
	}
	if err := w.flush(0); err != nil {
		return err
	}
	return w.out.Prepare()
}

// Commit publishes the file.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	if w.closed {
		return w.failed(colstore.ErrClosed)
	}
	if err := w.out.Commit(); err != nil {
		w.err = err
		return err
	}
	w.closed = true
	_ = w.dropSpool() // what it leaves behind, the next writer removes
	return nil
}

// Abort drops the file. After Commit it does nothing; it may be called any number of times.
func (w *writer) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return errors.Join(w.dropSpool(), w.out.Abort())
}

func (w *writer) dropSpool() error {
	if w.spool == nil {
		return nil
	}
	return w.spool.Abort()
}

// Warnings tells of floats that were written as null and will be read as NaN, though they were infinite, and what the
// target tells.
func (w *writer) Warnings() []string {
	infinite := int64(0)
	for i := range w.lanes {
		infinite += w.lanes[i].specials.infinite
	}
	if infinite == 0 {
		return w.out.Warnings()
	}
	return append(w.out.Warnings(),
		fmt.Sprintf("%s: %d infinite numbers were written as null, since JSON has none; --nonfinite literal keeps them", w.path, infinite))
}

// Cost returns the lanes' buffers, the scratch for columns that are not plain, and the spool of a file that is written by
// columns.
func (w *writer) Cost([]string) colstore.Cost {
	cost := int64(bufferBytes + len(w.lanes)*(bufferBytes+w.rowText()+w.piece*w.schema.RowBytes()))
	if w.byColumn {
		cost += spool.Holds(w.schema)
	}
	return colstore.Cost{Fixed: cost}
}

// rowText returns how many bytes of text a row has, about or at most.
func (w *writer) rowText() int {
	row := 0
	for i, f := range w.schema.All() {
		row += len(w.wrapping.names[i]) + 32
		if f.Type.IsString() {
			const escape = 6 // bytes of \u0001
			row += escape * f.Type.Size()
		}
	}
	return row
}
