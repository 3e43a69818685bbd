package npz_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/npz"
	"github.com/colstore/colstore-go/internal/fsx"
)

// A file that the system does not read is not told to be no archive.
func TestUnreadableDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := fsx.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := npz.ReadDirectory(in, 100); !errors.Is(err, colstore.ErrFormat) {
		t.Errorf("no archive: %v", err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := npz.ReadDirectory(in, 100); !errors.Is(err, fs.ErrClosed) || errors.Is(err, colstore.ErrFormat) {
		t.Errorf("not readable: %v", err)
	}
}
