package ops

import (
	"errors"
	"fmt"
)

// guarded runs a program's own function over a chunk and puts its name in front of errors. A panic becomes an error, so
// that outputs are aborted in order. A fault on mapped memory goes on, to whoever guards against that, and so does a
// *RowError, which the evaluator locates.
func guarded(name string, f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			panic(r)
		default:
			err = fmt.Errorf("%s: panic: %v", name, r)
		}
	}()
	err = f()
	if _, located := errors.AsType[*RowError](err); err == nil || located {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
