package cstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
)

// Nothing is said to be saved in a file that somebody without a lock has cut or replaced meanwhile, and what is there then
// is left alone.
func TestUpdateOfAFileThatOthersSpoil(t *testing.T) {
	spoil := map[string]struct {
		do   func(path string) error
		want error
	}{
		"cut": {func(path string) error { return os.Truncate(path, 0) }, colstore.ErrTruncated},
		"replaced": {func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte("other"), 0o666), os.Rename(path+"~", path))
		}, fsx.ErrReplaced},
	}
	for name, c := range spoil {
		for _, after := range []int{0, 1, 2} { // writes
			path := filepath.Join(t.TempDir(), "x.cstore")
			b := randomBatch(t, oddSchema, 30, 1)
			if err := cstore.Store(t.Context(), path, b, nil); err != nil {
				t.Fatal(err)
			}
			w, err := cstore.Update(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 2 {
				if k == after {
					if err := c.do(path); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Write(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
			if after == 2 {
				if err := c.do(path); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("%s after %d writes: %v", name, after, err)
			}
			if err := w.Abort(); err != nil {
				t.Errorf("%s after %d writes: abort: %v", name, after, err)
			}
			if raw, err := os.ReadFile(path); err != nil || name == "replaced" && string(raw) != "other" {
				t.Errorf("%s after %d writes: %q is left, %v", name, after, raw, err)
			}
		}
	}
}
