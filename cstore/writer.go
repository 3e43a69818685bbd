package cstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// Mode says what a writer does with a file that is already there.
type Mode uint8

// The modes.
const (
	ModeCreate  Mode = iota // an existing file is an error
	ModeReplace             // an existing file is replaced when the writer commits, and locked until then
	ModeUpdate              // records are appended to an existing file of the same columns: see Update
)

// Layout says how written rows become records.
type Layout uint8

// The layouts.
const (
	LayoutPerWrite Layout = iota // one record a Write, also for no rows: the Python package's streaming
	LayoutSingle                 // one record for all rows, which reads fastest
	LayoutBlocks                 // records of BlockRows rows, whatever the writes are
)

// WriteOptions says how to write a file. The zero value is the default.
type WriteOptions struct {
	Mode      Mode
	Layout    Layout
	BlockRows int64               // rows of a record of LayoutBlocks; 0 is what colstore.GroupRows says of the schema
	Stats     bool                // append a footer with the bounds of every column in every record
	Mkdirs    bool                // make missing parent folders
	Lock      colstore.LockPolicy // of the file that is replaced or updated
}

func (o *WriteOptions) validate() error {
	switch {
	case o.BlockRows < 0:
		return fmt.Errorf("%w: records of %d rows", colstore.ErrOption, o.BlockRows)
	case o.BlockRows > 0 && o.Layout != LayoutBlocks:
		return fmt.Errorf("%w: BlockRows is for LayoutBlocks", colstore.ErrOption)
	case o.Mode > ModeUpdate:
		return fmt.Errorf("%w: there is no mode %d", colstore.ErrOption, o.Mode)
	case o.Layout > LayoutBlocks:
		return fmt.Errorf("%w: there is no layout %d", colstore.ErrOption, o.Layout)
	}
	return nil
}

// A Writer writes a file that appears, complete, at Commit, or records that become part of one then. Until then, and
// whatever happens, the rows at the path are what they were. Nothing commits but Commit: a Writer that is dropped, or
// whose process ends, leaves the rows as they were too, and a file that is open until the process ends or Abort is called.
//
// A Write that fails (a batch that does not fit, a full disk, a cancelled context) is as if it had not been: the next one
// or Commit goes on without its rows. What Commit and Prepare say is final: after an error only Abort is left, since a
// system that could not sync a file need not report that again.
//
// In the single and block layouts a Writer whose rows are reserved takes them in any order through WriteAt; rows of a
// WriteAt that failed are written again. Without a reservation the single layout collects the rows in a hidden file
// beside the target and copies them in place at Prepare, since a column begins where the one before it ends.
type Writer struct {
	path   string
	schema *colstore.Schema
	o      WriteOptions
	mode   Mode
	fsys   fsx.FS

	place     target
	layout    layout
	stats     *collector
	before    *counters // of the file that is updated
	leftovers bool      // and whether something is behind its records that is no footer
	warnings  []string

	mu       sync.Mutex
	accepted *colstore.Schema // of the last batch that was found to fit
	err      error            // what Prepare or Commit failed with; nothing can follow it
	counters counters         // when prepared
	prepared bool
	closed   bool
}

// Create starts a file of the given columns, which are stored in little-endian byte order whatever s says. A nil o is
// all defaults. With ModeUpdate it appends to a file of these columns if there is one.
//
// Errors: colstore.ErrExists, colstore.ErrLocked when another writer holds the file that is to be replaced or makes a
// new one of this path, those of the file system; all name the path.
func Create(path string, s *colstore.Schema, o *WriteOptions) (*Writer, error) {
	return CreateIn(context.Background(), path, s, o)
}

// CreateIn is [Create] in the file system of ctx, which is the operating system's but for tests of this module.
func CreateIn(ctx context.Context, path string, s *colstore.Schema, o *WriteOptions) (*Writer, error) {
	if s == nil {
		return nil, errNothing("create", path, "schema")
	}
	if o == nil {
		o = &WriteOptions{}
	}
	if o.Mode == ModeUpdate {
		w, err := UpdateIn(ctx, path, o)
		if err == nil {
			if err = w.fits(s); err != nil {
				return nil, errors.Join(err, w.Abort())
			}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return w, err
		}
	}
	return create(fsx.Of(ctx), path, s, o, fsx.StageOptions{Replace: o.Mode == ModeReplace, Mkdirs: o.Mkdirs, Lock: o.Lock})
}

