package cstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/spool"
)

// Mode says what a writer does with a file that is already there.
type Mode uint8

// The modes.
const (
	ModeCreate  Mode = iota // an existing file is an error
	ModeReplace             // an existing file is replaced when the writer commits, and locked until then
)

// Layout says how written rows become records.
type Layout uint8

// The layouts.
const (
	LayoutPerWrite Layout = iota // one record a Write, also for no rows: the Python package's streaming
	LayoutSingle                 // one record for all rows, which reads fastest
	LayoutBlocks                 // records of colstore.GroupRows rows
)

// WriteOptions says how to write a file. The zero value is the default.
type WriteOptions struct {
	Mode   Mode
	Layout Layout
	Stats  bool // append a footer with the bounds of every column in every record
	Mkdirs bool // make missing parent folders
	Lock   colstore.LockPolicy
}

// A Writer writes a file that appears, complete, at Commit. Until then, and whatever happens, the path is as it was.
//
// In the single and block layouts a Writer whose rows are reserved takes them in any order through WriteAt. Without a
// reservation the single layout collects the rows in a hidden file beside the target and copies them in place at
// Prepare, since a column begins where the one before it ends.
type Writer struct {
	path   string
	schema *colstore.Schema
	prefix []int
	o      WriteOptions
	fsys   fsx.FS

	staged   *fsx.Staged
	dataAt   int64
	stats    *collector
	warnings []string

	buf     buffered // per-write layout
	records int64
	rows    int64 // written, or the next row of a sequential write
	spool   *spool.Spool

	blockRows int64 // rows of each record but the last, in the offset layout
	total     int64 // reserved rows, -1 if none are
	written   atomic.Int64

	mu       sync.Mutex
	err      error // the first failed write; nothing can follow it
	prepared bool
	closed   bool
}

// Create starts a file of the given columns, which are stored in little-endian byte order whatever s says. A nil o is
// all defaults.
//
// Errors: colstore.ErrExists, colstore.ErrLocked when another writer holds the file that is to be replaced or makes a
// new one of this path, those of the file system; all name the path.
func Create(path string, s *colstore.Schema, o *WriteOptions) (*Writer, error) {
	return CreateIn(context.Background(), path, s, o)
}

