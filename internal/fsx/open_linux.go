package fsx

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openInput opens a file for reading with a part of the calls that os.Open makes: a table may have a hundred thousand.
func openInput(path string) (*os.File, error) {
	return openNow(path, func(flag int) (*os.File, error) {
		for {
			fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_LARGEFILE|flag, 0)
			switch {
			case err == unix.EINTR:
			case err != nil:
				return nil, &fs.PathError{Op: "open", Path: path, Err: err}
			default:
				return os.NewFile(uintptr(fd), path), nil
			}
		}
	})
}
