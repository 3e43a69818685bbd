//go:build interop && unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/cstore"
)

// updateLikePackage appends to files of the Python package what that appended, and has its bytes.
func (x interop) updateLikePackage(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "updates.py", dir, "7", "200")
	paths, err := filepath.Glob(filepath.Join(dir, "*.before.cstore"))
	if err != nil || len(paths) != 200 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		after := strings.Replace(path, ".before.", ".after.", 1)
		if err := updateTo(t, path, after); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		got, err := os.ReadFile(path)
		want, err2 := os.ReadFile(after)
		if err := errors.Join(err, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, the package's has %d, %v", filepath.Base(path), len(got), len(want), err)
		}
	}
}

// updateTo appends the records to the file at path that the one at after has more, in as many updates as there are.
func updateTo(t *testing.T, path, after string) (err error) {
	r, err := cstore.Open(after, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	parts, err := r.Map(nil)
	if err != nil {
		return err
	}
	defer func() {
		for _, b := range parts {
			b.Release()
		}
	}()
	old, err := cstore.Stat(path)
	if err != nil {
		return err
	}
	for _, b := range parts[old.Records:] {
		w, err := cstore.Update(path, &cstore.WriteOptions{Stats: strings.HasSuffix(path, "s.before.cstore")})
		if err != nil {
			return err
		}
		if err := errors.Join(w.Write(t.Context(), b), w.Commit(t.Context()), w.Abort()); err != nil {
			return err
		}
	}
	return nil
}
