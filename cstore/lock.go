package cstore

import (
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// lockFile takes the advisory lock of a file that is to be written or replaced: the one the Python package's writers take.
// The warning says that the file system has none.
//
// Errors: colstore.ErrLocked, without the path.
func lockFile(f fsx.File, path string, policy colstore.LockPolicy) (warning string, err error) {
	if policy == colstore.LockOff {
		return "", nil
	}
	switch err := f.TryLock(); {
	case err == nil:
		return "", nil
	case errors.Is(err, colstore.ErrLocked):
		return "", fmt.Errorf("%w; try again when it is done", colstore.ErrLocked)
	case !errors.Is(err, errors.ErrUnsupported):
		return "", err
	case policy == colstore.LockRequired:
		return "", fmt.Errorf("the file system has no locks, and one is required: %w", errors.ErrUnsupported)
	default:
		return "the file system of " + path + " has no locks; nothing keeps other writers out", nil
	}
}
