package formattest_test

// A format of one's own, with nothing but public packages: rows as they lie in memory.
//
//	ROWS1                     the header: a line each
//	"pt" <f8                  the name of a column and its dtype
//	"name" <U8
//	                          an empty line ends it
//	…                         the rows, packed, little-endian
//	rows, 8 bytes             the trailer, by which a file that was cut is told

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

const (
	rowsMagic    = "ROWS1\n"
	rowsTrailer  = 8
	headerBytes  = 1 << 20 // the longest header that is believed
	pieceBytes   = 256 << 10
	defaultBatch = 4 << 20 // bytes of a batch, if the scan does not say
)

// rowsFormat describes the format. It is all that the module needs to know.
var rowsFormat = source.Format{
	Name:       "rows",
	Doc:        "rows as they lie in memory",
	Extensions: []string{".rows"},
	Magic:      func(head []byte) bool { return bytes.HasPrefix(head, []byte(rowsMagic)) },
	Read:       &format.Reading{Open: openRows},
	Write: &format.Writing{
		Create: createRows,
		Options: []format.Option{
			{Name: "buffer", Doc: "bytes of the write buffer", Kind: format.OptionCount, Default: int64(64 << 10)},
		},
	},
}

// rowsFile is an opened file.
type rowsFile struct {
	*os.File
	schema *colstore.Schema
	rows   int64
	begin  int64 // of the first row
	closed atomic.Bool
}

func openRows(_ context.Context, r *format.OpenRequest) (format.File, error) {
	file, err := os.Open(r.Path)
	if err != nil {
		return nil, &colstore.Error{Op: "open", Path: r.Path, Err: format.Cause(err)}
	}
	f := &rowsFile{File: file}
	if err := f.header(); err != nil {
		return nil, errors.Join(&colstore.Error{Op: "open", Path: r.Path, Err: err}, file.Close())
	}
	return f, nil
}

// header reads the header and holds the number of rows against the size of the file, before anything is made of it.
func (f *rowsFile) header() error {
	in := bufio.NewReader(io.NewSectionReader(f, 0, headerBytes))
	line := func() (string, error) {
		s, err := in.ReadString('\n')
		f.begin += int64(len(s))
		if err != nil {
			return "", fmt.Errorf("%w: the header has no end", colstore.ErrFormat)
		}
		return s, nil
	}
	if s, err := line(); err != nil || s != rowsMagic {
		return fmt.Errorf("%w: no rows file", colstore.ErrFormat)
	}
	var fields []colstore.Field
	for {
		s, err := line()
		if err != nil {
			return err
		}
		if s == "\n" {
			break
		}
		at := strings.LastIndexByte(s, ' ')
		name, err := strconv.Unquote(s[:max(0, at)])
		if err != nil {
			return fmt.Errorf("%w: %q is no column", colstore.ErrFormat, s)
		}
		t, err := colstore.ParseCode(strings.TrimSuffix(s[at+1:], "\n"))
		if err != nil || t != t.Native() {
			return fmt.Errorf("%w: column %q has no dtype in native byte order", colstore.ErrFormat, name)
		}
		fields = append(fields, colstore.Field{Name: name, Type: t})
	}
	var err error
	if f.schema, err = colstore.NewSchema(fields...); err != nil {
		return fmt.Errorf("%w: %w", colstore.ErrFormat, err)
	}
	st, err := f.Stat()
	if err != nil {
		return format.Cause(err)
	}
	row, body := int64(f.schema.RowBytes()), st.Size()-f.begin-rowsTrailer
	if row == 0 || body < 0 || body%row != 0 {
		return fmt.Errorf("%w: no whole number of rows", colstore.ErrTruncated)
	}
	var trailer [rowsTrailer]byte
	if _, err := f.ReadAt(trailer[:], f.begin+body); err != nil {
		return format.Cause(err)
	}
	f.rows = body / row
	if n := binary.LittleEndian.Uint64(trailer[:]); n != uint64(f.rows) {
		return fmt.Errorf("%w: there are %d of %d rows", colstore.ErrTruncated, f.rows, n)
	}
	return nil
}

// Names implements format.File.
func (f *rowsFile) Names() []string { return f.schema.Names() }

// Source implements format.File. The columns are known, so nothing is read.
func (f *rowsFile) Source(_ context.Context, p format.Projection) (colstore.Source, error) {
	return format.Project(&rowsSource{f}, f.Name(), p.Columns)
}

// Close implements io.Closer.
func (f *rowsFile) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	return f.File.Close()
}

