package fsxtest

import (
	"path/filepath"
	"testing"
)

// Folder is t.TempDir with its links resolved: what is written through a link is written where the link leads, and a disk
// in memory knows no links.
func Folder(tb testing.TB) string {
	tb.Helper()
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}
