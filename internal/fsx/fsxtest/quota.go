package fsxtest

import (
	"io/fs"
	"sync"
	"syscall"

	"github.com/colstore/colstore-go/internal/fsx"
)

// quota is a file system on which so many bytes can still be written; what is removed gives none back.
type quota struct {
	fsx.FS
	mu   sync.Mutex
	free int64
}

// OpenFile implements fsx.FS.
func (q *quota) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := q.FS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &quotaFile{f, q}, nil
}

// take returns how many of n bytes there is room for.
func (q *quota) take(n int) (room int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if int64(n) > q.free {
		n, err = int(q.free), syscall.ENOSPC
	}
	q.free -= int64(n)
	return n, err
}

type quotaFile struct {
	fsx.File
	q *quota
}

// Write implements fsx.File.
func (f *quotaFile) Write(p []byte) (int, error) { return f.write(p, f.File.Write) }

// WriteAt implements fsx.File.
func (f *quotaFile) WriteAt(p []byte, off int64) (int, error) {
	return f.write(p, func(p []byte) (int, error) { return f.File.WriteAt(p, off) })
}

func (f *quotaFile) write(p []byte, do func([]byte) (int, error)) (int, error) {
	room, full := f.q.take(len(p))
	n, err := do(p[:room])
	if err == nil && full != nil {
		err = &fs.PathError{Op: opNameWrite, Path: f.Name(), Err: full}
	}
	return n, err
}
