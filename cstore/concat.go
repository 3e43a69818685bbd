package cstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/colstore/colstore-go"
)

// ConcatOptions says how to write the rows of several files as one. The zero value is the default.
type ConcatOptions struct {
	Columns  []string // only these, in this order; nil is all, in the first file's order
	Replace  bool     // an existing output is replaced; else it is an error
	Mkdirs   bool     // make missing parent folders
	Stats    StatsPolicy
	Lock     colstore.LockPolicy     // of an output that is replaced
	Threads  int                     // goroutines that copy; 0 is 1
	Progress func(done, total int64) // is told how many rows are copied, one call at a time; nil for nobody who asks
}

// A Concatenation is what [Concat] wrote.
type Concatenation struct {
	Path       string
	Rows       int64
	Bytes      int64 // of the file
	Statistics bool
	Warnings   []string
}

// Concat writes the rows of open files, one below the other, as a file of one record: the same bytes as if all rows had been
// written at once. The files have the same columns, in any order. Nothing is decoded; the columns are copied as they lie. To
// read several files as one table without writing it, or files of which the columns differ, see package source.
//
// The output is made beside its path and takes its place when it is complete and on the disk; on an error there is none, and
// what was there is untouched. The readers stay open.
//
// Memory: a buffer of 256 KiB for each thread.
// Errors: colstore.ErrValue for no reader, and for an output that is one of the files; colstore.ErrMismatch and
// colstore.ErrNoColumn, naming the file and the column; colstore.ErrExists, colstore.ErrLocked; colstore.ErrClosed;
// colstore.ErrTruncated; those of the file system; the context's cause.
func Concat(ctx context.Context, out string, readers []*Reader, o *ConcatOptions) (_ *Concatenation, err error) {
	if o == nil {
		o = &ConcatOptions{}
	}
	fail := func(err error) (*Concatenation, error) {
		return nil, &colstore.Error{Op: "concat", Path: out, Err: err}
	}
	if len(readers) == 0 {
		return fail(fmt.Errorf("%w: there is no file, so there is nothing to write", colstore.ErrValue))
	}
	there, _ := os.Stat(out) // creating it tells what is wrong
	for i, r := range readers {
		if r == nil {
			return fail(fmt.Errorf("%w: reader %d is nil", colstore.ErrValue, i))
		}
		if there != nil && os.SameFile(there, r.file) {
			return fail(fmt.Errorf("%w: the output is one of the files, %s; write to another path", colstore.ErrValue, r.path))
		}
		if r.closed.Load() {
			return nil, &colstore.Error{Op: "concat", Path: r.path, Err: colstore.ErrClosed}
		}
	}
	schema, err := concatSchema(readers, o.Columns)
	if err != nil {
		return nil, err
	}
	c := &Concatenation{Path: out, Statistics: o.Stats == StatsWrite}
	if o.Stats == StatsKeep {
		c.Statistics = true
		for _, r := range readers {
			c.Statistics = c.Statistics && r.HasStatistics()
		}
	}
	to := WriteOptions{Layout: LayoutSingle, Stats: c.Statistics, Mkdirs: o.Mkdirs, Lock: o.Lock}
	if o.Replace {
		to.Mode = ModeReplace
	}
	w, err := CreateIn(ctx, out, schema, &to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Abort()) }() // does nothing once committed
	all, err := w.copying(readers, schema.Names())
	if err != nil {
		return nil, err
	}
	for _, r := range readers {
		c.Rows += r.rows
	}
	all.threads, all.rows = o.Threads, counted(o.Progress, c.Rows)
	if c.Bytes, err = all.write(ctx); err != nil {
		return nil, err
	}
	c.Warnings = w.Warnings()
	return c, nil
}

