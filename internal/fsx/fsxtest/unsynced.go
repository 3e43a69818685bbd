package fsxtest

import (
	"io/fs"

	"github.com/colstore/colstore-go/internal/fsx"
)

// Unsynced is the operating system's file system, which waits for no disk: for tests of many small files that are not
// about what a power cut leaves.
var Unsynced fsx.FS = unsynced{fsx.OS}

type unsynced struct{ fsx.FS }

type unsyncedFile struct{ fsx.File }

// OpenFile implements fsx.FS.
func (u unsynced) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := u.FS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

// SyncDir implements fsx.FS.
func (unsynced) SyncDir(string) error { return nil }

// Sync implements fsx.File.
func (unsyncedFile) Sync() error { return nil }
