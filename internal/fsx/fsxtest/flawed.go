package fsxtest

import (
	"io/fs"

	"github.com/colstore/colstore-go/internal/fsx"
)

// Lying passes calls on, but for one Sync or SyncDir, which it says it did: as a program would that forgot it.
type Lying struct {
	fsx.FS
	N     int // which of the syncs, counted from 0
	Syncs int // how many there were
}

// OpenFile implements fsx.FS.
func (l *Lying) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := l.FS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &lyingFile{f, l}, nil
}

// SyncDir implements fsx.FS.
func (l *Lying) SyncDir(dir string) error {
	if l.lies() {
		return nil
	}
	return l.FS.SyncDir(dir)
}

func (l *Lying) lies() bool {
	l.Syncs++
	return l.Syncs == l.N+1
}

type lyingFile struct {
	fsx.File
	l *Lying
}

// Sync implements fsx.File.
func (f *lyingFile) Sync() error {
	if f.l.lies() {
		return nil
	}
	return f.File.Sync()
}
