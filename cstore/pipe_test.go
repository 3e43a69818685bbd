//go:build unix

package cstore_test

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/source"
)

// What turns out to be a pipe when it is opened, whatever it was before, is an error, and nobody waits for its writer.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe.cstore")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	unnamed := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(unnamed, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() error{
		"open":   func() error { _, err := cstore.Open(path, nil); return err },
		"stat":   func() error { _, err := cstore.Stat(path); return err },
		"mmap":   func() error { _, err := mmap.Open(path); return err },
		"input":  func() error { _, err := fsx.OpenRegular(path); return err },
		"source": func() error { _, err := source.OpenPath(t.Context(), unnamed); return err },
		"format": func() error { _, err := source.FormatName(unnamed, ""); return err },
		"verify": func() error { _, err := cstore.Verify(t.Context(), path, nil); return err },
		"repair": func() error { _, err := cstore.Repair(t.Context(), path, nil); return err },
		"append": func() error {
			_, err := cstore.AppendFiles(t.Context(), filepath.Join(dir, "out"), []string{path}, nil)
			return err
		},
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "not a regular file") || name != "mmap" && !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
