package cstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/internal/spool"
)

const (
	// copyPiece is the buffer that columns are copied through. It is a multiple of the size of every number, so that each
	// piece of a column has whole values. See docs/decisions/0020-raw-copies.md for why there is a buffer.
	copyPiece = 256 << 10
	// copyTask is about how many bytes a goroutine, or one call of the system, copies before it is asked whether to go on.
	copyTask = 16 << 20
)

// extent is where the rows of a file lie.
type extent struct {
	path    string
	schema  *colstore.Schema
	records []record
	prefix  []int // bytes of a row before each column
	// open returns the file's bytes, and what ends reading them.
	open func() (src io.ReaderAt, done func(), err error)
}

func (e *extent) rows() int64 {
	if len(e.records) == 0 {
		return 0
	}
	last := e.records[len(e.records)-1]
	return last.first + last.rows
}

// extent returns where the reader's rows lie. They are read from the file, which is quicker than from a mapping whose pages
// are not there yet; from the mapping if the path names another file by now.
func (r *Reader) extent() *extent {
	return &extent{path: r.path, schema: r.schema, records: r.records, prefix: r.prefix, open: func() (io.ReaderAt, func(), error) {
		f, err := fsx.OpenRegular(r.path)
		if err == nil {
			if st, err := f.Stat(); err == nil && os.SameFile(st, r.file) {
				return f, func() { _ = f.Close() }, nil // it was only read
			}
			_ = f.Close()
		}
		m, err := r.mapping()
		if err != nil {
			return nil, nil, err
		}
		return mappedBytes(m.Data()), m.Release, nil
	}}
}

// mappedBytes reads bytes in memory.
type mappedBytes []byte