// CreateIn is [Create] in the file system of ctx, which is the operating system's but for tests of this module.
func CreateIn(ctx context.Context, path string, s *colstore.Schema, o *WriteOptions) (_ *Writer, err error) {
	if o == nil {
		o = &WriteOptions{}
	}
	fsys := fsx.Of(ctx)
	fail := func(err error) (*Writer, error) {
		if e, ok := errors.AsType[*colstore.Error](err); ok { // of a column
			return nil, &colstore.Error{Op: "create", Path: path, Column: e.Column, Err: e.Err}
		}
		return nil, &colstore.Error{Op: "create", Path: path, Err: fsx.Bare(err)}
	}
	if s.Len() == 0 {
		return fail(fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	fields := make([]colstore.Field, s.Len())
	for i, f := range s.All() {
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
	}
	native, err := colstore.NewSchema(fields...)
	if err != nil {
		return fail(err)
	}
	head, err := encodeHeader(counters{}, native)
	if err != nil {
		return fail(err)
	}
	w := &Writer{path: path, schema: native, prefix: prefixes(native), o: *o, fsys: fsys, dataAt: int64(len(head)), total: -1}
	if o.Stats {
		if w.stats, err = newCollector(native); err != nil {
			return fail(err)
		}
	}
	w.staged, err = fsx.Stage(fsys, path, fsx.StageOptions{Replace: o.Mode == ModeReplace, Mkdirs: o.Mkdirs, Lock: o.Lock})
	if err != nil {
		return nil, err
	}
	w.warnings = w.staged.Warnings()
	w.buf = buffered{w: w.staged}
	w.blockRows = int64(colstore.GroupRows(native.RowBytes()))
	if err := w.buf.append(head); err != nil {
		return nil, errors.Join(w.failed(err), w.Abort())
	}
	return w, nil
}

// Schema returns the columns as they are stored.
func (w *Writer) Schema() *colstore.Schema { return w.schema }

// Warnings returns what was noticed that is no error: a file system without locks.
func (w *Writer) Warnings() []string { return w.warnings }

// Write appends the rows of b. A batch of another schema is refused and leaves the writer as it was; after a failed
// write of the file only Abort is useful.
func (w *Writer) Write(ctx context.Context, b *colstore.Batch) error {
	if err := w.check(ctx, b); err != nil {
		return err
	}
	if w.total >= 0 {
		return w.failed(fmt.Errorf("%w: rows are reserved, so each write says where they go", colstore.ErrMismatch))
	}
	var err error
	switch w.o.Layout {
	case LayoutPerWrite:
		err = w.writeRecord(b)
	case LayoutSingle:
		if w.spool == nil {
			w.spool, err = spool.New(w.fsys, w.path, w.schema)
		}
		if err == nil {
			err = w.spool.Write(b)
		}
		if err == nil {
			err = w.collect(0, b)
		}
		w.rows += int64(b.Rows())
	case LayoutBlocks:
		err = w.place(w.rows, b)
		w.rows += int64(b.Rows())
	}
	return w.broken(err)
}

// check refuses a batch that does not fit the file.
func (w *Writer) check(ctx context.Context, b *colstore.Batch) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed || w.prepared:
		return w.failed(colstore.ErrClosed)
	case w.err != nil:
		return w.err
	}
	if b.Schema() == w.schema {
		return nil
	}
	if b.Schema().Len() != w.schema.Len() {
		return w.failed(fmt.Errorf("%w: %d columns, the file has %d", colstore.ErrMismatch, b.Schema().Len(), w.schema.Len()))
	}
	for i, f := range b.Schema().All() {
		if want := w.schema.Field(i); f.Name != want.Name || f.Type.Native() != want.Type {
			return &colstore.Error{Op: "write", Path: w.path, Column: f.Name, Err: fmt.Errorf("%w: column %d is %q %s, the file has %q %s",
				colstore.ErrMismatch, i, f.Name, f.Type, want.Name, want.Type)}
		}
	}
	return nil
}

func (w *Writer) failed(err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: "write", Path: w.path, Err: fsx.Bare(err)}
}

// broken remembers a failed write.
func (w *Writer) broken(err error) error {
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = w.failed(err)
	return w.err
}

// writeRecord appends one record.
func (w *Writer) writeRecord(b *colstore.Batch) error {
	rows := int64(b.Rows())
	body, ok := bodySize(rows, w.schema.RowBytes())
	if !ok {
		return fmt.Errorf("%w: a record of %d rows of %d bytes", colstore.ErrValue, rows, w.schema.RowBytes())
	}
	if err := w.buf.append(encodeRecordHeader(w.records, rows)); err != nil {
		return err
	}
	for i := range w.prefix {
		if err := w.buf.appendColumn(b.At(i)); err != nil {
			return err
		}
	}
	if pad := body - rows*int64(w.schema.RowBytes()); pad > 0 {
		if err := w.buf.append(make([]byte, pad)); err != nil {
			return err
		}
	}
	err := w.collect(w.records, b)
	w.records++
	w.rows += rows
	return err
}

