package cstore_test

import (
	"errors"
	"io/fs"

	"github.com/colstore/colstore-go/internal/fsx"
)

var errDied = errors.New("the process died")

// mortal is the operating system's file system for a process that dies: after so many calls, of which the last writes half
// of its bytes, none has an effect but closing. Nothing is synced, since the power stays on.
type mortal struct {
	fsx.FS
	left int // calls until death; negative is never
}

// dies counts a call and reports whether it has no effect any more.
func (m *mortal) dies() bool {
	switch {
	case m.left < 0:
		return false
	case m.left == 0:
		return true
	}
	m.left--
	return false
}

func (m *mortal) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	if m.dies() {
		return nil, errDied
	}
	f, err := m.FS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &mortalFile{f, m}, nil
}

func (m *mortal) Mkdir(dir string, perm fs.FileMode) error {
	if m.dies() {
		return errDied
	}
	return m.FS.Mkdir(dir, perm)
}

func (m *mortal) Rename(from, to string) error {
	if m.dies() {
		return errDied
	}
	return m.FS.Rename(from, to)
}

func (m *mortal) RenameNew(from, to string) error {
	if m.dies() {
		return errDied
	}
	return m.FS.RenameNew(from, to)
}

func (m *mortal) Remove(path string) error {
	if m.dies() {
		return errDied
	}
	return m.FS.Remove(path)
}

func (m *mortal) SyncDir(string) error {
	if m.dies() {
		return errDied
	}
	return nil
}

type mortalFile struct {
	fsx.File
	m *mortal
}

func (f *mortalFile) Write(p []byte) (int, error) {
	if f.m.dies() {
		return 0, errDied
	}
	if f.m.left == 0 {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, errDied
	}
	return f.File.Write(p)
}

func (f *mortalFile) WriteAt(p []byte, off int64) (int, error) {
	if f.m.dies() {
		return 0, errDied
	}
	// The counters lie in one sector, of which a write is whole or not at all.
	if f.m.left == 0 && len(p) != 64 {
		n, _ := f.File.WriteAt(p[:len(p)/2], off)
		return n, errDied
	}
	return f.File.WriteAt(p, off)
}

func (f *mortalFile) Truncate(size int64) error {
	if f.m.dies() {
		return errDied
	}
	return f.File.Truncate(size)
}

func (f *mortalFile) Sync() error {
	if f.m.dies() {
		return errDied
	}
	return nil
}