// rowsSource is all columns of a file.
type rowsSource struct{ f *rowsFile }

func (s *rowsSource) Schema() *colstore.Schema { return s.f.schema }
func (s *rowsSource) Rows() int64              { return s.f.rows }
func (s *rowsSource) Close() error             { return nil }

// Splits implements colstore.Splitter: reading can begin at any row, so runs are parallel.
func (s *rowsSource) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	for at := int64(0); at < s.f.rows; at += int64(rows) {
		out = append(out, colstore.Range{Begin: at, End: min(at+int64(rows), s.f.rows)})
	}
	return out
}

// Cost implements colstore.Coster: what a scan holds beside its batch, and a row of it. Runs keep to their budget by this.
func (s *rowsSource) Cost(columns []string) colstore.Cost {
	schema, err := s.f.schema.Select(columns...)
	if err != nil || columns == nil {
		schema = s.f.schema
	}
	return colstore.Cost{Fixed: int64(max(pieceBytes, s.f.schema.RowBytes())), Row: schema.RowBytes()}
}

// Scan implements colstore.Source.
func (s *rowsSource) Scan(ctx context.Context, q colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		fail := func(err error) { yield(nil, &colstore.Error{Op: "scan", Path: s.f.Name(), Err: err}) }
		schema, err := s.f.schema, error(nil)
		if q.Columns != nil {
			schema, err = schema.Select(q.Columns...)
		}
		if q.Rows.End == 0 {
			q.Rows.End = s.f.rows
		}
		if q.BatchRows <= 0 {
			q.BatchRows = max(1, defaultBatch/s.f.schema.RowBytes())
		}
		switch {
		case err != nil:
			yield(nil, err)
			return
		case s.f.closed.Load():
			fail(colstore.ErrClosed)
			return
		case q.Rows.Begin < 0 || q.Rows.Begin > q.Rows.End || q.Rows.End > s.f.rows:
			fail(fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, q.Rows.Begin, q.Rows.End, s.f.rows))
			return
		}
		for at := q.Rows.Begin; at < q.Rows.End; at += int64(q.BatchRows) {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			b, err := s.batch(schema, colstore.Range{Begin: at, End: min(at+int64(q.BatchRows), q.Rows.End)}, q.Mem)
			if err != nil {
				fail(err)
				return
			}
			if !b.Lend(yield) {
				return
			}
		}
	}
}

// batch reads rows. Its memory comes from mem, and goes back there at the last Release.
func (s *rowsSource) batch(schema *colstore.Schema, rows colstore.Range, mem colstore.Allocator) (_ *colstore.Batch, err error) {
	n := int(rows.Rows())
	var taken [][]byte
	release := func() {
		for _, m := range taken {
			mem.Put(m)
		}
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	columns, data := make([]colstore.Column, schema.Len()), make([][]byte, schema.Len())
	for i, f := range schema.All() {
		size := n * f.Type.Size()
		if mem == nil {
			data[i] = make([]byte, size)
		} else if data[i] = mem.Get(size); data[i] == nil {
			return nil, fmt.Errorf("%w: %d rows of column %q", colstore.ErrBudget, n, f.Name)
		} else {
			taken = append(taken, data[i])
		}
		if columns[i], err = colstore.NewColumn(f.Type, n, data[i]); err != nil {
			return nil, err
		}
	}
	if err := s.fill(schema, rows, data); err != nil {
		return nil, err
	}
	return colstore.NewOwnedBatch(schema, rows, release, columns...)
}

// fill reads rows into the memory of columns.
func (s *rowsSource) fill(schema *colstore.Schema, rows colstore.Range, data [][]byte) error {
	all := s.f.schema
	row := all.RowBytes()
	offset := make([]int, schema.Len()) // of a column in a row
	for i, f := range schema.All() {
		for _, g := range all.All() {
			if g.Name == f.Name {
				break
			}
			offset[i] += g.Type.Size()
		}
	}
	piece := make([]byte, max(1, pieceBytes/row)*row)
	for at := rows.Begin; at < rows.End; {
		n := int(min(int64(len(piece)/row), rows.End-at))
		if _, err := s.f.ReadAt(piece[:n*row], s.f.begin+at*int64(row)); err != nil {
			return format.Cause(err)
		}
		for i, f := range schema.All() {
			size := f.Type.Size()
			to := data[i][int(at-rows.Begin)*size:]
			for r := range n {
				copy(to[r*size:(r+1)*size], piece[r*row+offset[i]:])
			}
		}
		at += int64(n)
	}
	return nil
}

// rowsSink is a file that is being written.
type rowsSink struct {
	path   string
	schema *colstore.Schema
	out    *format.Output
	buf    *bufio.Writer
	bytes  int64 // of the buffer
	rows   int64
	err    error // the first that a write gave; nothing can follow it
	ended  bool  // nothing may be written any more
	closed bool
}

func createRows(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	header := rowsMagic
	for _, f := range r.Schema.All() {
		header += fmt.Sprintf("%s %s\n", strconv.Quote(f.Name), f.Type.Native())
		if name, err := strconv.Unquote(strconv.Quote(f.Name)); err != nil || name != f.Name {
			return nil, &colstore.Error{Op: "create", Path: r.Path, Column: f.Name, Err: fmt.Errorf("%w: the name is no text", colstore.ErrValue)}
		}
	}
	if len(header) >= headerBytes || r.Schema.Len() == 0 {
		return nil, &colstore.Error{Op: "create", Path: r.Path, Err: fmt.Errorf("%w: no columns, or too many", colstore.ErrValue)}
	}
	out, err := r.Stage(ctx) // a hidden file, which becomes r.Path at Commit
	if err != nil {
		return nil, err
	}
	w := &rowsSink{path: r.Path, schema: native(r.Schema), out: out, bytes: r.Options.Count("buffer")}
	w.buf = bufio.NewWriterSize(out, int(min(w.bytes, 1<<30)))
	if _, err := w.buf.WriteString(header + "\n"); err != nil {
		return nil, errors.Join(w.keep(err), w.Abort())
	}
	return w, nil
}

// keep remembers the first error of a write, and names the path in it.
func (w *rowsSink) keep(err error) error {
	if err != nil && w.err == nil {
		w.err = &colstore.Error{Op: "write", Path: w.path, Err: format.Cause(err)}
	}
	return w.err
}

// usable refuses what comes too late.
func (w *rowsSink) usable(ctx context.Context) error {
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case w.closed:
		return &colstore.Error{Op: "write", Path: w.path, Err: colstore.ErrClosed}
	}
	return w.err
}

