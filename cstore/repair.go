package cstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// RepairOptions says how to repair a file. The zero value only looks: nothing is written.
type RepairOptions struct {
	Out     string // where the repaired table goes; it is written also if nothing is wrong
	Replace bool   // Out may be replaced
	InPlace bool   // the repaired table takes the place of the file, if anything is wrong; instead of Out

	// SchemaFrom is a file with the same columns. They are taken from it if the file's own are beyond reading.
	SchemaFrom string
	// Uncommitted also takes the whole records behind those that were committed: rows of a writer that died. Their values
	// may not all have reached the disk.
	Uncommitted bool
	// Salvage also takes the records behind a damaged one, which move up, and makes damaged record headers anew where the
	// number of rows follows from what is intact.
	Salvage bool
	Lock    colstore.LockPolicy // of the file that is replaced
}

// Unknown is the number of records or rows of which nothing is known.
const Unknown = -1

// An Extent is a part of a file.
type Extent struct {
	Records int64 `json:"records"` // or Unknown
	Rows    int64 `json:"rows"`    // or Unknown
	Bytes   int64 `json:"bytes"`
}

// A Repaired is what is wrong with a file and what a repair of it keeps.
type Repaired struct {
	Path string
	// Output is the file that was written; empty if none was.
	Output string
	// Problems are what is wrong; none: nothing is.
	Problems []error
	Kept     Extent
	// Lost is what the file held, or seems to have held, and the repaired table does not.
	Lost Extent
	// Uncommitted are whole records behind the committed ones. They are among Kept if the options ask for them.
	Uncommitted Extent
	// Salvageable are whole records behind damage. They are among Kept if the options ask for them.
	Salvageable Extent
	// StatisticsLost tells that the file's header points at statistics that the repaired table does not have.
	StatisticsLost bool
	// Warnings are what was noticed that is no error: a file system without locks.
	Warnings []string

	taken bool // uncommitted records are kept
}

// Repair looks for what is wrong with the file at path and, if it is told to, writes a table of what is intact: the
// counters follow from the records, which are taken up to the first damaged one; damaged statistics are left out. What
// is kept is copied byte for byte. A nil o is all defaults.
//
// The file itself is never written to: with InPlace a new file, complete and on the disk, takes its name. Values have no
// checksum and are not looked at; [Verify] holds them against a file of sums.
//
// Memory: what the record headers take, a MiB to look for records and a MiB to copy.
// Errors: colstore.ErrFormat and what it covers for a file of which no table can be made; colstore.ErrOption for Out and
// InPlace together, and for an Out that is the file itself; colstore.ErrExists, colstore.ErrLocked; the context's cause;
// those of the file system. All name the path.
func Repair(ctx context.Context, path string, o *RepairOptions) (_ *Repaired, err error) {
	if o == nil {
		o = &RepairOptions{}
	}
	fsys := fsx.Of(ctx)
	fail := func(err error) (*Repaired, error) {
		if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
			return nil, err
		}
		return nil, &colstore.Error{Op: "repair", Path: path, Err: fsx.Bare(err)}
	}
	if o.InPlace && o.Out != "" {
		return fail(fmt.Errorf("%w: the repaired file goes to %s or in place, not both", colstore.ErrOption, o.Out))
	}
	var like *header
	if o.SchemaFrom != "" {
		h, from, err := openHeader(fsys, o.SchemaFrom)
		if err != nil {
			return nil, err
		}
		_ = from.Close() // it was only read
		like = h
	}
	out := o.Out
	if o.InPlace {
		out = path
	}
	st, err := fsys.Stat(path)
	if err != nil {
		return fail(err)
	}
	if !st.Mode().IsRegular() {
		return fail(fmt.Errorf("%w: not a regular file", colstore.ErrFormat))
	}
	var staged *fsx.Staged
	if out != "" {
		if there, err := fsys.Stat(out); err == nil && !o.InPlace && os.SameFile(there, st) {
			return fail(fmt.Errorf("%w: %s is the file itself; a repair in place is asked for as such", colstore.ErrOption, out))
		}
		// Staged first, since that takes the lock: what is looked at must not change before it is replaced.
		staged, err = fsx.Stage(fsys, out, fsx.StageOptions{Replace: o.Replace || o.InPlace, Lock: o.Lock})
		if err != nil {
			return fail(err)
		}
		defer func() { err = errors.Join(err, staged.Abort()) }()
	}
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return fail(err)
	}
	closing := func() error { defer func() { f = nil }(); return f.Close() }
	defer func() {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if st, err = f.Stat(); err != nil {
		return fail(err)
	}
	s, err := examine(ctx, f, st.Size(), o, like)
	if err != nil {
		return fail(err)
	}
	r := s.report(path)
	if staged == nil || o.InPlace && !r.Needed() {
		return r, nil
	}
	if r.Kept.Rows == 0 && r.Lost.Rows != 0 {
		return nil, r.nothingLeft()
	}
	r.Warnings = staged.Warnings()
	if err = s.write(ctx, staged, f); err != nil {
		return fail(err)
	}
	if err = closing(); err != nil {
		return fail(err)
	}
	if err = staged.Commit(); err != nil {
		return fail(err)
	}
	r.Output = out
	return r, nil
}