// create starts a file that is staged so.
func create(fsys fsx.FS, path string, s *colstore.Schema, o *WriteOptions, staging fsx.StageOptions) (_ *Writer, err error) {
	fail := func(err error) (*Writer, error) {
		if e, ok := errors.AsType[*colstore.Error](err); ok { // of a column
			return nil, &colstore.Error{Op: "create", Path: path, Column: e.Column, Err: e.Err}
		}
		return nil, &colstore.Error{Op: "create", Path: path, Err: fsx.Bare(err)}
	}
	if err := o.validate(); err != nil {
		return fail(err)
	}
	if s.Len() == 0 {
		return fail(fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	native, err := nativeSchema(s)
	if err != nil {
		return fail(err)
	}
	head, err := encodeHeader(counters{}, native)
	if err != nil {
		return fail(err)
	}
	w := &Writer{path: path, schema: native, o: *o, mode: o.Mode, fsys: fsys}
	if o.Stats {
		if w.stats, err = newCollector(native); err != nil {
			return fail(err)
		}
	}
	staged, err := fsx.Stage(fsys, path, staging)
	if err != nil {
		return nil, err
	}
	w.place, w.warnings = stagedTarget{staged}, staged.Warnings()
	w.start(form{out: w.place, schema: native, prefix: prefixes(native), stats: w.stats, at: int64(len(head))})
	if _, err := w.place.WriteAt(head, 0); err != nil {
		return nil, errors.Join(w.failed(err), w.Abort())
	}
	return w, nil
}

// nativeSchema returns the columns as they are written.
func nativeSchema(s *colstore.Schema) (*colstore.Schema, error) {
	fields := make([]colstore.Field, s.Len())
	for i, f := range s.All() {
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
	}
	return colstore.NewSchema(fields...)
}

// start makes the layout that writes to f.
func (w *Writer) start(f form) {
	switch w.o.Layout {
	case LayoutPerWrite:
		w.layout = newStream(f)
	case LayoutSingle:
		w.layout = &spooled{form: f, fsys: w.fsys, path: w.path}
	default:
		size := w.o.BlockRows
		if size == 0 {
			size = int64(colstore.GroupRows(w.schema.RowBytes()))
		}
		w.layout = newBlocks(f, size, -1)
	}
}

// Schema returns the columns as they are stored.
func (w *Writer) Schema() *colstore.Schema { return w.schema }

// Path returns the path as it was given.
func (w *Writer) Path() string { return w.path }

// Mode returns what the writer does with the file at the path.
func (w *Writer) Mode() Mode { return w.mode }

// Closed reports whether the writer has been committed or aborted.
func (w *Writer) Closed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// Records returns the number of records: those of the file that is updated, and those that the rows written so far are
// going to be. It is not to be called while another goroutine writes.
func (w *Writer) Records() int64 {
	records, _ := w.layout.count()
	return records
}

// Rows returns the number of rows: those of the file that is updated, and those written so far. It is not to be called
// while another goroutine writes.
func (w *Writer) Rows() int64 {
	_, rows := w.layout.count()
	return rows
}

// Warnings returns what was noticed that is no error: a file system without locks.
func (w *Writer) Warnings() []string { return w.warnings }

// Write appends the rows of b. A Write that fails leaves the writer as it was.
//
// Errors: colstore.ErrMismatch for a batch of another schema, colstore.ErrClosed, the context's cause, colstore.ErrTruncated
// if b lies in a mapped file that was cut, those of the file system; all but the context's name the path.
func (w *Writer) Write(ctx context.Context, b *colstore.Batch) error {
	if err := w.check(ctx, b); err != nil {
		return err
	}
	if l, ok := w.layout.(*blocks); ok && l.total >= 0 {
		return w.failed(fmt.Errorf("%w: rows are reserved, so each write says where they go", colstore.ErrMismatch))
	}
	if err := w.layout.write(b); err != nil {
		return w.failed(err)
	}
	return nil
}

// check refuses a batch that does not fit the file, and makes the file ready for a write.
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
	if b.Schema() != w.accepted {
		if err := w.fits(b.Schema()); err != nil {
			return err
		}
		w.accepted = b.Schema()
	}
	if t, ok := w.place.(*inPlace); ok {
		if err := t.begin(); err != nil {
			return w.failed(err)
		}
	}
	return nil
}

func (w *Writer) fits(s *colstore.Schema) error {
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

func (w *Writer) failed(err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: "write", Path: w.path, Err: fsx.Bare(err)}
}

// Reserve announces the number of rows of the single or block layout, before any write.
func (w *Writer) Reserve(rows int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.failed(colstore.ErrClosed)
	}
	if rows < 0 {
		return w.failed(fmt.Errorf("%w: %d rows", colstore.ErrRange, rows))
	}
	if _, ok := bodySize(rows, w.schema.RowBytes()); !ok {
		return w.failed(fmt.Errorf("%w: %d rows of %d bytes", colstore.ErrValue, rows, w.schema.RowBytes()))
	}
	switch l := w.layout.(type) {
	case *spooled:
		if l.spool == nil {
			b := newBlocks(l.form, max(1, rows), rows)
			if err := b.reserve(); err != nil {
				return w.failed(err)
			}
			w.layout = b
			return nil
		}
	case *blocks:
		if l.total < 0 && l.length() == 0 {
			l.total = rows
			if err := l.reserve(); err != nil {
				l.total = -1
				return w.failed(err)
			}
			return nil
		}
	default:
		return w.failed(fmt.Errorf("%w: the per-write layout cannot reserve rows", colstore.ErrOption))
	}
	return w.failed(fmt.Errorf("%w: rows are reserved once, before the first write", colstore.ErrMismatch))
}