// collect folds the rows of b, all of one record, into the statistics.
func (w *Writer) collect(record int64, b *colstore.Batch) error {
	if w.stats == nil {
		return nil
	}
	for i := range w.prefix {
		if err := spool.Pieces(b.At(i), func(_ int, c colstore.Column) error {
			w.stats.add(record, i, c)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Reserve announces the number of rows of the single or block layout, before any write.
func (w *Writer) Reserve(rows int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return w.failed(colstore.ErrClosed)
	case w.o.Layout == LayoutPerWrite:
		return w.failed(fmt.Errorf("%w: the per-write layout cannot reserve rows", colstore.ErrOption))
	case w.total >= 0 || w.rows > 0:
		return w.failed(fmt.Errorf("%w: rows are reserved once, before the first write", colstore.ErrMismatch))
	case rows < 0:
		return w.failed(fmt.Errorf("%w: %d rows", colstore.ErrRange, rows))
	}
	if _, ok := bodySize(rows, w.schema.RowBytes()); !ok {
		return w.failed(fmt.Errorf("%w: %d rows of %d bytes", colstore.ErrValue, rows, w.schema.RowBytes()))
	}
	w.total = rows
	if w.o.Layout == LayoutSingle {
		w.blockRows = max(1, rows)
	}
	return nil
}

// WriteAt writes the rows of b as rows row, row+1, … It is safe for concurrent use on disjoint rows.
func (w *Writer) WriteAt(ctx context.Context, row int64, b *colstore.Batch) error {
	if err := w.check(ctx, b); err != nil {
		return err
	}
	if w.total < 0 {
		return w.failed(fmt.Errorf("%w: reserve the rows first", colstore.ErrMismatch))
	}
	if row < 0 || row > w.total-int64(b.Rows()) {
		return w.failed(fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, row, row+int64(b.Rows()), w.total))
	}
	if err := w.place(row, b); err != nil {
		return w.broken(err)
	}
	w.written.Add(int64(b.Rows()))
	return nil
}

// blockAt returns the offset of record i of the offset layout, whose records are all full but for the last.
func (w *Writer) blockAt(i int64) int64 {
	full, _ := bodySize(w.blockRows, w.schema.RowBytes())
	return w.dataAt + i*(recordHeaderSize+full)
}

// capacity returns how many rows record i is laid out for. While the number of rows is unknown that is a full record;
// finishBlocks draws the last one together.
func (w *Writer) capacity(i int64) int64 {
	if w.total < 0 {
		return w.blockRows
	}
	return min(w.blockRows, w.total-i*w.blockRows)
}

// place writes the rows of b into the offset layout.
func (w *Writer) place(row int64, b *colstore.Batch) error {
	for done := 0; done < b.Rows(); {
		block, within := (row+int64(done))/w.blockRows, (row+int64(done))%w.blockRows
		n := int(min(int64(b.Rows()-done), w.blockRows-within))
		part := b.Slice(done, done+n)
		for i, p := range w.prefix {
			size := int64(w.schema.Field(i).Type.Size())
			at := w.blockAt(block) + recordHeaderSize + int64(p)*w.capacity(block) + within*size
			if err := spool.WriteColumn(w.staged, part.At(i), at); err != nil {
				return err
			}
		}
		if err := w.collect(block, part); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// finishBlocks writes the record headers of the offset layout for rows rows and returns the end of the last record.
func (w *Writer) finishBlocks(rows int64) (end int64, err error) {
	w.records = max(1, (rows+w.blockRows-1)/w.blockRows)
	for i := range w.records {
		n := min(w.blockRows, rows-i*w.blockRows)
		body := w.blockAt(i) + recordHeaderSize
		if n < w.capacity(i) {
			if err := w.drawTogether(body, n); err != nil {
				return 0, err
			}
		}
		if _, err := w.staged.WriteAt(encodeRecordHeader(i, n), body-recordHeaderSize); err != nil {
			return 0, err
		}
		end = body + n*int64(w.schema.RowBytes())
	}
	// What drawing together left behind goes, and the padding is zeros.
	padded := w.dataAt + align(end-w.dataAt, bodyAlign)
	if err := w.staged.Truncate(end); err != nil {
		return 0, err
	}
	return padded, w.staged.Truncate(padded)
}

// drawTogether moves the columns of a record that was laid out for blockRows rows to where n rows put them.
func (w *Writer) drawTogether(body, n int64) error {
	for i, p := range w.prefix[1:] {
		size := int64(w.schema.Field(i + 1).Type.Size())
		if err := copyWithin(w.staged, body+int64(p)*n, body+int64(p)*w.blockRows, n*size); err != nil {
			return err
		}
	}
	return nil
}

// Prepare writes everything that is still in memory, the footer and the counters, and syncs: bodies first, counters
// after, so that the counters never promise what is not on the disk.
func (w *Writer) Prepare(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	closed, prepared, err := w.closed, w.prepared, w.err
	w.prepared = true
	w.mu.Unlock()
	switch {
	case closed:
		return w.failed(colstore.ErrClosed)
	case err != nil:
		return err
	case prepared:
		return nil
	}
	if err := w.prepare(); err != nil {
		return w.broken(err)
	}
	return nil
}

func (w *Writer) prepare() error {
	if w.total >= 0 {
		if n := w.written.Load(); n != w.total {
			return fmt.Errorf("%w: %d rows were reserved, %d were written", colstore.ErrMismatch, w.total, n)
		}
		w.rows = w.total
	}
	if w.o.Layout == LayoutPerWrite && w.records == 0 {
		// The Python reader cannot open a file without a record.
		if err := w.buf.append(encodeRecordHeader(0, 0)); err != nil {
			return err
		}
		w.records = 1
	}
	if err := w.buf.flush(); err != nil {
		return err
	}
	end := w.buf.end
	if w.o.Layout != LayoutPerWrite {
		if w.spool != nil {
			w.total, w.blockRows = w.rows, max(1, w.rows)
			if err := w.unspool(); err != nil {
				return err
			}
		}
		var err error
		if end, err = w.finishBlocks(w.rows); err != nil {
			return err
		}
	}
	c := counters{records: w.records, rows: w.rows}
	if w.stats != nil {
		c.statsOffset = end
		if _, err := w.staged.WriteAt(w.stats.encode(w.records), end); err != nil {
			return err
		}
	}
	if err := w.staged.Sync(); err != nil {
		return err
	}
	if _, err := w.staged.WriteAt(c.encode(), countersAt); err != nil {
		return err
	}
	return w.staged.Prepare()
}

// Commit publishes the file. Without a write it holds one record of no rows.
func (w *Writer) Commit(ctx context.Context) error {
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.failed(colstore.ErrClosed)
	}
	if err := w.staged.Commit(); err != nil {
		w.err = err
		return err
	}
	w.closed = true
	if err := w.dropSpool(); err != nil {
		w.warnings = append(w.warnings, err.Error())
	}
	return nil
}

// Abort drops the file. After Commit it does nothing; it may be called any number of times.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	// The spool goes first: it lies in the folder that the file's Abort removes if it made it.
	return errors.Join(w.dropSpool(), w.staged.Abort())
}

// unspool writes the rows that were kept as the one record of the file, whose number of rows is known by now.
func (w *Writer) unspool() error {
	if err := w.spool.Flush(); err != nil {
		return err
	}
	buf := make([]byte, bufferBytes)
	for i, p := range w.prefix {
		at := w.blockAt(0) + recordHeaderSize + int64(p)*w.rows
		for values := w.spool.Column(i); ; {
			n, err := io.ReadFull(values, buf)
			if err := spool.WriteAt(w.staged, buf[:n], at); err != nil {
				return err
			}
			at += int64(n)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) dropSpool() error {
	if w.spool == nil {
		return nil
	}
	return w.spool.Abort()
}

// Store writes the rows of b as a file of one record: the Python package's one-shot store.
func Store(ctx context.Context, path string, b *colstore.Batch, o *WriteOptions) (err error) {
	if o == nil {
		o = &WriteOptions{}
	}
	single := *o
	single.Layout = LayoutPerWrite
	w, err := Create(path, b.Schema(), &single)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if err := w.Write(ctx, b); err != nil {
		return err
	}
	return w.Commit(ctx)
}
