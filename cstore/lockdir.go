package cstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// lockName is the file whose lock is the folder's: the one that the Python package's writers take. It stays.
const lockName = ".colstore.lock"

// A dirLock is the lock of a folder until it is closed.
type dirLock struct {
	f       fsx.File
	Warning string
}

func (l *dirLock) held() bool { return l.f != nil && l.Warning == "" }

func (l *dirLock) Close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

func lockDir(fsys fsx.FS, dir string, policy colstore.LockPolicy) (*dirLock, error) {
	if policy == colstore.LockOff {
		return &dirLock{}, nil
	}
	f, err := fsys.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, &colstore.Error{Op: "lock", Path: dir, Err: fsx.Bare(err)}
	}
	l := &dirLock{f: f}
	switch err := f.TryLock(); {
	case err == nil:
	case errors.Is(err, errors.ErrUnsupported) && policy != colstore.LockRequired:
		l.Warning = "the file system of " + dir + " has no locks; nothing keeps other writers out"
	case errors.Is(err, colstore.ErrLocked):
		_ = f.Close()
		return nil, &colstore.Error{Op: "lock", Path: dir, Err: fmt.Errorf("%w; try again when it is done", colstore.ErrLocked)}
	default:
		_ = f.Close()
		return nil, &colstore.Error{Op: "lock", Path: dir, Err: fsx.Bare(err)}
	}
	return l, nil
}

func removeDead(fsys fsx.FS, dir string) {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if isOurs(e.Name()) && e.Name() != lockName && e.Type().IsRegular() {
			path := filepath.Join(dir, e.Name())
			if f, err := fsys.OpenFile(path, os.O_RDWR, 0); err == nil {
				if f.TryLock() == nil {
					_ = fsys.Remove(path)
				}
				_ = f.Close()
			}
		}
	}
}

// isOurs reports whether a name is that of the lock or of a hidden file.
func isOurs(name string) bool {
	return name == lockName || strings.HasPrefix(name, ".") && strings.Contains(name, ".colstore-") && strings.HasSuffix(name, ".tmp")
}
