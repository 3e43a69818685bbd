package fsx

import (
	"errors"
	"os"
	"syscall"
)

// openNow calls open with the flag by which a pipe that has taken the file's place does not wait for its other end. With it a
// file fails to open that another process has a lease of, as file servers have: that one is opened once more, and waits for the
// lease to be given back.
//
// Errors: those of open.
func openNow[T any](path string, open func(flag int) (T, error)) (T, error) {
	f, err := open(syscall.O_NONBLOCK)
	if !errors.Is(err, syscall.EAGAIN) {
		return f, err
	}
	if st, statErr := os.Stat(path); statErr != nil || !st.Mode().IsRegular() {
		return f, err
	}
	return open(0)
}
