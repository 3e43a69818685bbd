package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Reserve implements [Reserver] by fallocate.
func (f osFile) Reserve(size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENODEV):
			return errors.ErrUnsupported
		case err != nil:
			return &os.PathError{Op: "reserve", Path: f.Name(), Err: err}
		default:
			return nil
		}
	}
}
