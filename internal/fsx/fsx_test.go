package fsx_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

func TestNaturalOrder(t *testing.T) {
	want := []string{"", "0", "00", "1", "2", "10", "a", "a01", "a1", "a2", "a2b", "a10", "run_2", "run_10", "run_10a", "run_10b"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, fsx.CompareNatural)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNaturalOrderIsAnOrder(t *testing.T) {
	name := rapid.StringMatching(`[a1b09_]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if fsx.CompareNatural(a, b) != -fsx.CompareNatural(b, a) || (fsx.CompareNatural(a, b) == 0) != (a == b) {
			t.Fatalf("%q against %q: %d and %d", a, b, fsx.CompareNatural(a, b), fsx.CompareNatural(b, a))
		}
		if fsx.CompareNatural(a, b) <= 0 && fsx.CompareNatural(b, c) <= 0 && fsx.CompareNatural(a, c) > 0 {
			t.Fatalf("%q, %q, %q", a, b, c)
		}
	})
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"f2.x", "f10.x", "f1.x", ".hidden.x", "_SUCCESS.x", "f[1].x", "brace{a}.x", "sub/g1.x", "sub/deep/h.x", "sub/.h/i.x"} {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		path    string
		pattern bool
		want    []string
	}{
		{"f*.x", true, []string{"f1.x", "f2.x", "f10.x", "f[1].x"}},
		{"f[1].x", true, []string{"f[1].x"}}, // an existing name wins over a pattern
		{"f[12].x", true, []string{"f1.x", "f2.x"}},
		{"f?.x", true, []string{"f1.x", "f2.x"}},
		{"_*.x", true, []string{"_SUCCESS.x"}},
		{"**/*.x", true, []string{"brace{a}.x", "f1.x", "f2.x", "f10.x", "f[1].x", "sub/deep/h.x", "sub/g1.x"}},
		{"brace{*.x", true, []string{"brace{a}.x"}},
		{"sub", true, []string{"sub"}},
		{"f1.x", false, []string{"f1.x"}},
	}
	for _, c := range tests {
		got, err := fsx.Expand(filepath.Join(dir, c.path), c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		for i, g := range got {
			got[i] = filepath.ToSlash(strings.TrimPrefix(g, dir+string(filepath.Separator)))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.path, d)
		}
	}
	for path, pattern := range map[string]bool{"nothing*.x": true, "f*.x": false, "missing.x": true} {
		if got, err := fsx.Expand(filepath.Join(dir, path), pattern); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if got, err := fsx.Expand(filepath.Join(dir, "f[1.x"), true); err == nil {
		t.Errorf("a malformed pattern gives %v", got)
	}
}

func TestStagedAppearsAtCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	s, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v", err)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Abort(), s.Abort()); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{}); !errors.Is(err, colstore.ErrExists) {
		t.Errorf("over an existing file: %v", err)
	}
	for _, bad := range []string{"", dir, dir + "/", os.DevNull} {
		if _, err := fsx.Stage(fsx.OS, bad, fsx.StageOptions{Replace: true}); err == nil {
			t.Errorf("%q was taken for an output", bad)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// What is written while the system already takes bytes to the disk is what comes to be read, in whatever order it came.
func TestLargeFilesAreWhole(t *testing.T) {
	const piece, pieces = 5 << 20, 8
	want := make([]byte, piece*pieces)
	for i := range want {
		want[i] = byte(i * 2654435761 >> 13)
	}
	path := filepath.Join(t.TempDir(), "large")
	for _, discard := range []bool{false, true} {
		s, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{Discard: discard})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Abort()
		if _, err := s.Write(want[:piece]); err != nil {
			t.Fatal(err)
		}
		for i := pieces - 1; i > 0; i-- {
			if _, err := s.WriteAt(want[i*piece:(i+1)*piece], int64(i*piece)); err != nil {
				t.Fatal(err)
			}
		}
		if discard {
			continue
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// Paths of one file have one target, whether it is there or not.
func TestTarget(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	if err := errors.Join(
		os.MkdirAll(at("real/deep"), 0o777), os.Symlink("real", at("dir")), os.Symlink("real/new", at("later")), os.WriteFile(at("real/file"), nil, 0o666),
		os.Symlink("loop", at("loop")), os.Symlink(filepath.Join("..", "later"), at("real/twice")),
	); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"dir/file": "real/file", "dir/new": "real/new", "later": "real/new", "dir/twice": "real/new", "dir/deep/../none/x": "real/none/x", "real/./file": "real/file",
		"loop": "loop", "none/a": "none/a",
	} {
		if got := fsx.Target(at(path)); got != at(want) {
			t.Errorf("%s leads to %s, not %s", path, got, want)
		}
	}
	t.Chdir(root)
	if got := fsx.Target("dir/file"); got != at("real/file") {
		t.Errorf("a relative path leads to %s", got)
	}
}
