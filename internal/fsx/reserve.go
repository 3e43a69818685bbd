package fsx

import "errors"

// A Reserver is a [File] that can be given its place on the disk before it is written.
type Reserver interface {
	// Reserve makes the file size bytes long, of zeros, and takes the blocks for them from the disk.
	// Errors: errors.ErrUnsupported where the file system cannot, and nothing has changed; a full disk.
	Reserve(size int64) error
}

// reserveFrom is the size up to which a file is not worth the call.
const reserveFrom = 1 << 20

// Reserve gives f its place on the disk where the system can: a disk that is too full is found out before the first byte is
// written, and writing does not wait for the search for free blocks (docs/decisions/0020-raw-copies.md). A file that got it
// is size bytes long.
//
// Errors: those of the file system, never errors.ErrUnsupported.
func Reserve(f File, size int64) error {
	r, ok := f.(Reserver)
	if !ok || size < reserveFrom {
		return nil
	}
	if err := r.Reserve(size); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// Reserve implements [Reserver].
func (s *Staged) Reserve(size int64) error { return Reserve(s.File, size) }
