package cstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// Update opens the file at path to append records to it, in place. The file's columns are the schema; its records keep
// their bytes and numbers. A nil o is all defaults; o.Mode must be ModeCreate, the zero value, or ModeUpdate, and Mkdirs
// means nothing.
//
// Before anything is changed the header and every record are checked as [Open] checks them. Then, at the first write,
// what lies behind the records is cut off: the statistics, or what a writer that died has left. Until Commit writes the
// counters, whoever opens the file gets the old rows, also after a crash, at most without statistics. Abort puts back
// what was there, statistics included; leftovers of the dead it does not. A commit without a write changes nothing but
// that leftovers go.
//
// A file that has statistics keeps them, and gets those of the new records. With o.Stats a file without gets some:
// records it had before then have none, which is to say that they are always read.
//
// Errors: colstore.ErrFormat and what it covers for a file that is none; colstore.ErrLocked when another writer holds it;
// colstore.ErrType for a file of big-endian columns, which only reading supports; those of the file system. All name the
// path.
func Update(path string, o *WriteOptions) (*Writer, error) {
	return UpdateIn(context.Background(), path, o)
}

// UpdateIn is [Update] in the file system of ctx, which is the operating system's but for tests of this module.
func UpdateIn(ctx context.Context, path string, o *WriteOptions) (*Writer, error) {
	w, err := update(fsx.Of(ctx), path, o)
	if err == nil {
		return w, nil
	}
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path == path { // of opening or locking
		err = e.Err
	}
	return nil, &colstore.Error{Op: "update", Path: path, Err: fsx.Bare(err)}
}

func update(fsys fsx.FS, path string, o *WriteOptions) (_ *Writer, err error) {
	if o == nil {
		o = &WriteOptions{}
	}
	w := &Writer{path: path, o: *o, mode: ModeUpdate, fsys: fsys}
	if err := w.o.validate(); err != nil {
		return nil, err
	}
	if o.Mode == ModeReplace {
		return nil, fmt.Errorf("%w: an update replaces no file; Create does", colstore.ErrOption)
	}
	f, err := fsx.OpenLocked(fsys, path, os.O_RDWR, o.Lock)
	if err != nil {
		return nil, err
	}
	if f.Warning != "" {
		w.warnings = append(w.warnings, f.Warning)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	file, err := readTable(f)
	if err != nil {
		return nil, err
	}
	h, end, old := file.header, file.end, file.stats
	if err := checkNative(h.schema); err != nil {
		return nil, err
	}
	t := &inPlace{Locked: f, path: path, counters: make([]byte, countersSize), end: end}
	if err := readFull(f, t.counters, countersAt); err != nil {
		return nil, err
	}
	if old != nil && h.statsOffset == end {
		t.tail = make([]byte, h.size-end)
		if err := readFull(f, t.tail, end); err != nil {
			return nil, err
		}
	}
	if o.Stats || old != nil {
		if w.stats, err = newCollector(h.schema); err != nil {
			return nil, err
		}
		w.stats.carry(old, h.records)
	}
	w.schema, w.before = h.schema, &h.counters
	w.leftovers = h.size > end && old == nil
	w.place = t
	w.start(form{out: t, schema: h.schema, prefix: prefixes(h.schema), stats: w.stats, at: end, records: h.records, rows: h.rows})
	return w, nil
}

// checkNative refuses columns that are stored in big-endian byte order.
func checkNative(s *colstore.Schema) error {
	for _, field := range s.All() {
		if field.Type != field.Type.Native() {
			return &colstore.Error{Column: field.Name, Err: fmt.Errorf(
				"%w: it is stored in big-endian byte order, in which nothing is appended; a copy of the file has little-endian columns", colstore.ErrType)}
		}
	}
	return nil
}

// CheckUpdate finds whether columns are those of the file at path, to which [Update] would append them. It reads the file's header
// and takes no lock. What is not there takes any columns.
//
// Errors: colstore.ErrMismatch and colstore.ErrType, naming the column; those of [Stat].
func CheckUpdate(path string, s *colstore.Schema) error {
	if s == nil {
		return errNothing("update", path, "schema")
	}
	info, err := Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := checkNative(info.Schema); err != nil {
		return &colstore.Error{Op: "update", Path: path, Err: err}
	}
	return (&Writer{path: path, schema: info.Schema}).fits(s)
}
