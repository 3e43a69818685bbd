package cstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/spool"
)

// AppendOptions says how a folder of shards grows. The zero value is the default.
type AppendOptions struct {
	// Name is the template of the shards' names: {index}, or {index:05d} with leading zeros, is one more than the highest
	// number among the files that have such a name. Without it, it is the name of the one shard that is written. Empty is
	// [DefaultShardName].
	Name string
	// A shard ends with the write that brings it to so many rows, or bytes of rows. Zero is no such limit; one of the two
	// may be set.
	ShardRows  int64
	ShardBytes colstore.ByteSize
	// Split cuts batches so that every shard but the last has exactly the rows of the limit, whatever the batches.
	// Otherwise a batch is never divided, and a shard has as many rows as the writes of the Python package give it.
	Split bool
	Stats bool // append the bounds of every column to each shard
	New   bool // the folder must not exist, or hold nothing
	// PublishFull publishes each shard as it is full; Commit and Abort are then about those after it.
	PublishFull bool
	Lock        colstore.LockPolicy
}

// A Shard is one file that an [Appender] has published.
type Shard struct {
	Path  string
	Rows  int64
	Bytes int64 // of the file
}

// An Appender writes rows as new shards of a folder, each a .cstore file of one record. Until they are published, by
// Commit or Flush, shards lie in hidden files: readers of the folder see whole shards only. It holds the folder's lock
// until Commit or Abort.
//
// Rows wait in a hidden file too, never in memory. A call that fails changes nothing: the next goes on as if it had not
// been. An Appender belongs to one goroutine at a time.
type Appender struct {
	dir   string
	fsys  fsx.FS
	o     AppendOptions
	names *shardName
	next  int64 // index of the next shard

	schema *colstore.Schema // as shards store it; nil until a batch or file says
	first  string           // the shard whose columns all others have; empty if the folder had none
	limit  int64            // rows of a shard, 0 for none

	lock     *fsx.Locked
	made     fsx.NewDirs
	warnings []string

	spool *spool.Spool // rows of the next shard; nil for none
	rows  int64        // in it
	spare *spool.Spool // an empty one, or nil

	staged    []*stagedShard
	published []Shard
	unsynced  bool // the folder's entry of the last published shard may not be durable
	closed    bool
}

// stagedShard is a whole shard without its name.
type stagedShard struct {
	Shard
	staged *fsx.Staged
}

// NewAppender takes a folder, which it makes if it is missing, for writing shards of schema s. Columns of shards have the
// names, the order and the dtypes of those in the folder's first shard, in natural order. A nil s is those of that shard, or
// of the first batch. A nil o is all defaults. What writers that died left behind is removed.
//
// Errors: colstore.ErrOption; colstore.ErrMismatch, naming column and shard; colstore.ErrLocked if another writer has the
// folder; colstore.ErrExists for a shard of the one name, or with o.New; those of the file system and of the first shard's
// header.
func NewAppender(dir string, s *colstore.Schema, o *AppendOptions) (*Appender, error) {
	return NewAppenderIn(context.Background(), dir, s, o)
}

// NewAppenderIn is [NewAppender] in the file system of ctx, which is the operating system's but for tests of this module.
func NewAppenderIn(ctx context.Context, dir string, s *colstore.Schema, o *AppendOptions) (_ *Appender, err error) {
	a, err := newAppender(fsx.Of(ctx), dir, s, o)
	if err != nil { // before anything is made
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Abort())
		}
	}()
	err = a.made.In(a.fsys, filepath.Clean(dir), func() (err error) {
		a.lock, err = fsx.LockDir(a.fsys, dir, a.o.Lock)
		return err
	})
	if err != nil {
		return nil, a.failed(err)
	}
	if a.lock.Warning != "" {
		a.warnings = append(a.warnings, a.lock.Warning)
	}
	if a.o.Lock != colstore.LockOff {
		fsx.RemoveDead(a.fsys, dir)
	}
	if err := a.begin(s); err != nil { // somebody may have been quicker
		return nil, err
	}
	return a, nil
}

// CheckAppend finds what [NewAppender] would refuse, locks apart, and makes nothing. It returns the path that the first
// shard would have.
func CheckAppend(dir string, s *colstore.Schema, o *AppendOptions) (path string, err error) {
	a, err := newAppender(fsx.OS, dir, s, o)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, a.names.name(a.next)), nil
}

// newAppender returns an appender that does not have the folder yet.
func newAppender(fsys fsx.FS, dir string, s *colstore.Schema, o *AppendOptions) (a *Appender, err error) {
	if o == nil {
		o = &AppendOptions{}
	}
	a = &Appender{dir: dir, fsys: fsys, o: *o}
	if a.names, err = o.check(); err != nil {
		return nil, a.failed(err)
	}
	return a, a.begin(s)
}

