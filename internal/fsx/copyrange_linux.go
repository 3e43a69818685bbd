package fsx

import (
	"errors"

	"golang.org/x/sys/unix"
)

// CopyRange implements [RangeCopier] by copy_file_range, which stays in the page cache and shares blocks where the file
// system can.
func (f osFile) CopyRange(off int64, src File, srcOff, n int64) (int64, error) {
	from, ok := src.(osFile)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	for {
		k, err := unix.CopyFileRange(int(from.Fd()), &srcOff, int(f.Fd()), &off, int(min(n, 1<<30)), 0)
		switch {
		case err == nil:
			return int64(k), nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EXDEV), errors.Is(err, unix.EINVAL), errors.Is(err, unix.EOPNOTSUPP),
			errors.Is(err, unix.EPERM), errors.Is(err, unix.EBADF), errors.Is(err, unix.EOVERFLOW), errors.Is(err, unix.ETXTBSY):
			return 0, errors.ErrUnsupported
		default:
			return 0, err
		}
	}
}
