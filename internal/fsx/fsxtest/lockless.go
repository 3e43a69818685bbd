package fsxtest

import (
	"errors"
	"io/fs"

	"github.com/colstore/colstore-go/internal/fsx"
)

// Lockless returns a file system in which no file can be locked, like some that are shared over a network.
func Lockless(fsys fsx.FS) fsx.FS { return lockless{fsys} }

type lockless struct{ fsx.FS }

type locklessFile struct{ fsx.File }

// OpenFile implements fsx.FS.
func (l lockless) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := l.FS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return locklessFile{f}, nil
}

// TryLock implements fsx.File.
func (f locklessFile) TryLock() error {
	return &fs.PathError{Op: "lock", Path: f.Name(), Err: errors.ErrUnsupported}
}
