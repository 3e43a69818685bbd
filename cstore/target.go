package cstore

import (
	"errors"
	"fmt"
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// A target is the file that a writer fills: a hidden one that takes its place at the end, or the one at the path itself.
type target interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	// Reserve takes the blocks for a file of that size from the disk, where that can be done.
	Reserve(size int64) error
	// seal makes the bodies durable, and all else that can be done while the path is as it was.
	seal(c counters) error
	// publish makes the file at the path one with these counters, durably.
	publish(c counters) error
	// discard leaves the path as it was before the writer. After publish, and the second time, it does nothing.
	discard() error
}

// stagedTarget is a hidden file. It is renamed when it is complete.
type stagedTarget struct {
	*fsx.Staged
}

func (t stagedTarget) seal(c counters) error {
	if err := t.Sync(); err != nil {
		return err
	}
	if _, err := t.WriteAt(c.encode(), countersAt); err != nil {
		return err
	}
	return t.Prepare()
}

func (t stagedTarget) publish(counters) error { return t.Commit() }

func (t stagedTarget) discard() error { return t.Abort() }

// inPlace is a file that gets records behind those it has. Its counters are what makes them part of it: until publish
// writes those, the file is the old one to whoever opens it, now or after a crash. It is locked for as long as it is open.
type inPlace struct {
	*fsx.Locked
	path     string
	counters []byte // as they were
	end      int64  // of the records it had
	tail     []byte // the footer that was behind them; leftovers of a writer that died are not kept
	begun    bool   // the file may be another
	cut      bool   // nothing is behind the records but what this writer wrote
	counting bool   // publish has begun
	lost     bool   // somebody else has cut or replaced the file
	closed   bool
}

// begin cuts off what is behind the records, before the first write: the old footer or leftovers.
func (t *inPlace) begin() error {
	if t.cut {
		return nil
	}
	t.begun = true
	if err := t.Truncate(t.end); err != nil {
		return err
	}
	t.cut = true
	return nil
}

func (t *inPlace) Reserve(size int64) error {
	if err := t.begin(); err != nil {
		return err
	}
	return t.Locked.Reserve(size)
}

func (t *inPlace) seal(counters) error {
	if err := t.Sync(); err != nil {
		return err
	}
	return t.intact()
}

// intact returns an error if somebody who does not heed the lock has replaced the file, or cut it: the Python package
// does so before it asks for the lock. Then nothing that was written is at the path, and nothing of it is to be said.
func (t *inPlace) intact() error {
	var start [len(magic)]byte
	_, err := t.ReadAt(start[:], 0)
	switch cut := err == nil && string(start[:]) != magic || errors.Is(err, io.EOF); {
	case cut:
		err = colstore.ErrTruncated
	case err == nil:
		if err = t.Current(); !errors.Is(err, fsx.ErrReplaced) {
			return err
		}
	default:
		return err
	}
	t.lost = true
	return fmt.Errorf("%w while it was written, by somebody who does not heed locks; its rows are lost", err)
}

func (t *inPlace) publish(c counters) error {
	t.counting = true
	if _, err := t.WriteAt(c.encode(), countersAt); err != nil {
		return err
	}
	if err := t.Sync(); err != nil {
		return err
	}
	if err := t.intact(); err != nil {
		return err
	}
	t.closed = true
	_ = t.Close() // all is on the disk
	return nil
}

func (t *inPlace) discard() error {
	if t.closed {
		return nil
	}
	t.closed = true
	var err error
	if !t.lost {
		err = t.restore()
	}
	if err = errors.Join(err, t.Close()); err != nil {
		return &colstore.Error{Op: "abort", Path: t.path, Err: fsx.Bare(err)}
	}
	return nil
}

// restore makes the file what it was. The new records go after the counters that may speak of them: were these still on
// the disk when the records are gone, the file could not be opened.
func (t *inPlace) restore() error {
	if t.counting {
		if _, err := t.WriteAt(t.counters, countersAt); err != nil {
			return err
		}
		if err := t.Sync(); err != nil {
			return err
		}
	}
	if !t.begun {
		return nil
	}
	if err := t.Truncate(t.end); err != nil {
		return err
	}
	if len(t.tail) > 0 {
		if _, err := t.WriteAt(t.tail, t.end); err != nil {
			return err
		}
	}
	return t.Sync()
}