// concatSchema returns the columns of the output, and checks that every file has the same.
func concatSchema(readers []*Reader, columns []string) (*colstore.Schema, error) {
	first := readers[0]
	for _, r := range readers {
		for _, f := range r.schema.All() {
			if _, ok := first.schema.Index(f.Name); !ok {
				return nil, &colstore.Error{Op: "concat", Path: r.path, Column: f.Name, Err: fmt.Errorf("%w: %s has no such column", colstore.ErrMismatch, first.path)}
			}
		}
		for _, f := range first.schema.All() {
			if i, ok := r.schema.Index(f.Name); !ok {
				return nil, &colstore.Error{Op: "concat", Path: r.path, Column: f.Name, Err: fmt.Errorf("%w: it is missing, %s has it", colstore.ErrMismatch, first.path)}
			} else if is := r.schema.Field(i).Type; is.Native() != f.Type.Native() {
				return nil, &colstore.Error{Op: "concat", Path: r.path, Column: f.Name, Err: fmt.Errorf("%w: it is %s, in %s it is %s",
					colstore.ErrMismatch, is.Name(), first.path, f.Type.Name())}
			}
		}
	}
	if columns == nil {
		return first.schema, nil
	}
	s, err := first.schema.Select(columns...)
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		e.Op, e.Path = "concat", first.path
	}
	return s, err
}

// copying returns the copy of files to a writer: columns are their names in the files, in the order of the writer's.
func (w *Writer) copying(readers []*Reader, columns []string) (*copying, error) {
	c := &copying{w: w}
	for _, r := range readers {
		at := make([]int, len(columns))
		for i, name := range columns {
			j, ok := r.schema.Index(name)
			if !ok {
				return nil, &colstore.Error{Op: "read", Path: r.path, Column: name, Err: colstore.ErrNoColumn}
			}
			if is, want := r.schema.Field(j).Type, w.schema.Field(i).Type; is.Native() != want {
				return nil, &colstore.Error{Op: "read", Path: r.path, Column: name, Err: fmt.Errorf("%w: it is %s, the output's %s", colstore.ErrMismatch, is.Name(), want.Name())}
			}
			at[i] = j
		}
		c.files, c.columns = append(c.files, r.extent()), append(c.columns, at)
	}
	return c, nil
}

// Copies reports whether the rows of src, as those columns of it, can be written by [Writer.CopyFrom]: whether they lie in
// .cstore files in the byte order that is written.
func Copies(src colstore.Source, columns []string) bool {
	readers, ok := readersOf(src)
	for _, r := range readers {
		for _, name := range columns {
			i, there := r.schema.Index(name)
			ok = ok && there && !r.schema.Field(i).Type.BigEndian()
		}
	}
	return ok
}

// readersOf returns the files that a source is made of.
func readersOf(src colstore.Source) ([]*Reader, bool) {
	switch s := src.(type) {
	case *Reader:
		return []*Reader{s}, true
	case colstore.Composite:
		var out []*Reader
		for _, p := range s.Parts() {
			readers, ok := readersOf(p)
			if !ok {
				return nil, false
			}
			out = append(out, readers...)
		}
		return out, true
	}
	return nil, false
}

// CopyFrom writes all rows of a source of which [Copies] is true, without decoding them. columns are its names for the
// writer's columns, in their order. It comes in place of all writes to a writer of the single or block layout.
//
// Memory: a buffer of 256 KiB for each thread.
// Errors: those of reserving and writing; colstore.ErrTruncated, naming the file that was cut; the context's cause.
// Concurrency: rows is called from several goroutines.
func (w *Writer) CopyFrom(ctx context.Context, src colstore.Source, columns []string, threads int, rows func(n int64)) error {
	readers, ok := readersOf(src)
	if !ok {
		return w.failed(fmt.Errorf("%w: the source is not made of .cstore files", colstore.ErrMismatch))
	}
	if len(columns) != w.schema.Len() {
		return w.failed(fmt.Errorf("%w: %d columns, the file has %d", colstore.ErrMismatch, len(columns), w.schema.Len()))
	}
	c, err := w.copying(readers, columns)
	if err != nil {
		return err
	}
	c.threads, c.rows = threads, rows
	return c.reserved(ctx)
}