// WriteAt writes the rows of b as rows row, row+1, … of those that are reserved. It is safe for concurrent use on
// disjoint rows. Rows of a WriteAt that failed have to be written again.
func (w *Writer) WriteAt(ctx context.Context, row int64, b *colstore.Batch) error {
	if err := w.check(ctx, b); err != nil {
		return err
	}
	l, ok := w.layout.(*blocks)
	if !ok || l.total < 0 {
		return w.failed(fmt.Errorf("%w: reserve the rows first", colstore.ErrMismatch))
	}
	if err := l.writeAt(row, b); err != nil {
		return w.failed(err)
	}
	return nil
}

// Prepare writes everything that is still in memory and the footer, and syncs. What is left for Commit is to rename a new
// file, whose counters are written and synced too, or to write the counters of one that is updated: bodies are on the
// disk before counters that promise them.
func (w *Writer) Prepare(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return w.failed(colstore.ErrClosed)
	case w.err != nil:
		return w.err
	case w.prepared:
		return nil
	}
	w.prepared = true
	if err := w.prepare(); err != nil {
		w.err = w.failed(err)
	}
	return w.err
}

func (w *Writer) prepare() error {
	end, err := w.layout.finish()
	if err != nil {
		return err
	}
	records, rows := w.layout.count()
	w.counters = counters{records: records, rows: rows}
	out := buffered{w: w.place, end: end}
	switch {
	case w.before != nil && records == w.before.records:
		w.counters = *w.before
		if !w.leftovers {
			return nil
		}
		w.counters.statsOffset = 0
	case records == 0:
		// The Python reader cannot open a file without a record.
		w.counters.records = 1
		if err := out.append(encodeRecordHeader(0, 0)); err != nil {
			return err
		}
	}
	if w.stats != nil && (w.before == nil || records > w.before.records) {
		w.counters.statsOffset = out.end
		if err := w.stats.write(&out, w.counters.records); err != nil {
			return err
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	// What a failed write has left goes.
	if err := w.place.Truncate(out.end); err != nil {
		return err
	}
	return w.place.seal(w.counters)
}

// Commit publishes: the file, or the records of an update. A file that is created without a write holds one record of no
// rows; one that is updated without a write is not changed.
func (w *Writer) Commit(ctx context.Context) error {
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.failed(colstore.ErrClosed)
	}
	if w.before != nil && *w.before == w.counters {
		// Nothing to publish.
		w.closed = true
		return errors.Join(w.layout.discard(), w.place.discard())
	}
	if err := w.place.publish(w.counters); err != nil {
		w.err = w.failed(err)
		return w.err
	}
	w.closed = true
	if err := w.layout.discard(); err != nil {
		w.warnings = append(w.warnings, err.Error())
	}
	return nil
}

// Abort drops what was written. After Commit it does nothing; it may be called any number of times.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	// The spool goes first: it lies in the folder that the file's Abort removes if it made it.
	return errors.Join(w.layout.discard(), w.place.discard())
}
