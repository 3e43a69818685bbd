package fsxtest

import (
	"io/fs"
	"os"
	"sync"

	"github.com/colstore/colstore-go/internal/fsx"
)

// A Fault is how a call fails.
type Fault uint8

// The faults.
const (
	Refused Fault = iota // the call does nothing
	Half                 // a write writes half of its bytes first; other calls do nothing
	Done                 // the call does what it should and fails all the same, as over a network that lost the answer
	Short                // a write writes half of its bytes and reports no error, against its contract; other calls do not fail
	Lasting              // the call and all after it do nothing, as on a disk that was pulled
)

func (f Fault) String() string {
	return [...]string{"refused", "half done", "done, yet failed", "short without an error", "refused with all after it"}[f]
}

// Failing passes calls on to a file system and fails one of them. Every call that a writer makes counts, those that clean
// up too. Syncs are not passed on: what a crash leaves is not the matter here.
type Failing struct {
	FS    fsx.FS // nil is the operating system's
	Err   error  // what the failing call returns
	Fault Fault

	mu     sync.Mutex
	at     int // the failing call; negative: none fails
	calls  int
	failed string
}

// New returns a file system whose call number n, counted from 0, fails with err. A negative n fails nothing and counts.
func New(n int, err error) *Failing { return &Failing{Err: err, at: n} }

// FailAt makes call number n, counted from now, the failing one; none if n is negative.
func (f *Failing) FailAt(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = n
	if n >= 0 {
		f.at += f.calls
	}
}

// Calls returns how many calls were made.
func (f *Failing) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Failed returns the operation that failed first, empty if none did.
func (f *Failing) Failed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

func (f *Failing) base() fsx.FS {
	if f.FS == nil {
		return fsx.OS
	}
	return f.FS
}

// fails counts a call and reports whether it is to fail.
func (f *Failing) fails(op string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Fault == Short && op != opNameWrite {
		return false
	}
	n := f.calls
	f.calls++
	if f.at < 0 || n != f.at && !(f.Fault == Lasting && n > f.at) {
		return false
	}
	if f.failed == "" {
		f.failed = op
	}
	return true
}

// Names of operations, in errors and by Failed.
const (
	opNameWrite  = "write"
	opNameClose  = "close"
	opNameRemove = "remove"
	opNameRename = "rename"
)

// call makes a call that changes something, unless it is the one to fail.
func (f *Failing) call(op, path string, do func() error) error {
	if !f.fails(op) {
		return do()
	}
	if f.Fault == Done || op == opNameClose { // a close that fails closes
		_ = do()
	}
	return f.path(op, path)
}

func (f *Failing) path(op, path string) error { return &fs.PathError{Op: op, Path: path, Err: f.Err} }

// OpenFile implements fsx.FS.
func (f *Failing) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	if f.fails("open") {
		return nil, f.path("open", path)
	}
	file, err := f.base().OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &failingFile{file, f}, nil
}

// Stat implements fsx.FS.
func (f *Failing) Stat(path string) (fs.FileInfo, error) {
	if f.fails("stat") {
		return nil, f.path("stat", path)
	}
	return f.base().Stat(path)
}

// ReadDir implements fsx.FS.
func (f *Failing) ReadDir(dir string) ([]fs.DirEntry, error) {
	if f.fails("readdir") {
		return nil, f.path("readdir", dir)
	}
	return f.base().ReadDir(dir)
}

// Mkdir implements fsx.FS.
func (f *Failing) Mkdir(dir string, perm fs.FileMode) error {
	if f.fails("mkdir") {
		return f.path("mkdir", dir)
	}
	return f.base().Mkdir(dir, perm)
}

// Rename implements fsx.FS.
func (f *Failing) Rename(from, to string) error {
	return f.rename(from, to, f.base().Rename)
}

// RenameNew implements fsx.FS.
func (f *Failing) RenameNew(from, to string) error {
	return f.rename(from, to, f.base().RenameNew)
}

func (f *Failing) rename(from, to string, do func(from, to string) error) error {
	if !f.fails(opNameRename) {
		return do(from, to)
	}
	if f.Fault == Done {
		_ = do(from, to)
	}
	return &os.LinkError{Op: opNameRename, Old: from, New: to, Err: f.Err}
}

// Remove implements fsx.FS.
func (f *Failing) Remove(path string) error {
	return f.call(opNameRemove, path, func() error { return f.base().Remove(path) })
}

// SyncDir implements fsx.FS.
func (f *Failing) SyncDir(dir string) error {
	return f.call("sync of folder", dir, func() error { return nil })
}

type failingFile struct {
	fsx.File
	f *Failing
}

func (x *failingFile) Write(p []byte) (int, error) {
	return x.write(p, x.File.Write)
}

func (x *failingFile) WriteAt(p []byte, off int64) (int, error) {
	return x.write(p, func(p []byte) (int, error) { return x.File.WriteAt(p, off) })
}

func (x *failingFile) write(p []byte, do func(p []byte) (int, error)) (int, error) {
	if !x.f.fails(opNameWrite) {
		return do(p)
	}
	n := 0
	switch x.f.Fault {
	case Half, Short:
		n, _ = do(p[:len(p)/2])
	case Done:
		n, _ = do(p)
	case Refused, Lasting:
	}
	if x.f.Fault == Short {
		return n, nil
	}
	return n, x.f.path(opNameWrite, x.Name())
}

func (x *failingFile) ReadAt(p []byte, off int64) (int, error) {
	if x.f.fails("read") {
		return 0, x.f.path("read", x.Name())
	}
	return x.File.ReadAt(p, off)
}

// CopyRange implements fsx.RangeCopier.
func (x *failingFile) CopyRange(off int64, src fsx.File, srcOff, n int64) (int64, error) {
	if x.f.fails("copy") {
		if x.f.Fault == Half {
			_, _ = x.copyRange(off, src, srcOff, n/2)
		}
		return 0, x.f.path("copy", x.Name())
	}
	return x.copyRange(off, src, srcOff, n)
}

func (x *failingFile) copyRange(off int64, src fsx.File, srcOff, n int64) (int64, error) {
	if s, ok := src.(*failingFile); ok {
		src = s.File
	}
	if err := fsx.CopyRange(x.File, off, src, srcOff, n); err != nil {
		return 0, err
	}
	return n, nil
}

func (x *failingFile) Stat() (fs.FileInfo, error) {
	if x.f.fails("stat") {
		return nil, x.f.path("stat", x.Name())
	}
	return x.File.Stat()
}

func (x *failingFile) Truncate(size int64) error {
	return x.f.call("truncate", x.Name(), func() error { return x.File.Truncate(size) })
}

func (x *failingFile) Sync() error {
	return x.f.call("sync", x.Name(), func() error { return nil })
}

func (x *failingFile) TryLock() error {
	return x.f.call("lock", x.Name(), x.File.TryLock)
}

func (x *failingFile) Close() error {
	return x.f.call(opNameClose, x.Name(), x.File.Close)
}
