package fsx

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback begins to write what of the file is not on the disk yet, and does not wait. Failure means nothing: Sync
// does the work, and tells.
func startWriteback(f *os.File) {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