// Write implements colstore.Sink.
func (w *rowsSink) Write(ctx context.Context, b *colstore.Batch) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if w.ended {
		return &colstore.Error{Op: "write", Path: w.path, Err: colstore.ErrClosed}
	}
	if !native(b.Schema()).Equal(w.schema) {
		return &colstore.Error{Op: "write", Path: w.path, Err: fmt.Errorf("%w: a batch of other columns", colstore.ErrMismatch)}
	}
	row := w.schema.RowBytes()
	step := max(1, pieceBytes/row)
	for at := 0; at < b.Rows(); at += step {
		part := b.Slice(at, min(at+step, b.Rows()))
		packed, offset := make([]byte, part.Rows()*row), 0
		for i := range w.schema.Len() {
			c := part.At(i).Copy() // dense and in native byte order, whatever was given
			for r := range part.Rows() {
				copy(packed[r*row+offset:], c.At(r))
			}
			offset += c.Type().Size()
		}
		if _, err := w.buf.Write(packed); err != nil {
			return w.keep(err)
		}
		w.rows += int64(part.Rows())
	}
	return nil
}

// native returns the same columns in native byte order: a batch may have them in the other.
func native(s *colstore.Schema) *colstore.Schema {
	fields := make([]colstore.Field, s.Len())
	for i, f := range s.All() {
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
	}
	return colstore.MustSchema(fields...)
}

// Warnings implements colstore.Warner: the folder may be on a file system without locks.
func (w *rowsSink) Warnings() []string { return w.out.Warnings() }

// Prepare implements colstore.Preparer: what is likely to fail comes before anything is published.
func (w *rowsSink) Prepare(ctx context.Context) error {
	if err := w.usable(ctx); err != nil || w.ended {
		return err
	}
	w.ended = true
	_, err := w.buf.Write(binary.LittleEndian.AppendUint64(nil, uint64(w.rows)))
	return w.keep(errors.Join(err, w.buf.Flush(), w.out.Prepare()))
}

// Commit implements colstore.Sink.
func (w *rowsSink) Commit(ctx context.Context) error {
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	if err := w.keep(w.out.Commit()); err != nil {
		return err
	}
	w.closed = true
	return nil
}

// Abort implements colstore.Sink.
func (w *rowsSink) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return w.out.Abort()
}

// Cost implements colstore.Coster.
func (w *rowsSink) Cost([]string) colstore.Cost {
	return colstore.Cost{Fixed: w.bytes + 3*int64(max(pieceBytes, w.schema.RowBytes()))}
}
