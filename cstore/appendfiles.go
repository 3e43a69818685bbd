package cstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// Append adds the rows of b to a folder, as one shard unless o says at which size another begins. Without rows there is no
// shard.
//
// Errors: those of [NewAppender] and of [Appender]; the folder has none of the rows then.
func Append(ctx context.Context, dir string, b *colstore.Batch, o *AppendOptions) ([]Shard, error) {
	if b == nil {
		return nil, errNothing("append", dir, "batch")
	}
	return appendTo(ctx, dir, b.Schema(), o, func(a *Appender) error { return a.Write(ctx, b) })
}

// AppendSource adds the rows of a source to a folder, as [Append] does. None of its files may be a shard of the folder.
//
// Errors: those of Append, and of the source.
func AppendSource(ctx context.Context, dir string, src colstore.Source, o *AppendOptions) ([]Shard, error) {
	if src == nil {
		return nil, errNothing("append", dir, "source")
	}
	return appendTo(ctx, dir, src.Schema(), o, func(a *Appender) error {
		l, located := src.(colstore.Locator)
		for b, err := range src.Scan(ctx, colstore.Scan{Once: true}) {
			if err != nil {
				return err
			}
			if located && b.Rows() > 0 {
				if path, _ := l.Locate(b.Begin()); path != "" {
					if err := CheckApart(a.dir, path); err != nil {
						return err
					}
				}
			}
			if err := a.Write(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
}

// AppendFiles adds .cstore files to a folder, each as a shard: see [Appender.CopyFile].
//
// Errors: those of [NewAppender] and of CopyFile; the folder has none of the files then.
func AppendFiles(ctx context.Context, dir string, paths []string, o *AppendOptions) ([]Shard, error) {
	return appendTo(ctx, dir, nil, o, func(a *Appender) error {
		for _, path := range paths {
			if err := a.CopyFile(ctx, path); err != nil {
				return err
			}
		}
		return nil
	})
}

func appendTo(ctx context.Context, dir string, s *colstore.Schema, o *AppendOptions, write func(*Appender) error) (_ []Shard, err error) {
	a, err := NewAppenderIn(ctx, dir, s, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Abort()) }() // does nothing after Commit
	if err := write(a); err != nil {
		return nil, err
	}
	if err := a.Commit(ctx); err != nil {
		return nil, err
	}
	return a.Shards(), nil
}

// CheckApart refuses a file that lies in the folder that its rows are to be added to: they would be there twice.
//
// Errors: colstore.ErrOption, naming the file.
func CheckApart(dir, path string) error {
	if !fsx.InFolder(path, dir) {
		return nil
	}
	return &colstore.Error{Op: "append", Path: path, Err: fmt.Errorf("%w: it is a file of the folder that it would be added to (%s)", colstore.ErrOption, dir)}
}

// CopyFile adds a .cstore file as a shard of its own, byte for byte: its records and statistics stay what they are, and a
// limit for shards is not asked. Rows taken before are in the shard before. Bytes behind the last record are left out, and a
// file without a record becomes a shard of one without rows. With Stats, a file without statistics is written anew, as one
// record with them.
//
// Errors: colstore.ErrMismatch, naming the column and the folder's first shard; colstore.ErrFormat and what it covers for a
// damaged file; colstore.ErrOption for a shard of the folder; those of the file system. Nothing was taken then.
func (a *Appender) CopyFile(ctx context.Context, path string) error {
	if err := a.ready(ctx); err != nil {
		return err
	}
	if err := CheckApart(a.dir, path); err != nil {
		return err
	}
	h, src, err := openHeader(a.fsys, path)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // it was only read
	_, end, err := readRecords(src, h)
	if err != nil {
		return unreadable(path, err)
	}
	anew := h.records == 0 || a.o.Stats && readStats(src, h, end) == nil
	if h.statsOffset >= end && h.statsOffset < h.size {
		end = h.size // statistics, usable or not, reach to the end
	} else {
		h.statsOffset = 0 // it points at nothing that is copied
	}
	return a.turn(func(t *turn) error {
		take := a.takeStored
		if anew {
			take = a.take
		}
		if err := take(h.schema); err != nil {
			return err
		}
		if a.rows > 0 {
			if err := t.seal(ctx); err != nil {
				return err
			}
		}
		if anew {
			return t.stage(ctx, h.rows, func(w *Writer) error { return w.writeFile(ctx, path) })
		}
		return t.copyFile(ctx, src, h, end)
	})
}

// writeFile writes the rows of a file as the reserved ones.
func (w *Writer) writeFile(ctx context.Context, path string) error {
	r, err := Open(path, nil)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it never fails
	for b, err := range r.Scan(ctx, colstore.Scan{Once: true}) {
		if err != nil {
			return err
		}
		if err := w.WriteAt(ctx, b.Begin(), b); err != nil {
			return err
		}
	}
	return nil
}

// copyFile stages a copy of the first end bytes of a .cstore file. The counters are those of the header as it was checked: a
// writer that adds records to the file meanwhile changes nothing before them.
func (t *turn) copyFile(ctx context.Context, src fsx.File, h *header, end int64) (err error) {
	a := t.a
	to, err := t.path()
	if err != nil {
		return err
	}
	s, err := fsx.Stage(a.fsys, to, a.staging())
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(a.failed(err), s.Abort())
		}
	}()
	if err := copyBytes(ctx, s, 0, src, 0, end); err != nil {
		return a.failed(err)
	}
	if err := s.Sync(); err != nil {
		return a.failed(err)
	}
	if _, err := s.WriteAt(h.encode()[:countersCRC+4], countersAt); err != nil {
		return a.failed(err)
	}
	return t.park(s, h.rows)
}

// openHeader opens a file and reads its header. The caller closes the file.
func openHeader(fsys fsx.FS, path string) (*header, fsx.File, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	h, err := func() (*header, error) {
		st, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if !st.Mode().IsRegular() {
			return nil, fmt.Errorf("%w: not a regular file (%s)", colstore.ErrFormat, st.Mode().Type())
		}
		return readHeader(f, st.Size())
	}()
	if err != nil {
		_ = f.Close() // it was only read
		return nil, nil, unreadable(path, err)
	}
	return h, f, nil
}

// unreadable names the file in an error about what it holds.
func unreadable(path string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		return &colstore.Error{Op: "open", Path: path, Record: e.Record, Column: e.Column, Err: e.Err}
	}
	return &colstore.Error{Op: "open", Path: path, Err: fsx.Bare(err)}
}
