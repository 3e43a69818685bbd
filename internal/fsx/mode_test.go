//go:build unix

package fsx_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// What replaces a file has its permissions, from the beginning on: nobody reads in between what was not for them.
func TestReplacedFileKeepsItsMode(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o444, 0o664, 0o666} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		s, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{Replace: true})
		if err != nil {
			t.Fatal(err)
		}
		if st, err := s.Stat(); err != nil || st.Mode().Perm()&^(mode|0o200) != 0 {
			t.Errorf("while it is written, mode %o: %v, %v", mode, st, err)
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != mode {
			t.Errorf("mode %o: %v, %v", mode, st.Mode(), err)
		}
	}
}
