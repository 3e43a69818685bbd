package feather_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather"
	"github.com/colstore/colstore-go/internal/fsx"
)

// A file that the system does not read has no wrong footer.
func TestUnreadableFooter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.feather")
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := fsx.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := feather.ReadFooter(in, 100); !errors.Is(err, colstore.ErrTruncated) {
		t.Errorf("without a footer: %v", err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := feather.ReadFooter(in, 100); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("not readable: %v", err)
	}
}
