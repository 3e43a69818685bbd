package fsx

import "io"

// whole returns the error of a write of p of which n bytes were written. A file that says nothing of the rest breaks its
// contract; the rows would be lost in silence.
func whole(n int, p []byte, err error) error {
	if err == nil && n < len(p) {
		return io.ErrShortWrite
	}
	return err
}
