package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
)

// mostIdle is how many inputs keep their descriptors unread where the process may have many. Opening a file again costs some
// microseconds.
const mostIdle = 32

// idleInputs is how many inputs keep their descriptors unread: a quarter of those that the process may have, at most.
var idleInputs = sync.OnceValue(func() int {
	if limit := descriptorLimit(); limit > 0 {
		return min(mostIdle, limit/4)
	}
	return mostIdle
})

// withDescriptor calls open, and if there is no descriptor left, once more after giveBack has given back those that nobody reads
// from.
//
// Errors: those of open; that there is no descriptor comes with the remedy.
func withDescriptor[T any](open func() (T, error), giveBack func()) (T, error) {
	f, err := open()
	if !isExhausted(err) {
		return f, err
	}
	giveBack()
	if f, err = open(); isExhausted(err) {
		return f, exhausted(err)
	}
	return f, err
}

func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// exhausted adds the remedy to the error of a file that cannot be opened for want of a descriptor.
func exhausted(err error) error {
	p, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	remedy := "close some, or try again later"
	if limit := descriptorLimit(); limit > 0 && errors.Is(err, syscall.EMFILE) {
		remedy = fmt.Sprintf("this process may have %d open; raise that (ulimit -n), or use fewer workers", limit)
	}
	return &fs.PathError{Op: p.Op, Path: p.Path, Err: fmt.Errorf("%w: %s", p.Err, remedy)}
}

// giveBack gives the descriptors of all inputs back that nobody reads from.
func giveBack() {
	inputs.Lock()
	defer inputs.Unlock()
	dropIdle(0)
}

// dropIdle gives descriptors back until so many inputs keep theirs that nobody reads from. The caller holds inputs.
func dropIdle(most int) {
	for inputs.idle.Len() > most {
		_ = inputs.idle.Back().Value.(*Input).drop() // it was only read
	}
}