// begin reads the folder, which tells the next index and the columns, and takes s for them unless it is nil.
func (a *Appender) begin(s *colstore.Schema) error {
	there, err := a.look()
	if err != nil {
		return err
	}
	if a.next, err = a.names.next(there); err != nil {
		return a.failed(err)
	}
	if a.names.literal && slices.Contains(there, a.names.name(0)) {
		return &colstore.Error{Op: "append", Path: filepath.Join(a.dir, a.names.name(0)), Err: fmt.Errorf(
			"%w, and shards are never replaced; choose another name, or one with {index}", colstore.ErrExists)}
	}
	if s == nil {
		return nil
	}
	return a.take(s)
}

// Validate finds what is wrong with the options alone.
//
// Errors: colstore.ErrOption.
func (o *AppendOptions) Validate() error {
	_, err := o.check()
	return err
}

// check is Validate, and reads the name.
func (o *AppendOptions) check() (*shardName, error) {
	name := o.Name
	if name == "" {
		name = DefaultShardName
	}
	n, err := parseShardName(name)
	switch {
	case err != nil:
		return nil, err
	case o.ShardRows < 0 || o.ShardBytes < 0:
		return nil, fmt.Errorf("%w: a shard has at least one row, not %d rows or %d bytes", colstore.ErrOption, o.ShardRows, int64(o.ShardBytes))
	case o.ShardRows > 0 && o.ShardBytes > 0:
		return nil, fmt.Errorf("%w: the size of a shard is either rows or bytes", colstore.ErrOption)
	case n.literal && (o.ShardRows > 0 || o.ShardBytes > 0):
		return nil, fmt.Errorf("%w: %q is the name of one shard, so there is no size at which another begins; put {index} into it, or leave out the size", colstore.ErrOption, name)
	}
	return n, nil
}

// look reads the folder: the names in it, and the columns that its first shard has.
func (a *Appender) look() ([]string, error) {
	entries, err := a.fsys.ReadDir(a.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, a.failed(err)
	}
	there := namesOf(entries)
	visible := slices.IndexFunc(there, func(name string) bool { return !strings.HasPrefix(name, ".") })
	if a.o.New && visible >= 0 {
		return nil, a.failed(fmt.Errorf("%w, and there is %s in it; mode: append in a recipe, or colstore append, adds to it", colstore.ErrExists, there[visible]))
	}
	for _, e := range entries {
		if !isShard(e) {
			continue
		}
		if err := fsx.CheckLink(a.fsys, a.dir, e); err != nil {
			return nil, err
		}
	}
	a.first, a.schema = "", nil
	if shards := shardsOf(entries); len(shards) > 0 {
		a.first = filepath.Join(a.dir, shards[0])
		h, f, err := openHeader(a.fsys, a.first)
		if err != nil {
			return nil, err
		}
		_ = f.Close() // it was only read
		a.schema = h.schema
	}
	return there, nil
}

