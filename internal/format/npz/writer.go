package npz

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/spool"
	"github.com/colstore/colstore-go/source/format"
)

// A writer writes an archive that appears, complete, at Commit.
//
// Where the rows are reserved and the members stored, rows are written where they belong, and the CRCs are summed up as
// they come. Else they wait in a spool for Prepare.
type writer struct {
	path    string
	schema  *colstore.Schema
	level   int // of deflate; 0 stores
	threads int
	fsys    fsx.FS
	staged  *format.Output

	total   int64 // reserved rows, -1 if none are
	rows    int64 // written in order
	written atomic.Int64

	mu       sync.Mutex
	spool    *spool.Spool
	members  []placed // of reserved rows that are stored
	err      error    // the first failed write; nothing can follow it
	prepared bool
	closed   bool
}

// placed is a member whose place is known before its values.
type placed struct {
	entry
	header []byte // of the array
	sum    uint32 // of its bytes written so far, header excluded
}

// dataAt returns the offset of the first value.
func (p *placed) dataAt() int64 { return p.at + p.headerBytes() + int64(len(p.header)) }

func create(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	fail := func(column string, err error) (colstore.Sink, error) {
		return nil, &colstore.Error{Op: "create", Path: r.Path, Column: column, Err: err}
	}
	if r.Schema.Len() == 0 {
		return fail("", fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	w := &writer{path: r.Path, threads: max(1, r.Threads), fsys: fsx.Of(ctx), total: -1}
	fields := make([]colstore.Field, r.Schema.Len())
	for i, f := range r.Schema.All() {
		switch {
		case !utf8.ValidString(f.Name):
			return fail(f.Name, fmt.Errorf("%w: the name is not UTF-8; rename the column", colstore.ErrValue))
		case strings.Contains(f.Name, "\x00"):
			return fail(f.Name, fmt.Errorf("%w: the name has a NUL, at which others would cut it; rename the column", colstore.ErrValue))
		case len(f.Name) > maxNameBytes:
			return fail(f.Name[:40]+"…", fmt.Errorf("%w: an archive holds names of up to %d bytes, this one has %d", colstore.ErrValue, maxNameBytes, len(f.Name)))
		}
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
	}
	var err error
	if w.level, err = parseCompression(r.Options.Text("compression")); err != nil {
		return fail("", err)
	}
	if w.schema, err = colstore.NewSchema(fields...); err != nil {
		return fail("", err)
	}
	if w.staged, err = r.Stage(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// Write appends the rows of b. A batch of another schema is refused; after a failed write only Abort is useful.
func (w *writer) Write(ctx context.Context, b *colstore.Batch) error {
	if err := w.check(ctx, b); err != nil {
		return err
	}
	if w.total >= 0 {
		return w.failed(fmt.Errorf("%w: rows are reserved, so each write says where they go", colstore.ErrMismatch))
	}
	var err error
	if w.spool == nil {
		w.spool, err = spool.New(w.fsys, w.path, w.schema)
	}
	if err == nil {
		err = w.spool.Write(b)
	}
	w.rows += int64(b.Rows())
	return w.broken(err)
}

// Reserve announces the number of rows, before any write.
func (w *writer) Reserve(rows int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return w.failed(colstore.ErrClosed)
	case w.total >= 0 || w.rows > 0:
		return w.failed(fmt.Errorf("%w: rows are reserved once, before the first write", colstore.ErrMismatch))
	case rows < 0:
		return w.failed(fmt.Errorf("%w: %d rows", colstore.ErrRange, rows))
	}
	members, err := w.layout(rows)
	if err != nil {
		return w.failed(err)
	}
	w.total = rows
	if w.level == 0 {
		w.members = members
		return nil
	}
	if w.spool, err = spool.New(w.fsys, w.path, w.schema); err != nil {
		w.err = w.failed(err)
		return w.err
	}
	w.spool.Reserve(rows)
	return nil
}

// WriteAt writes the rows of b as rows row, row+1, … It is safe for concurrent use on disjoint rows.
func (w *writer) WriteAt(ctx context.Context, row int64, b *colstore.Batch) error {
	if err := w.check(ctx, b); err != nil {
		return err
	}
	if w.total < 0 {
		return w.failed(fmt.Errorf("%w: reserve the rows first", colstore.ErrMismatch))
	}
	if row < 0 || row > w.total-int64(b.Rows()) {
		return w.failed(fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, row, row+int64(b.Rows()), w.total))
	}
	place := w.place
	if w.spool != nil {
		place = w.spool.WriteAt
	}
	if err := place(row, b); err != nil {
		return w.broken(err)
	}
	w.written.Add(int64(b.Rows()))
	return nil
}

// check refuses a batch that does not fit the archive. Byte order does not matter.
func (w *writer) check(ctx context.Context, b *colstore.Batch) error {
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
	s := b.Schema()
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

func (w *writer) failed(err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: "write", Path: w.path, Err: fsx.Bare(err)}
}

// broken remembers a failed write.
func (w *writer) broken(err error) error {
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = w.failed(err)
	return w.err
}

// Prepare assembles the archive, and syncs.
func (w *writer) Prepare(ctx context.Context) error {
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
	if n := w.written.Load(); w.total >= 0 && n != w.total {
		return w.broken(fmt.Errorf("%w: %d rows were reserved, %d were written", colstore.ErrMismatch, w.total, n))
	}
	if err := w.assemble(ctx); err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
			return cause
		}
		return w.broken(err)
	}
	return w.broken(w.staged.Prepare())
}

// Warnings implements colstore.Warner.
func (w *writer) Warnings() []string { return w.staged.Warnings() }

// Commit publishes the archive. Without a write its arrays have no rows.
func (w *writer) Commit(ctx context.Context) error {
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
	_ = w.dropSpool() // what it leaves behind, the next writer removes
	return nil
}

// Abort drops the archive. After Commit it does nothing; it may be called any number of times.
func (w *writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return errors.Join(w.dropSpool(), w.staged.Abort())
}

func (w *writer) dropSpool() error {
	if w.spool == nil {
		return nil
	}
	return w.spool.Abort()
}

// Cost returns the rows that a spool gathers, the buffer for columns that are not written as they lie, and the blocks
// that are deflated at the same time.
func (w *writer) Cost([]string) colstore.Cost {
	fixed := spool.Holds(w.schema)
	if w.level > 0 {
		fixed += int64(w.threads) * deflaterHolds
	}
	return colstore.Cost{Fixed: fixed}
}
