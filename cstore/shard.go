package cstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/spool"
)

// A turn is one call that takes rows or ends a shard: what it takes to leave the appender as it was if that fails.
type turn struct {
	a      *Appender
	schema *colstore.Schema
	limit  int64
	spool  *spool.Spool // that was there, and its rows
	rows   int64
	undo   bool // it took rows
	staged int
	next   int64
	spent  []*spool.Spool // whose rows are in shards
}

// turn calls f, and undoes what it did if it fails.
func (a *Appender) turn(f func(*turn) error) error {
	if a.o.PublishFull { // what could not be published after an earlier one
		if err := a.publish(); err != nil {
			return err
		}
	}
	t := &turn{a: a, schema: a.schema, limit: a.limit, spool: a.spool, rows: a.rows, staged: len(a.staged), next: a.next}
	done := false
	defer func() {
		if !done { // a fault in a mapped input
			_ = t.rollback()
		}
	}()
	err := f(t)
	done = true
	if err != nil {
		return errors.Join(a.failed(err), t.rollback())
	}
	t.end()
	if a.o.PublishFull {
		// The rows are taken, so this is no error of the call: the next one tries again and tells.
		_ = a.publish()
	}
	return nil
}

// end settles what the turn did.
func (t *turn) end() {
	for _, s := range t.spent {
		if t.a.spare == nil && s.Reset() == nil {
			t.a.spare = s
		} else if err := s.Abort(); err != nil { // the rows are elsewhere, so nothing is lost
			t.a.warnings = append(t.a.warnings, err.Error())
		}
	}
}

// rollback undoes what the turn did.
func (t *turn) rollback() error {
	a := t.a
	var err error
	for _, s := range a.staged[t.staged:] {
		err = errors.Join(err, s.staged.Abort())
	}
	for _, s := range append(t.spent, a.spool) {
		if s != nil && s != t.spool {
			err = errors.Join(err, s.Abort())
		}
	}
	if t.undo {
		t.spool.Undo()
	}
	a.schema, a.limit, a.spool, a.rows = t.schema, t.limit, t.spool, t.rows
	a.staged, a.next = a.staged[:t.staged], t.next
	return err
}

// add takes the rows of b, and ends every shard that they fill.
func (t *turn) add(ctx context.Context, b *colstore.Batch) error {
	a := t.a
	for done := 0; done < b.Rows(); {
		n := int64(b.Rows() - done)
		if a.o.Split && a.limit > 0 {
			n = min(n, a.limit-a.rows)
		}
		part := b.Slice(done, done+int(n))
		done += int(n)
		full := a.limit > 0 && a.rows+n >= a.limit
		var err error
		if full && a.rows == 0 { // nothing waits, so these rows need not
			err = t.stage(ctx, n, func(w *Writer) error { return w.WriteAt(ctx, 0, part) })
		} else if err = t.keep(part); err == nil && full {
			err = t.seal(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep adds rows to those that wait.
func (t *turn) keep(b *colstore.Batch) (err error) {
	a := t.a
	if a.spool == nil {
		a.spool, a.spare = a.spare, nil
	}
	if a.spool == nil {
		if a.spool, err = spool.New(a.fsys, filepath.Join(a.dir, a.names.name(a.next)), a.schema); err != nil {
			return err
		}
	}
	if err := a.spool.Write(b); err != nil {
		return err
	}
	t.undo = t.undo || a.spool == t.spool
	a.rows += int64(b.Rows())
	return nil
}

// seal makes a shard of the rows that wait.
func (t *turn) seal(ctx context.Context) error {
	a := t.a
	if err := t.stage(ctx, a.rows, func(w *Writer) error { return w.layout.(*blocks).unspool(a.spool) }); err != nil {
		return err
	}
	t.spent = append(t.spent, a.spool)
	a.spool, a.rows = nil, 0
	return nil
}

// stage makes a shard of rows rows, which fill writes.
func (t *turn) stage(ctx context.Context, rows int64, fill func(*Writer) error) (err error) {
	a := t.a
	path, err := t.path()
	if err != nil {
		return err
	}
	w, err := create(a.fsys, path, a.schema, &WriteOptions{Layout: LayoutSingle, Stats: a.o.Stats}, a.staging())
	if err != nil {
		return err
	}
	staged := false
	defer func() {
		if !staged {
			err = errors.Join(a.failed(err), w.Abort())
		}
	}()
	if err := w.Reserve(rows); err != nil {
		return err
	}
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	if err := t.park(w.place.(stagedTarget).Staged, rows); err != nil {
		return err
	}
	staged = true
	return nil
}

// staging returns how a shard is staged: the lock is the folder's, and what was left behind is gone.
func (a *Appender) staging() fsx.StageOptions {
	// Without a lock there is no file in the folder that keeps it from being taken back by the writer that made it.
	return fsx.StageOptions{Swept: true, Lock: colstore.LockOff, Mkdirs: a.o.Lock == colstore.LockOff}
}

// path returns where the next shard will be.
func (t *turn) path() (string, error) {
	if err := t.a.another(); err != nil {
		return "", err
	}
	return filepath.Join(t.a.dir, t.a.names.name(t.a.next)), nil
}

// park adds a file that is complete to the staged shards.
func (t *turn) park(s *fsx.Staged, rows int64) error {
	st, err := s.Stat()
	if err != nil {
		return err
	}
	if err := s.Park(); err != nil {
		return err
	}
	t.a.staged = append(t.a.staged, &stagedShard{Shard{s.Path(), rows, st.Size()}, s})
	t.a.next++
	return nil
}

// sameAs checks that stored columns are those of the shard at path: the names, their order and the dtypes.
//
// Errors: colstore.ErrMismatch, naming the column and the shard.
func sameAs(s, want *colstore.Schema, path string) error {
	of := "what is appended before"
	if path != "" {
		of = path
	}
	bad := func(column, format string, args ...any) error {
		return &colstore.Error{Column: column, Err: fmt.Errorf("%w: %s", colstore.ErrMismatch, fmt.Sprintf(format, args...))}
	}
	for _, f := range want.All() {
		if _, there := s.Index(f.Name); !there {
			return bad(f.Name, "it is missing; all shards of a folder have the columns of %s", of)
		}
	}
	for _, f := range s.All() {
		i, there := want.Index(f.Name)
		switch {
		case !there:
			return bad(f.Name, "it is not in %s, and all shards of a folder have its columns; drop it, or begin another folder", of)
		case f.Type.Native() == want.Field(i).Type.Native() && f.Type != want.Field(i).Type:
			return bad(f.Name, "its byte order is that of %s, in %s it is that of %s; convert the folder, which gives all of it one order", f.Type, of, want.Field(i).Type)
		case f.Type != want.Field(i).Type:
			return bad(f.Name, "its dtype is %s, in %s it is %s; cast it, or begin another folder", f.Type, of, want.Field(i).Type)
		}
	}
	for i, f := range s.All() {
		if name := want.Field(i).Name; name != f.Name {
			return bad(f.Name, "it is column %d, in %s that is %q; put the columns into this order: %s", i, of, name, strings.Join(want.Names(), ","))
		}
	}
	return nil
}
