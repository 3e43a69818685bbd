package parquet

import (
	"errors"
	"sync"
)

// spillBytes is how much of an encoded column waits in memory for the columns before it.
const spillBytes = 1 << 20

// An order lets the columns of a row group be encoded at the same time and written one after the other. A column whose
// turn it is goes out page by page; one that is ahead waits once it has some pages, or, if it is complete, is left here
// for the column before it to write.
type order struct {
	write func(i int, c *chunk) error // appends the chunk's bytes to the file
	free  chan *chunk

	mu     sync.Mutex
	turned sync.Cond
	next   int
	done   map[int]*chunk // complete, before their turn
	failed bool
	err    error // the first failure, if it is known
}

// errOther ends the work on a column because another one failed, whose error is returned.
var errOther = errors.New("another column failed")

func newOrder(buffers int, write func(i int, c *chunk) error) *order {
	o := &order{write: write, free: make(chan *chunk, buffers), done: map[int]*chunk{}}
	o.turned.L = &o.mu
	for range buffers {
		o.free <- new(chunk)
	}
	return o
}

// begin starts a row group.
func (o *order) begin() { o.next, o.failed = 0, false }

// isNext reports whether it is column i's turn.
func (o *order) isNext(i int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next == i
}

// await returns when it is column i's turn.
func (o *order) await(i int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.next != i && !o.failed {
		o.turned.Wait()
	}
	if o.failed {
		return errOther
	}
	return nil
}

// spill writes what there is of column i if it is its turn, or has to.
func (o *order) spill(i int, c *chunk) error {
	if !o.isNext(i) {
		if len(c.bytes) < spillBytes {
			return nil
		}
		if err := o.await(i); err != nil {
			return err
		}
	}
	return o.write(i, c)
}

// finish ends column i, whose bytes are complete, and those behind it that wait only for it.
func (o *order) finish(i int, c *chunk) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	// Half of the buffers may wait here; the other half is for those who encode, so that the next column never lacks one.
	for o.next != i && len(o.done) >= cap(o.free)/2 && !o.failed {
		o.turned.Wait()
	}
	o.done[i] = c
	for !o.failed {
		c, ok := o.done[o.next]
		if !ok {
			return nil
		}
		if err := o.write(o.next, c); err != nil {
			return err
		}
		delete(o.done, o.next)
		o.next++
		o.free <- c
		o.turned.Broadcast()
	}
	return errOther
}

// fail wakes those who wait; nothing more is written. err is nil if a fault ends the work.
func (o *order) fail(err error) {
	o.mu.Lock()
	o.failed = true
	if o.err == nil && !errors.Is(err, errOther) {
		o.err = err
	}
	o.mu.Unlock()
	o.turned.Broadcast()
}