// Needed reports whether the repaired table differs from what a reader sees of the file.
func (r *Repaired) Needed() bool { return len(r.Problems) > 0 || r.taken }

// report tells what the survey found.
func (s *survey) report(path string) *Repaired {
	r := &Repaired{
		Path: path, Kept: s.extent(s.records), Lost: s.lost,
		Uncommitted: s.uncommitted, Salvageable: s.behind,
		StatisticsLost: s.trusted && s.counters.statsOffset != 0 && s.footer == 0,
		taken:          s.o.Uncommitted && s.uncommitted.Records > 0,
	}
	for _, p := range s.problems {
		e := &colstore.Error{Op: "repair", Path: path, Err: p}
		if of, ok := errors.AsType[*colstore.Error](p); ok {
			e.Record, e.Column, e.Err = of.Record, of.Column, of.Err
		}
		r.Problems = append(r.Problems, e)
	}
	return r
}

// write makes the table of the kept records: everything but the counters, then these.
func (s *survey) write(ctx context.Context, dst *fsx.Staged, src fsx.File) error {
	text := s.text
	if text == nil {
		var err error
		if text, err = encodeManifest(s.schema); err != nil {
			return err
		}
	}
	head := joinHeader(counters{}, text)
	if _, err := dst.WriteAt(head, 0); err != nil {
		return err
	}
	at := int64(len(head))
	from, n := int64(0), int64(0) // bytes that are to be copied as they are
	flush := func() error {
		err := copyBytes(ctx, dst, at, src, from, n)
		at, from, n = at+n, from+n, 0
		return err
	}
	records := s.records
	if len(records) == 0 {
		// The Python reader cannot open a file without a record.
		if _, err := dst.WriteAt(encodeRecordHeader(0, 0), at); err != nil {
			return err
		}
		at += recordHeaderSize
		records = []foundRecord{{}}
	}
	for i, r := range s.records {
		body, _ := bodySize(r.rows, s.schema.RowBytes())
		begin := r.at
		if begin != from+n || r.index != int64(i) {
			if err := flush(); err != nil {
				return err
			}
			from = begin
		}
		if r.index != int64(i) {
			if _, err := dst.WriteAt(encodeRecordHeader(int64(i), r.rows), at); err != nil {
				return err
			}
			at, from = at+recordHeaderSize, r.at+recordHeaderSize
			n = body
			continue
		}
		n += recordHeaderSize + body
	}
	padding := max(0, from+n-s.size) // that is cut in the file
	n -= padding
	if err := flush(); err != nil {
		return err
	}
	if padding > 0 {
		if _, err := dst.WriteAt(make([]byte, padding), at); err != nil {
			return err
		}
		at += padding
	}
	c := counters{records: int64(len(records)), rows: rowsOf(records)}
	if s.footer > 0 && len(s.records) > 0 {
		c.statsOffset = at
		from, n = s.end, s.footer
		if err := flush(); err != nil {
			return err
		}
	}
	if err := dst.Sync(); err != nil {
		return err
	}
	_, err := dst.WriteAt(c.encode(), countersAt)
	return err
}

// nothingLeft is the error of a file of which no row is kept: its last problem, and what would keep some.
func (r *Repaired) nothingLeft() error {
	e := &colstore.Error{Op: "repair", Path: r.Path, Err: colstore.ErrFormat}
	if n := len(r.Problems); n > 0 {
		if last, ok := errors.AsType[*colstore.Error](r.Problems[n-1]); ok {
			e.Column, e.Record, e.Err = last.Column, last.Record, last.Err
		}
	}
	hint := ""
	switch {
	case r.Salvageable.Rows > 0:
		hint = fmt.Sprintf("; --salvage finds %s with %s", count(r.Salvageable.Records, "record"), count(r.Salvageable.Rows, "row"))
	case r.Uncommitted.Rows > 0:
		hint = fmt.Sprintf("; --uncommitted takes %s with %s", count(r.Uncommitted.Records, "record"), count(r.Uncommitted.Rows, "row"))
	}
	e.Err = fmt.Errorf("%w; no row before that is left to keep%s", e.Err, hint)
	return e
}
