package fsx_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// A name that the file system takes is one that can be written, though the hidden name is longer.
func TestStageTakesLongNames(t *testing.T) {
	for _, name := range []string{
		strings.Repeat("n", 224), strings.Repeat("n", 225), strings.Repeat("n", 255),
		"x" + strings.Repeat("é", 127), strings.Repeat("日", 85),
	} {
		path := filepath.Join(t.TempDir(), name)
		s, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{})
		if err != nil {
			t.Errorf("%d bytes: %v", len(name), err)
			continue
		}
		if hidden := filepath.Base(s.TempPath()); len(hidden) > 255 || !utf8.ValidString(hidden) {
			t.Errorf("%d bytes: hidden name of %d bytes: %q", len(name), len(hidden), hidden)
		}
		if err := s.Commit(); err != nil {
			t.Errorf("%d bytes: %v", len(name), err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	_, err := fsx.Stage(fsx.OS, filepath.Join(t.TempDir(), strings.Repeat("n", 256)), fsx.StageOptions{})
	if err == nil {
		t.Error("a name of 256 bytes is staged")
	}
}

// Long names that begin alike have hidden names of their own, so that neither's writer keeps out or cleans up the other's.
func TestLongNamesAreToldApart(t *testing.T) {
	dir := t.TempDir()
	begin := strings.Repeat("n", 248)
	one, two := filepath.Join(dir, begin+"1"), filepath.Join(dir, begin+"2")
	s, err := fsx.Stage(fsx.OS, one, fsx.StageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := fsx.Stage(fsx.OS, two, fsx.StageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.Stage(fsx.OS, one, fsx.StageOptions{}); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if err := errors.Join(other.Abort(), s.Abort()); err != nil {
		t.Fatal(err)
	}
	// A leftover: the hidden file of a writer that is no more.
	if err := os.WriteFile(s.TempPath(), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{two, one} {
		if s, err = fsx.Stage(fsx.OS, path, fsx.StageOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Abort(); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{two: 1, one: 0}[path]; len(left) != want {
			t.Errorf("after a writer of …%s: %d leftovers, want %d", path[len(path)-1:], len(left), want)
		}
	}
}
