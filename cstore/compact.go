package cstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// StatsPolicy says whether a file that is made of others has statistics.
type StatsPolicy uint8

// The policies. The zero value is the default.
const (
	StatsKeep  StatsPolicy = iota // if every file that it is made of has some
	StatsWrite                    // always
	StatsDrop                     // never
)

// CompactOptions says how to compact a file. The zero value is the default.
type CompactOptions struct {
	Out     string // the file that gets the rows; empty: the file itself is replaced
	Replace bool   // an existing Out is replaced; else it is an error
	Mkdirs  bool   // make missing parent folders of Out
	// Stats is about the bounds of every column, which are found in the data again: nothing is taken over from old ones.
	Stats    StatsPolicy
	Lock     colstore.LockPolicy
	Threads  int                     // goroutines that copy; 0 is 1
	Dry      bool                    // only tell what would be done
	Progress func(done, total int64) // is told how many rows are copied, one call at a time; nil for nobody who asks
}

// A Compaction is what [Compact] did.
type Compaction struct {
	Path       string // of the result
	Rows       int64
	Records    int64 // before; there is one now
	Before     int64 // bytes of the file
	After      int64 // bytes of the result, also of one that was not made
	Statistics bool  // the result has a footer
	Unchanged  bool  // the file was compact: it was left alone, or copied as it is
	Warnings   []string
}

// Compact makes one record of the records of the file at path, which reads fastest: the same bytes as if all rows had been
// written at once. What a writer that died left behind the last record goes too. A file that is one record, with the
// statistics that are wanted and nothing behind, is left alone, or copied byte for byte to another path.
//
// The file is locked as by the writers of it and of the Python package. The new one is made beside its target and takes
// its place when it is complete and on the disk; on an error there is none, and the old file is untouched. Who has the old
// file open goes on reading it.
//
// Memory: a buffer of 256 KiB for each thread.
// Errors: colstore.ErrFormat and what it covers, for a damaged file; colstore.ErrLocked; colstore.ErrExists; those of the
// file system; the context's cause.
func Compact(ctx context.Context, path string, o *CompactOptions) (_ *Compaction, err error) {
	if o == nil {
		o = &CompactOptions{}
	}
	fsys := fsx.Of(ctx)
	fail := func(err error) (*Compaction, error) {
		if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
			return nil, err
		}
		return nil, &colstore.Error{Op: "compact", Path: path, Err: fsx.Bare(err)}
	}
	f, err := fsx.LockFile(fsys, path, false, o.Lock)
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	t, err := readTable(f)
	if err != nil {
		return fail(err)
	}
	c := &Compaction{Path: path, Rows: t.rows, Records: t.records, Before: t.size, Statistics: t.statsOffset > 0}
	if f.Warning != "" {
		c.Warnings = append(c.Warnings, f.Warning)
	}
	switch o.Stats {
	case StatsWrite:
		c.Statistics = true
	case StatsDrop:
		c.Statistics = false
	case StatsKeep:
	}
	to := WriteOptions{Mode: ModeReplace, Layout: LayoutSingle, Stats: c.Statistics, Lock: colstore.LockOff} // it is locked
	inPlace, err := sameFile(fsys, path, o.Out)
	if err != nil {
		return fail(err)
	}
	if !inPlace {
		c.Path, to.Mkdirs, to.Lock, to.Mode = o.Out, o.Mkdirs, o.Lock, ModeCreate
		if o.Replace {
			to.Mode = ModeReplace
		}
	}
	c.Unchanged = t.isCompact(c.Statistics)
	if o.Dry {
		if c.After, err = t.compactSize(c.Statistics); err != nil {
			return fail(err)
		}
		return c, nil
	}
	progress := counted(o.Progress, t.rows)
	if c.Unchanged {
		c.After = t.size
		if !inPlace {
			warnings, err := copyWhole(ctx, fsys, f.File, t.size, c.Path, &to)
			if err != nil {
				return fail(err)
			}
			c.Warnings = append(c.Warnings, warnings...)
		}
		progress(t.rows)
		return c, nil
	}
	w, err := CreateIn(ctx, c.Path, t.schema, &to)
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, w.Abort()) }() // does nothing once committed
	from := &extent{path: path, schema: t.schema, records: t.chain, prefix: prefixes(t.schema), open: func() (io.ReaderAt, func(), error) {
		return f, func() {}, nil
	}}
	all := copying{w: w, files: []*extent{from}, columns: [][]int{upTo(t.schema.Len())}, threads: o.Threads, rows: progress}
	if c.After, err = all.write(ctx); err != nil {
		return fail(err)
	}
	c.Warnings = append(c.Warnings, w.Warnings()...)
	return c, nil
}

// sameFile reports whether an output, empty for the file itself, is the file at path.
func sameFile(fsys fsx.FS, path, out string) (bool, error) {
	if out == "" {
		return true, nil
	}
	to, err := fsys.Stat(out)
	if err != nil {
		return false, nil // creating it will tell
	}
	from, err := fsys.Stat(path)
	return err == nil && fsx.SameFile(from, to), err
}

// table is what a file says of itself before its columns are read.
type table struct {
	*header
	chain []record
	end   int64  // of the last record
	stats *stats // nil if there are none that fit
}

func readTable(f fsx.File) (*table, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", colstore.ErrFormat)
	}
	t := &table{}
	if t.header, err = readHeader(f, st.Size()); err != nil {
		return nil, err
	}
	if t.chain, t.end, err = readRecords(f, t.header); err != nil {
		return nil, err
	}
	t.stats, err = keptStats(f, t.header, t.end)
	return t, err
}

// isCompact reports whether the file is one record with or without statistics, as is wanted, and nothing else.
func (t *table) isCompact(statistics bool) bool {
	if t.records != 1 {
		return false
	}
	if !statistics {
		return t.statsOffset == 0 && t.end == t.size
	}
	return t.stats != nil && t.statsOffset == t.end
}

// compactSize returns the size of the file once it is compact.
func (t *table) compactSize(statistics bool) (int64, error) {
	if t.isCompact(statistics) {
		return t.size, nil
	}
	native, err := nativeSchema(t.schema)
	if err != nil {
		return 0, err
	}
	head, err := encodeHeader(counters{}, native)
	if err != nil {
		return 0, err
	}
	body, _ := bodySize(t.rows, native.RowBytes()) // the rows are in a file, so this is no more than there can be
	size := int64(len(head)) + recordHeaderSize + body
	if statistics {
		if _, err := newCollector(native); err != nil {
			return 0, err
		}
		footer, _ := statsSize(native, 1)
		size += footer
	}
	return size, nil
}

// copyWhole copies a file to a path, and returns what was noticed that is no error.
func copyWhole(ctx context.Context, fsys fsx.FS, f fsx.File, size int64, path string, o *WriteOptions) (warnings []string, err error) {
	s, err := fsx.Stage(fsys, path, fsx.StageOptions{Replace: o.Mode == ModeReplace, Mkdirs: o.Mkdirs, Lock: o.Lock})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Abort()) }() // does nothing once committed
	if err := copyBytes(ctx, s, 0, f, 0, size); err != nil {
		return nil, &colstore.Error{Op: "write", Path: path, Err: fsx.Bare(err)}
	}
	return s.Warnings(), s.Commit()
}

// counted returns what adds up the rows that are done for a progress function.
func counted(progress func(done, total int64), total int64) func(rows int64) {
	if progress == nil {
		return func(int64) {}
	}
	var mu sync.Mutex
	done := int64(0)
	return func(rows int64) {
		mu.Lock()
		defer mu.Unlock()
		done += rows
		progress(done, total)
	}
}
