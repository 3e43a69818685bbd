package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go"
)

// LockName is the file in a folder of shards whose lock is the folder's: the Python package's too. It stays.
const LockName = ".colstore.lock"

// A Locked file is open and, unless its policy says otherwise, locked until it is closed.
type Locked struct {
	File
	// Warning says that the file system has no locks; empty if all is well.
	Warning string

	fsys FS
	path string
}

// lockAttempts is how often a file may be replaced between its opening and its lock before that is an error.
const lockAttempts = 100

// OpenLocked opens a file with the flags of [os.OpenFile] and takes its lock as policy says. The file that is returned is
// the one that path names: a file that was replaced before its lock was taken is given up for the new one. It does not
// wait.
//
// Errors: colstore.ErrLocked, naming who has the lock where that can be found; errors.ErrUnsupported if a lock is required
// and the file system has none; those of the file system. All name the path.
func OpenLocked(fsys FS, path string, flag int, policy colstore.LockPolicy) (*Locked, error) {
	for range lockAttempts {
		f, err := fsys.OpenFile(path, flag, 0o666)
		if err != nil {
			return nil, &colstore.Error{Op: "open", Path: path, Err: Bare(err)}
		}
		l := &Locked{File: f, fsys: fsys, path: path}
		if policy == colstore.LockOff {
			return l, nil
		}
		if l.Warning, err = lockAs(policy, f, path); err == nil {
			err = l.Current()
		}
		if err == nil {
			return l, nil
		}
		_ = f.Close()
		if !errors.Is(err, ErrReplaced) {
			return nil, &colstore.Error{Op: "lock", Path: path, Err: Bare(err)}
		}
	}
	return nil, &colstore.Error{Op: "lock", Path: path, Err: fmt.Errorf("%w: it is replaced again and again; try later", colstore.ErrLocked)}
}

// LockFile opens a file to take its lock: for writing, since network file systems lock nothing else, or for reading if that
// is all that is allowed. With create it is made if it is missing.
//
// Errors: as [OpenLocked].
func LockFile(fsys FS, path string, create bool, policy colstore.LockPolicy) (*Locked, error) {
	flag := os.O_RDWR
	if create {
		flag |= os.O_CREATE
	}
	l, err := OpenLocked(fsys, path, flag, policy)
	if errors.Is(err, fs.ErrPermission) {
		if read, errRead := OpenLocked(fsys, path, os.O_RDONLY, policy); !errors.Is(errRead, fs.ErrNotExist) {
			return read, errRead
		}
	}
	return l, err
}

// LockDir takes the lock of a folder of shards, that of the file [LockName] in it. Closing what it returns ends the lock.
//
// Errors: as [OpenLocked], naming the folder.
func LockDir(fsys FS, dir string, policy colstore.LockPolicy) (*Locked, error) {
	if policy == colstore.LockOff {
		return &Locked{}, nil
	}
	l, err := LockFile(fsys, filepath.Join(dir, LockName), true, policy)
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		e.Path = dir
	}
	return l, err
}

// WriteAt implements [File].
func (l *Locked) WriteAt(p []byte, off int64) (int, error) {
	n, err := l.File.WriteAt(p, off)
	return n, whole(n, p, err)
}

// Reserve implements [Reserver].
func (l *Locked) Reserve(size int64) error { return Reserve(l.File, size) }

// Close ends the lock and closes the file.
func (l *Locked) Close() error {
	if l.File == nil {
		return nil
	}
	return l.File.Close()
}

// ErrReplaced is what [Locked.Current] finds.
var ErrReplaced = errors.New("another file has taken its place")

// Current returns [ErrReplaced] unless the path still names the open file. Nobody who honours the lock changes that; a writer
// in place asks before it says that its rows are saved.
func (l *Locked) Current() error {
	mine, err := l.Stat()
	if err != nil {
		return err
	}
	there, err := l.fsys.Stat(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !SameFile(mine, there) {
		return ErrReplaced
	}
	return nil
}

// lockAs takes the lock of f, which is the file or hidden file of path. Where there are no locks, the policy decides
// whether that is a warning or an error.
func lockAs(policy colstore.LockPolicy, f File, path string) (warning string, err error) {
	switch err := f.TryLock(); {
	case errors.Is(err, colstore.ErrLocked):
		return "", fmt.Errorf("%w; try again when it is done", err)
	case !errors.Is(err, errors.ErrUnsupported):
		return "", err
	case policy == colstore.LockRequired:
		return "", fmt.Errorf("%w: the file system has no locks, and a lock is required; --lock auto goes on without", errors.ErrUnsupported)
	}
	return "the file system of " + filepath.Dir(path) + " has no locks; nothing keeps other writers out", nil
}
