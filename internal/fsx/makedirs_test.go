package fsx_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// vanishing lets folders go, as another writer that gives up does, just before something is made in them.
type vanishing struct {
	fsx.FS
	dirs []string // that go, one at each call
}

func (v *vanishing) vanish() {
	if len(v.dirs) > 0 {
		_ = os.Remove(v.dirs[0])
		v.dirs = v.dirs[1:]
	}
}

func (v *vanishing) Mkdir(dir string, perm fs.FileMode) error {
	v.vanish()
	return v.FS.Mkdir(dir, perm)
}

func (v *vanishing) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	v.vanish()
	return v.FS.OpenFile(path, flag, perm)
}

// Whenever a folder goes that was found or made, the file comes to stand in it all the same.
func TestFolderThatVanishes(t *testing.T) {
	for _, there := range []int{0, 1, 2} { // folders that another writer has made
		for gone := range 4 { // the call before which they go
			t.Run(fmt.Sprint(there, gone), func(t *testing.T) {
				root := t.TempDir()
				dirs := []string{filepath.Join(root, "a"), filepath.Join(root, "a", "b")}
				for _, d := range dirs[:there] {
					if err := os.Mkdir(d, 0o777); err != nil {
						t.Fatal(err)
					}
				}
				v := &vanishing{FS: fsx.OS, dirs: slices.Repeat([]string{""}, gone)}
				v.dirs = append(v.dirs, dirs[1], dirs[0])
				path := filepath.Join(dirs[1], "file")
				s, err := fsx.Stage(v, path, fsx.StageOptions{Mkdirs: true})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Commit(); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A folder that can never be made is an error, not a loop.
func TestFolderThatCannotBe(t *testing.T) {
	root := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "nowhere", "at all"), filepath.Join(root, "dangling")); err != nil {
		t.Fatal(err)
	}
	_, err := fsx.Stage(fsx.OS, filepath.Join(root, "dangling", "file"), fsx.StageOptions{Mkdirs: true})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Writers of files of one new folder do not take it from each other.
func TestWritersOfOneNewFolder(t *testing.T) {
	for range 40 {
		root := t.TempDir()
		dir := filepath.Join(root, "out", "deep")
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for k := range 4 {
					path := filepath.Join(dir, fmt.Sprint(i, "-", k))
					s, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{Mkdirs: true})
					if err != nil {
						t.Error(err)
						return
					}
					if k == 3 && i%2 == 0 {
						err = s.Commit()
					} else {
						err = s.Abort()
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 4 {
			t.Errorf("%d files and %v, not 4", len(entries), err)
		}
	}
}

// syncs notes the folders that were made durable.
type syncs struct {
	fsx.FS
	log bytes.Buffer
}

func (s *syncs) SyncDir(dir string) error {
	fmt.Fprintln(&s.log, filepath.Base(dir))
	return s.FS.SyncDir(dir)
}

// A folder whose maker gives up, but in which another has published, is durable.
func TestFolderLeftToAnother(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o777); err != nil {
		t.Fatal(err)
	}
	fsys := &syncs{FS: fsx.OS}
	maker, err := fsx.Stage(fsys, filepath.Join(root, "out", "a"), fsx.StageOptions{Mkdirs: true})
	if err != nil {
		t.Fatal(err)
	}
	other, err := fsx.Stage(fsys, filepath.Join(root, "out", "b"), fsx.StageOptions{Mkdirs: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Commit(), maker.Abort()); err != nil {
		t.Fatal(err)
	}
	if got := fsys.log.String(); !strings.Contains(got, "root\n") {
		t.Errorf("made durable: %q", got)
	}
}

// Writers into one new folder that all give up leave nothing, in whatever order they do; one that publishes keeps it, once and
// for all.
func TestNewFolderIsTakenBackByTheLast(t *testing.T) {
	const writers = 3
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for publisher := -1; publisher < writers; publisher++ {
			root := t.TempDir()
			t.Chdir(root)
			var staged []*fsx.Staged
			for i, dir := range []string{filepath.Join(root, "out", "deep"), filepath.Join("out", "deep"), "out"} {
				s, err := fsx.Stage(fsx.OS, filepath.Join(dir, fmt.Sprint(i)), fsx.StageOptions{Mkdirs: true})
				if err != nil {
					t.Fatal(err)
				}
				staged = append(staged, s)
			}
			for _, i := range order {
				end := staged[i].Abort
				if i == publisher {
					end = staged[i].Commit
				}
				if err := end(); err != nil {
					t.Fatal(err)
				}
			}
			want := map[int]string{-1: "", 0: "out/deep/0", 1: "out/deep/1", 2: "out/2"}[publisher]
			if got := files(t, root); got != want {
				t.Errorf("%v, %d publishes: left is %q, want %q", order, publisher, got, want)
			}
			if publisher < 0 {
				continue
			}
			// The folder is no longer new, even when it is empty again.
			if err := os.Remove(want); err != nil {
				t.Fatal(err)
			}
			s, err := fsx.Stage(fsx.OS, want, fsx.StageOptions{Mkdirs: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Abort(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Dir(want)); err != nil {
				t.Errorf("%v, %d published: %v", order, publisher, err)
			}
		}
	}
}

// files returns the files and empty folders below a folder.
func files(t *testing.T, root string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		if d.IsDir() {
			if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
				return err
			}
		}
		rel, err := filepath.Rel(root, path)
		out = append(out, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// Writers of one new folder that give up at once leave nothing.
func TestWritersOfOneNewFolderGiveUp(t *testing.T) {
	for range 15 {
		root := t.TempDir()
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for range 3 {
					s, err := fsx.Stage(fsx.OS, filepath.Join(root, "out", "deep", fmt.Sprint(i)), fsx.StageOptions{Mkdirs: true})
					if err != nil {
						t.Error(err)
						return
					}
					if err := s.Abort(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if left := files(t, root); left != "" {
			t.Fatalf("left is %s", left)
		}
	}
}