// ReadAt implements io.ReaderAt.
func (m mappedBytes) ReadAt(p []byte, off int64) (int, error) {
	if off > int64(len(m)) {
		return 0, io.EOF
	}
	n := copy(p, m[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// stretch is rows of a file that lie one after the other in a record of the output.
type stretch struct {
	from *extent
	rows colstore.Range // of the file
	at   int64          // row of the output
}

// copying is a copy of the rows of some files to a writer.
type copying struct {
	w       *Writer
	out     *blocks // what w lays the rows out by, once they are reserved
	columns [][]int // for each file, its columns as the output has them
	files   []*extent
	threads int
	rows    func(n int64) // is told the rows that were copied, from several goroutines; nil for nobody
}

// run copies all rows, which must have been reserved.
//
// Memory: a buffer for each goroutine.
// Errors: those of the file system; colstore.ErrTruncated for a file that was cut; the context's cause.
func (c *copying) run(ctx context.Context) error {
	var tasks []stretch
	var of []int // the file of each task
	most := max(1, int64(copyTask/max(1, c.w.schema.RowBytes())))
	at := int64(0)
	for i, f := range c.files {
		for begin := int64(0); begin < f.rows(); {
			n := min(most, f.rows()-begin, c.out.size-at%c.out.size)
			tasks = append(tasks, stretch{f, colstore.Range{Begin: begin, End: begin + n}, at})
			of = append(of, i)
			begin, at = begin+n, at+n
		}
	}
	return parallel.EachBound(ctx, len(tasks), c.threads, func(i int) error {
		if err := c.stretch(ctx, tasks[i], c.columns[of[i]]); err != nil {
			return err
		}
		n := tasks[i].rows.Rows()
		c.out.written.Add(n)
		if c.rows != nil {
			c.rows(n)
		}
		return nil
	})
}

// write copies all rows to a writer that has none yet, and commits it. It returns the size of the file.
func (c *copying) write(ctx context.Context) (size int64, err error) {
	if err := c.reserved(ctx); err != nil {
		return 0, err
	}
	if err := c.w.Commit(ctx); err != nil {
		return 0, err
	}
	st, err := c.w.fsys.Stat(c.w.path)
	if err != nil {
		return 0, c.w.failed(err)
	}
	return st.Size(), nil
}

// reserved reserves the rows of the files, and copies them.
func (c *copying) reserved(ctx context.Context) error {
	rows := int64(0)
	for _, f := range c.files {
		rows += f.rows()
		if rows < 0 {
			return c.w.failed(fmt.Errorf("%w: more rows than can be counted", colstore.ErrValue))
		}
	}
	if err := c.w.Reserve(rows); err != nil {
		return err
	}
	out, ok := c.w.layout.(*blocks)
	if !ok {
		return c.w.failed(fmt.Errorf("%w: this layout takes no copies", colstore.ErrOption))
	}
	c.out = out
	return c.run(ctx)
}

// copyBytes copies n bytes of a file to a staged one, inside the kernel where that can be done.
//
// Errors: those of [fsx.CopyRange]; the context's cause.
func copyBytes(ctx context.Context, dst *fsx.Staged, at int64, src fsx.File, from, n int64) error {
	for done := int64(0); done < n; done += copyTask {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := fsx.CopyRange(dst, at+done, src, from+done, min(n-done, copyTask)); err != nil {
			return err
		}
	}
	return nil
}

// upTo returns 0, 1, …, n−1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// stretch copies rows column by column.
func (c *copying) stretch(ctx context.Context, s stretch, columns []int) error {
	src, done, err := s.from.open()
	if err != nil {
		return s.from.failed(err)
	}
	defer done()
	l := c.out
	block, within := s.at/l.size, s.at%l.size
	buf := make([]byte, copyPiece)
	for i, p := range l.prefix {
		t := s.from.schema.Field(columns[i]).Type
		size := int64(t.Size())
		out := pieces{c: c, column: i, block: block, from: t, buf: buf[:0]}
		out.at = l.begin(block) + recordHeaderSize + int64(p)*l.capacity(block) + within*size
		for _, rec := range s.from.records[recordOf(s.from.records, s.rows.Begin):] {
			begin, end := max(rec.first, s.rows.Begin), min(rec.first+rec.rows, s.rows.End)
			if rec.first >= s.rows.End {
				break
			}
			off := rec.body + rec.rows*int64(s.from.prefix[columns[i]]) + (begin-rec.first)*size
			if err := out.copy(ctx, src, off, (end-begin)*size); err != nil {
				return s.from.failed(err)
			}
		}
		if err := out.flush(); err != nil {
			return err
		}
	}
	return nil
}

// failed names the file that could not be read; an error of the output is named already.
func (e *extent) failed(err error) error {
	if w, ok := errors.AsType[*colstore.Error](err); ok && w.Path != "" {
		return err
	}
	return &colstore.Error{Op: "read", Path: e.path, Err: fsx.Bare(err)}
}

// pieces collects the values of a column and writes them.
type pieces struct {
	c      *copying
	column int // of the output
	block  int64
	from   colstore.DType // as they are stored
	at     int64          // where buf goes
	buf    []byte
}

// copy takes n bytes of the source.
func (p *pieces) copy(ctx context.Context, src io.ReaderAt, off, n int64) error {
	for n > 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		fill := len(p.buf)
		k := min(n, int64(cap(p.buf)-fill))
		p.buf = p.buf[:fill+int(k)]
		if err := readFull(src, p.buf[fill:], off); err != nil {
			return err
		}
		off, n = off+k, n-k
		if len(p.buf) < cap(p.buf) {
			continue
		}
		if err := p.flush(); err != nil {
			return err
		}
	}
	return nil
}

// flush writes what was collected, in native byte order, and adds it to the statistics.
func (p *pieces) flush() error {
	if len(p.buf) == 0 {
		return nil
	}
	l, t := p.c.out, p.from.Native()
	if p.from.BigEndian() {
		unit := t.Size()
		if t.IsString() {
			unit = 4 // a code point
		}
		for v := range slices.Chunk(p.buf, unit) {
			slices.Reverse(v)
		}
	}
	if l.stats != nil && !t.IsString() {
		values, err := colstore.NewColumn(t, len(p.buf)/t.Size(), p.buf)
		if err != nil {
			return err
		}
		l.stats.add(l.records+p.block, p.column, values)
	}
	if err := spool.WriteAt(l.out, p.buf, p.at); err != nil {
		return p.c.w.failed(err)
	}
	p.at += int64(len(p.buf))
	p.buf = p.buf[:0]
	return nil
}