// take makes s, in native byte order, the columns of the shards, if they are those of the folder's first shard.
func (a *Appender) take(s *colstore.Schema) error {
	if s.Len() == 0 {
		return a.failed(fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	native, err := nativeSchema(s)
	if err != nil {
		return a.failed(err)
	}
	return a.takeStored(native)
}

// takeStored is take for columns that keep their byte order.
func (a *Appender) takeStored(s *colstore.Schema) error {
	if a.schema == nil {
		a.schema = s
	} else if err := sameAs(s, a.schema, a.first); err != nil {
		return a.failed(err)
	}
	row := int64(a.schema.RowBytes())
	a.limit = a.o.ShardRows
	if a.o.ShardBytes > 0 {
		a.limit = max(1, int64(a.o.ShardBytes)/row)
	}
	if a.limit > (math.MaxInt64-bodyAlign)/row {
		return a.failed(fmt.Errorf("%w: a shard of %d rows of %d bytes", colstore.ErrOption, a.limit, row))
	}
	return nil
}

// Schema returns the columns as the shards store them, nil while nobody has said.
func (a *Appender) Schema() *colstore.Schema { return a.schema }

// Warnings returns what was noticed that is no error: a file system without locks.
func (a *Appender) Warnings() []string { return a.warnings }

// Shards returns the shards that have been published, in order.
func (a *Appender) Shards() []Shard { return slices.Clone(a.published) }

// Pending returns the rows that have been taken and not yet published.
func (a *Appender) Pending() int64 {
	n := a.rows
	for _, s := range a.staged {
		n += s.Rows
	}
	return n
}

// Cost returns what the appender holds whatever the batch.
func (a *Appender) Cost([]string) colstore.Cost {
	if a.schema == nil {
		return colstore.Cost{}
	}
	return colstore.Cost{Fixed: 2*spool.Holds(a.schema) + 2*bufferBytes}
}

// Write takes the rows of b. They become visible by Commit, Flush or, with PublishFull, when their shard is full.
//
// Errors: colstore.ErrMismatch for other columns, naming the first shard; those of the file system. The rows were not
// taken then.
func (a *Appender) Write(ctx context.Context, b *colstore.Batch) error {
	if err := a.ready(ctx); err != nil {
		return err
	}
	return a.turn(func(t *turn) error {
		if b.Schema() != a.schema {
			if err := a.take(b.Schema()); err != nil {
				return err
			}
		}
		return t.add(ctx, b)
	})
}

// ready refuses a call on an appender that is done, or whose one name is taken.
func (a *Appender) ready(ctx context.Context) error {
	if a.closed {
		return a.failed(colstore.ErrClosed)
	}
	if err := a.another(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// another refuses a second shard of the one name.
func (a *Appender) another() error {
	if a.names.literal && a.next > 0 {
		return a.failed(fmt.Errorf("%w: %q is the name of one shard, which is written; put {index} into it", colstore.ErrOption, a.names.text))
	}
	return nil
}

// Roll ends the shard that the rows taken so far are for: those of the next write are in another. Without such rows it does
// nothing.
func (a *Appender) Roll(ctx context.Context) error {
	if a.closed {
		return a.failed(colstore.ErrClosed)
	}
	if a.rows == 0 {
		return nil
	}
	return a.turn(func(t *turn) error { return t.seal(ctx) })
}

// Flush publishes all rows taken so far. Without any it does nothing. After an error some of the shards may be published;
// the others can be again.
func (a *Appender) Flush(ctx context.Context) error {
	if err := a.Roll(ctx); err != nil {
		return err
	}
	return a.publish()
}

// Prepare writes all rows to shards that lack only their names.
func (a *Appender) Prepare(ctx context.Context) error { return a.Roll(ctx) }

// Commit publishes all rows, in the order of the shards' numbers, and ends the appender. Where publishing fails, no shard
// of this call is in the folder, but those that were published before are, and the appender has ended too. Without rows
// there is no shard.
func (a *Appender) Commit(ctx context.Context) error {
	if err := a.Prepare(ctx); err != nil {
		return err
	}
	before := len(a.published)
	if err := a.publish(); err != nil {
		return errors.Join(err, a.withdraw(before), a.Abort())
	}
	a.closed = true
	if err := a.release(); err != nil { // the rows are published all the same
		a.warnings = append(a.warnings, err.Error())
	}
	return nil
}

// Abort drops the rows that are not published and ends the appender. A folder that was made and has no shard goes again.
// After Commit it does nothing; it may be called any number of times.
func (a *Appender) Abort() error {
	if a.closed {
		return nil
	}
	a.closed = true
	var err error
	for _, s := range a.staged {
		err = errors.Join(err, s.staged.Abort())
	}
	a.staged = nil
	return errors.Join(err, a.release())
}

// release gives the folder back.
func (a *Appender) release() error {
	var err error
	for _, s := range []*spool.Spool{a.spool, a.spare} {
		if s != nil {
			err = errors.Join(err, s.Abort())
		}
	}
	a.spool, a.spare = nil, nil
	if a.made.Any() && len(a.published) == 0 {
		a.unmake()
	}
	a.made.Keep()
	if a.lock != nil {
		err = errors.Join(err, a.lock.Close())
		a.lock = nil
	}
	return err
}

// unmake removes the folders that were made, if nobody else has put something there. The file of the lock goes while it is
// locked, so that it is nobody else's.
func (a *Appender) unmake() {
	if a.lock == nil { // it could not be had
		a.lock, _ = fsx.LockDir(a.fsys, a.dir, colstore.LockRequired)
	}
	if a.lock != nil && a.lock.File != nil {
		_ = a.fsys.Remove(filepath.Join(a.dir, fsx.LockName))
	}
	a.made.Remove()
}

// publish names the staged shards, one after the other, so that a crash leaves the first ones.
func (a *Appender) publish() error {
	if a.unsynced {
		if err := a.fsys.SyncDir(a.dir); err != nil {
			return a.failed(err)
		}
		a.unsynced = false
	}
	for len(a.staged) > 0 {
		if err := a.syncMade(); err != nil {
			return a.failed(err)
		}
		s := a.staged[0]
		err := s.staged.Commit()
		if s.staged.Published() {
			a.staged, a.published, a.unsynced = a.staged[1:], append(a.published, s.Shard), err != nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// syncMade makes the folders durable that were made, before the first shard is in them.
func (a *Appender) syncMade() error {
	if len(a.published) > 0 {
		return nil
	}
	return a.made.Sync()
}

// withdraw removes the published shards from number n on.
func (a *Appender) withdraw(n int) error {
	if n == len(a.published) {
		return nil
	}
	var err error
	for _, s := range slices.Backward(a.published[n:]) {
		err = errors.Join(err, a.fsys.Remove(s.Path))
	}
	a.published = a.published[:n]
	return errors.Join(err, a.fsys.SyncDir(a.dir))
}

func (a *Appender) failed(err error) error {
	e, ok := errors.AsType[*colstore.Error](err)
	switch {
	case ok && e.Path != "":
		return err
	case ok:
		return &colstore.Error{Op: "append", Path: a.dir, Column: e.Column, Row: e.Row, Err: e.Err}
	}
	return &colstore.Error{Op: "append", Path: a.dir, Err: fsx.Bare(err)}
}
