//go:build linux || darwin

package calibrate

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the file's place is refused; opening it would wait for who writes to it.
func TestLoadOfAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "go.json")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err == nil {
		t.Errorf("a pipe is read as %+v", s)
	}
}
