package root

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/parallel"
)

// A writer collects the rows of a basket for each branch. Baskets that are full are compressed beside each other, and
// written in the order of the branches.
type writer struct {
	path     string
	tree     string
	schema   *colstore.Schema
	changed  []string // names that branches cannot have
	layout   layout
	branches []*outBranch
	method   method
	staged   *fsx.Staged
	file     *outFile

	rows        int64
	compressors chan *compressor // one for each thread
	records     []basketRecord   // of the baskets that are compressed beside each other

	err      error // the first failed write; nothing can follow it
	prepared bool
	closed   bool
}

// ahead is how many baskets a thread compresses before all of them are written.
const ahead = 4

// start makes what threads work with.
func (w *writer) start(threads int) error {
	w.compressors = make(chan *compressor, threads)
	for range threads {
		c, err := newCompressor(w.method)
		if err != nil {
			return err
		}
		w.compressors <- c
	}
	w.records = make([]basketRecord, min(ahead*threads, len(w.branches)))
	return nil
}

func (w *writer) failed(column string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: "write", Path: w.path, Column: column, Err: fsx.Bare(err)}
}

// usable refuses what comes after the end, or after a failed write.
func (w *writer) usable(ctx context.Context) error {
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case w.closed:
		return w.failed("", colstore.ErrClosed)
	default:
		return w.err
	}
}

// Write takes the rows of b. A batch of another schema is refused and leaves the writer as it was.
func (w *writer) Write(ctx context.Context, b *colstore.Batch) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if w.prepared {
		return w.failed("", colstore.ErrClosed)
	}
	if err := w.fits(b.Schema()); err != nil {
		return err
	}
	for done := 0; done < b.Rows(); {
		n := min(w.layout.step-int(w.rows%int64(w.layout.step)), b.Rows()-done)
		for i, branch := range w.branches {
			branch.load(b.At(i).Slice(done, done+n, 1))
		}
		done += n
		w.rows += int64(n)
		if w.rows%int64(w.layout.step) == 0 {
			if w.err = w.flush((*outBranch).full); w.err != nil {
				return w.err
			}
		}
	}
	return nil
}

func (w *writer) fits(s *colstore.Schema) error {
	if s == w.schema {
		return nil
	}
	if s.Len() != w.schema.Len() {
		return w.failed("", fmt.Errorf("%w: %d columns, the file has %d", colstore.ErrMismatch, s.Len(), w.schema.Len()))
	}
	for i, f := range s.All() {
		if want := w.schema.Field(i); f.Name != want.Name || f.Type.Native() != want.Type.Native() {
			return w.failed(f.Name, fmt.Errorf("%w: column %d is %q %s, the file has %q %s", colstore.ErrMismatch, i, f.Name, f.Type, want.Name, want.Type))
		}
	}
	return nil
}

// flush writes the baskets of the branches that are ready.
func (w *writer) flush(ready func(*outBranch) bool) error {
	var due []int
	for i, b := range w.branches {
		if ready(b) {
			due = append(due, i)
		}
	}
	for len(due) > 0 {
		n := min(len(w.records), len(due))
		err := parallel.Each(n, cap(w.compressors), func(k int) error {
			c := <-w.compressors
			defer func() { w.compressors <- c }()
			i := due[k]
			if err := w.branches[i].encode(&w.records[k], c); err != nil {
				return w.failed(w.schema.Field(i).Name, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for k, i := range due[:n] {
			r := &w.records[k]
			at, err := w.file.add(r.bytes, r.sum)
			if err != nil {
				return w.failed("", err)
			}
			w.branches[i].written(r, at)
		}
		due = due[n:]
	}
	return nil
}

// Prepare writes the last baskets and the tree, and syncs.
func (w *writer) Prepare(ctx context.Context) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if w.prepared {
		return nil
	}
	w.prepared = true
	if err := w.finish(); err != nil {
		w.err = w.failed("", err)
		return w.err
	}
	return nil
}

func (w *writer) finish() error {
	if err := w.flush(func(b *outBranch) bool { return len(b.data) > 0 }); err != nil {
		return err
	}
	key := &outKey{class: "TTree", name: w.tree, cycle: 1, parent: fileBegin}
	tree := metadata(key.size(), w.tree, w.branches, w.rows, int64(w.layout.cluster), w.method.code())
	c := <-w.compressors
	stored, err := c.append(nil, tree)
	w.compressors <- c
	if err != nil {
		return err
	}
	at, err := w.file.object(key, stored, len(tree))
	if err != nil {
		return err
	}
	if err := w.file.finish(key, at, len(stored), len(tree)); err != nil {
		return err
	}
	return w.staged.Prepare()
}

// Commit publishes the file.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	if err := w.staged.Commit(); err != nil {
		w.err = err
		return err
	}
	w.closed = true
	return nil
}

// Abort drops the file. After Commit it does nothing; it may be called any number of times.
func (w *writer) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return w.staged.Abort()
}

// Warnings tells which columns are branches of another name, and of a file system without locks.
func (w *writer) Warnings() []string {
	if len(w.changed) == 0 {
		return w.staged.Warnings()
	}
	return append(w.staged.Warnings(), w.path+": names that a branch cannot have were changed: "+strings.Join(w.changed, ", "))
}

// Cost returns the baskets, those that are being compressed, and the codec. Where baskets are is kept beside, which is
// 16 bytes for each.
func (w *writer) Cost([]string) colstore.Cost {
	basket := int64(w.layout.bytes)
	compressing := int64(len(w.records))*(basket+basket/8) + int64(cap(w.compressors))*(2*basket+w.method.holds)
	return colstore.Cost{Fixed: int64(len(w.branches))*basket + compressing + outBytes}
}
