package fsxtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// Failing passes calls on to the operating system and fails one of them. Calls that only clean up (Close, Remove) are
// not counted: a writer may ignore what they say.
type Failing struct {
	Err   error // what the failing call returns
	Short bool  // a failing write writes half of its bytes first

	mu    sync.Mutex
	until int // calls left before the failing one; negative: none fails
	calls int
}

// New returns a file system whose call number n, counted from 0, fails with err. A negative n fails nothing and counts.
func New(n int, err error) *Failing { return &Failing{Err: err, until: n} }

// FailAt makes call number n, counted from now, the failing one; none if n is negative.
func (f *Failing) FailAt(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until = n
}

// Calls returns how many counted calls were made.
func (f *Failing) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *Failing) fails() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	f.until--
	return f.until == -1
}

func (f *Failing) path(op, path string) error { return &fs.PathError{Op: op, Path: path, Err: f.Err} }

// OpenFile implements fsx.FS.
func (f *Failing) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	if f.fails() {
		return nil, f.path("open", path)
	}
	file, err := fsx.OS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &failingFile{file, f}, nil
}

// Stat implements fsx.FS.
func (f *Failing) Stat(path string) (fs.FileInfo, error) {
	if f.fails() {
		return nil, f.path("stat", path)
	}
	return fsx.OS.Stat(path)
}

// ReadDir implements fsx.FS.
func (f *Failing) ReadDir(dir string) ([]fs.DirEntry, error) { return fsx.OS.ReadDir(dir) }

// Mkdir implements fsx.FS.
func (f *Failing) Mkdir(dir string, perm fs.FileMode) error {
	if f.fails() {
		return f.path("mkdir", dir)
	}
	return fsx.OS.Mkdir(dir, perm)
}

// Rename implements fsx.FS.
func (f *Failing) Rename(from, to string) error {
	if f.fails() {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: f.Err}
	}
	return fsx.OS.Rename(from, to)
}

// RenameNew implements fsx.FS.
func (f *Failing) RenameNew(from, to string) error {
	if f.fails() {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: f.Err}
	}
	return fsx.OS.RenameNew(from, to)
}

// Remove implements fsx.FS.
func (f *Failing) Remove(path string) error { return fsx.OS.Remove(path) }

// SyncDir implements fsx.FS.
func (f *Failing) SyncDir(dir string) error {
	if f.fails() {
		return f.path("sync", dir)
	}
	return fsx.OS.SyncDir(dir)
}

type failingFile struct {
	fsx.File
	f *Failing
}

func (x *failingFile) Write(p []byte) (int, error) {
	if x.f.fails() {
		n := 0
		if x.f.Short {
			n, _ = x.File.Write(p[:len(p)/2])
		}
		return n, x.f.path("write", x.Name())
	}
	return x.File.Write(p)
}

func (x *failingFile) WriteAt(p []byte, off int64) (int, error) {
	if x.f.fails() {
		n := 0
		if x.f.Short {
			n, _ = x.File.WriteAt(p[:len(p)/2], off)
		}
		return n, x.f.path("write", x.Name())
	}
	return x.File.WriteAt(p, off)
}

func (x *failingFile) ReadAt(p []byte, off int64) (int, error) {
	if x.f.fails() {
		return 0, x.f.path("read", x.Name())
	}
	return x.File.ReadAt(p, off)
}

func (x *failingFile) Truncate(size int64) error {
	if x.f.fails() {
		return x.f.path("truncate", x.Name())
	}
	return x.File.Truncate(size)
}

func (x *failingFile) Sync() error {
	if x.f.fails() {
		return x.f.path("sync", x.Name())
	}
	return x.File.Sync()
}

// Every runs write with a file system that fails at call 0, 1, 2, … until a run makes fewer calls than that, and after
// each failed run demands that the folder is as it was. setup returns the folder, made afresh for each run; published
// tells whether a failed write may have replaced the file already (a failed sync of the folder after the rename).
func Every(t *testing.T, cause error, setup func(t *testing.T) string, write func(fsys fsx.FS, dir string) error, published func(dir string) bool) {
	t.Helper()
	for _, short := range []bool{false, true} {
		for n := 0; ; n++ {
			dir := setup(t)
			before := Snapshot(t, dir)
			f := New(n, cause)
			f.Short = short
			err := write(f, dir)
			if f.Calls() <= n {
				if err != nil {
					t.Fatalf("no call failed, yet: %v", err)
				}
				if n == 0 {
					t.Fatal("nothing was written")
				}
				break
			}
			if err == nil {
				// A call whose failure does not matter, like the search for leftovers.
				continue
			}
			if after := Snapshot(t, dir); !equal(before, after) && !published(dir) {
				t.Fatalf("call %d failed with %v: the folder was %v, now %v", n, err, keys(before), keys(after))
			}
		}
	}
}

// Snapshot returns the content of every file below dir.
func Snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		out[path] = "folder"
		if d.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			out[path] = string(raw)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, filepath.Base(k))
	}
	return out
}
