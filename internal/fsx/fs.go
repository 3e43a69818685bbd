package fsx

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go"
)

// A File is an open file of an [FS].
type File interface {
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	// TryLock takes the exclusive advisory lock of the whole file, which ends when the file is closed.
	// Errors: [colstore.ErrLocked] if another holds it, errors.ErrUnsupported where there are no locks.
	TryLock() error
}

// An FS is what writers do to a file system.
type FS interface {
	OpenFile(path string, flag int, perm fs.FileMode) (File, error)
	Stat(path string) (fs.FileInfo, error)
	ReadDir(dir string) ([]fs.DirEntry, error)
	Mkdir(dir string, perm fs.FileMode) error
	Rename(from, to string) error
	// RenameNew is Rename that fails with fs.ErrExist if there is something at to.
	RenameNew(from, to string) error
	Remove(path string) error
	// SyncDir makes the entries of dir durable.
	SyncDir(dir string) error
}

// OS is the operating system's file system.
var OS FS = osFS{}

type osFS struct{}

type osFile struct{ *os.File }

func (osFS) OpenFile(path string, flag int, perm fs.FileMode) (File, error) {
	f, err := withDescriptor(func() (*os.File, error) {
		return openNow(path, func(now int) (*os.File, error) { return os.OpenFile(path, flag|now, perm) })
	}, giveBack)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (f osFile) TryLock() error { return tryLock(f.File) }

// Close gives a lock back before it closes. The system would do so only when the last descriptor is closed, and a process
// that is being started has one more of every file, until it runs its program.
func (f osFile) Close() error {
	unlock(f.File)
	return f.File.Close()
}

// busy returns the error of a lock that another has, who is named where the system tells.
func busy(f *os.File) error {
	if who := holder(f); who != "" {
		return fmt.Errorf("%w: %s has it", colstore.ErrLocked, who)
	}
	return colstore.ErrLocked
}

func (osFS) Stat(path string) (fs.FileInfo, error)     { return os.Stat(path) }
func (osFS) ReadDir(dir string) ([]fs.DirEntry, error) { return os.ReadDir(dir) }
func (osFS) Mkdir(dir string, perm fs.FileMode) error  { return os.Mkdir(dir, perm) }
func (osFS) Rename(from, to string) error              { return os.Rename(from, to) }
func (osFS) RenameNew(from, to string) error           { return renameNew(from, to) }
func (osFS) Remove(path string) error                  { return os.Remove(path) }
func (osFS) SyncDir(dir string) error                  { return syncDir(dir) }

// resolve follows symbolic links at the end of path, so that replacing a file replaces what a link points at. A link that
// points at nothing is followed too: the file is made there.
func resolve(path string) string {
	for range maxLinks {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to // not cleaned: ".." leads out of where the link really lies
		}
		path = to
	}
	return path
}

// Target returns where what is written to path comes to be, links followed, also if it is not there yet: two paths of one target
// are one file.
func Target(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = resolve(path)
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(Target(dir), filepath.Base(path))
}

// maxLinks is how many links in a row are followed, as by the system.
const maxLinks = 40
