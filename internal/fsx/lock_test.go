package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// put makes files of the given content.
func put(t *testing.T, content string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// stage starts a replacement that says new.
func stage(t *testing.T, path string, o fsx.StageOptions) *fsx.Staged {
	t.Helper()
	s, err := fsx.Stage(fsx.OS, path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Abort() })
	if _, err := s.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	return s
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// A file that is to be replaced is locked from the beginning to the end, and the error says who has it.
func TestReplacedFileIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	put(t, "old", path)
	replace := fsx.StageOptions{Replace: true}
	for _, end := range []func(*fsx.Staged) error{(*fsx.Staged).Abort, (*fsx.Staged).Commit} {
		s := stage(t, path, replace)
		_, err := fsx.Stage(fsx.OS, path, replace)
		if !errors.Is(err, colstore.ErrLocked) || !strings.HasPrefix(err.Error(), "create "+path+": locked by another writer") || !strings.HasSuffix(err.Error(), "; try again when it is done") {
			t.Errorf("a second writer: %v", err)
		}
		if _, err := fsx.OpenLocked(fsx.OS, path, os.O_RDWR, colstore.LockAuto); !errors.Is(err, colstore.ErrLocked) {
			t.Errorf("a writer in place: %v", err)
		}
		if err := end(s); err != nil {
			t.Fatal(err)
		}
		l, err := fsx.OpenLocked(fsx.OS, path, os.O_RDWR, colstore.LockRequired)
		if err != nil {
			t.Fatalf("when the writer has ended: %v", err)
		}
		if _, err := fsx.Stage(fsx.OS, path, replace); !errors.Is(err, colstore.ErrLocked) {
			t.Errorf("while one writes in place: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, path); got != "new" {
		t.Errorf("at the end: %q", got)
	}
}

// A path without a file has one writer too, who is told by the hidden file.
func TestNewFileHasOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, replace := range []bool{false, true} {
		s := stage(t, path, fsx.StageOptions{})
		_, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{Replace: replace})
		if !errors.Is(err, colstore.ErrLocked) || !strings.Contains(err.Error(), filepath.Base(s.TempPath())) {
			t.Errorf("replace %t: %v", replace, err)
		}
		if other := stage(t, path+"2", fsx.StageOptions{}); other.Abort() != nil {
			t.Error("another path")
		}
		if spool, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{Discard: true, Replace: true}); err != nil {
			t.Errorf("a spool: %v", err)
		} else if err := spool.Abort(); err != nil {
			t.Error(err)
		}
		if err := s.Abort(); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever comes to be at the target while the output is written is replaced only under its own lock.
func TestTargetThatChanges(t *testing.T) {
	tests := []struct {
		name   string
		before bool // there is a file at the beginning
		change func(t *testing.T, path string)
	}{
		{"appears", false, func(t *testing.T, path string) { put(t, "other", path) }},
		{"replaced", true, func(t *testing.T, path string) {
			put(t, "other", path+"~")
			if err := os.Rename(path+"~", path); err != nil {
				t.Fatal(err)
			}
		}},
		{"removed and made", true, func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			put(t, "other", path)
		}},
	}
	for _, c := range tests {
		for _, prepared := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "x")
				if c.before {
					put(t, "old", path)
				}
				s := stage(t, path, fsx.StageOptions{Replace: true})
				if prepared {
					if err := s.Prepare(); err != nil {
						t.Fatal(err)
					}
				}
				c.change(t, path)
				l, err := fsx.OpenLocked(fsx.OS, path, os.O_RDWR, colstore.LockAuto)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Commit(); !errors.Is(err, colstore.ErrLocked) || content(t, path) != "other" {
					t.Errorf("while somebody writes to it: %v, %q", err, content(t, path))
				}
				if err := l.Current(); err != nil {
					t.Errorf("the writer in place: %v", err)
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				if err := s.Commit(); err != nil || content(t, path) != "new" {
					t.Errorf("later: %v, %q", err, content(t, path))
				}
				if left := names(t, filepath.Dir(path)); len(left) != 1 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

func TestCurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	put(t, "old", path)
	l, err := fsx.OpenLocked(fsx.OS, path, os.O_RDWR, colstore.LockAuto)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Current(); err != nil {
		t.Errorf("untouched: %v", err)
	}
	put(t, "new", path+"~")
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	if err := l.Current(); err == nil {
		t.Error("replaced: no error")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Current(); err == nil {
		t.Error("removed: no error")
	}
}

// Many writers of one path at once: each either publishes or is told that the path is locked, and nothing is left.
func TestWritersOfOnePath(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	var wg sync.WaitGroup
	var mu sync.Mutex
	published := 0
	for range 8 {
		wg.Go(func() {
			for range 200 {
				s, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{Replace: true, Discard: false})
				if err == nil {
					_, err = s.Write([]byte("new"))
					err = errors.Join(err, s.Commit(), s.Abort())
				}
				mu.Lock()
				if err == nil {
					published++
				} else if !errors.Is(err, colstore.ErrLocked) {
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if published == 0 || content(t, path) != "new" {
		t.Errorf("%d published, %q", published, content(t, path))
	}
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLockPolicies(t *testing.T) {
	lockless := fsxtest.Lockless(fsx.OS)
	for _, there := range []bool{false, true} {
		path := filepath.Join(fsxtest.Folder(t), "x")
		if there {
			put(t, "old", path)
		}
		s, err := fsx.Stage(lockless, path, fsx.StageOptions{Replace: true})
		if err != nil {
			t.Fatal(err)
		}
		if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], filepath.Dir(path)+" has no locks") {
			t.Errorf("auto: %q", w)
		}
		if err := s.Commit(); err != nil {
			t.Error(err)
		}
		s, err = fsx.Stage(lockless, path, fsx.StageOptions{Replace: true, Lock: colstore.LockOff})
		if err != nil {
			t.Fatal(err)
		}
		if w := s.Warnings(); len(w) != 0 {
			t.Errorf("off: %q", w)
		}
		if err := s.Commit(); err != nil {
			t.Error(err)
		}
		if !there {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := fsx.Stage(lockless, path, fsx.StageOptions{Replace: true, Lock: colstore.LockRequired}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "--lock auto") {
			t.Errorf("required: %v", err)
		}
		if left := names(t, filepath.Dir(path)); len(left) > 1 {
			t.Errorf("left behind: %v", left)
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	put(t, "old", path)
	s := stage(t, path, fsx.StageOptions{Replace: true})
	off := stage(t, path, fsx.StageOptions{Replace: true, Lock: colstore.LockOff})
	if err := off.Commit(); err != nil {
		t.Errorf("off, against a writer: %v", err)
	}
	if err := s.Commit(); err != nil {
		t.Errorf("a writer whose target was replaced without its lock: %v", err)
	}
}

func TestLockDir(t *testing.T) {
	dir := t.TempDir()
	l, err := fsx.LockDir(fsx.OS, dir, colstore.LockRequired)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.LockDir(fsx.OS, dir, colstore.LockAuto); !errors.Is(err, colstore.ErrLocked) || !strings.HasPrefix(err.Error(), "lock "+dir+": ") {
		t.Errorf("a second writer: %v", err)
	}
	off, err := fsx.LockDir(fsx.OS, dir, colstore.LockOff)
	if err := errors.Join(err, off.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if l, err = fsx.LockDir(fsxtest.Lockless(fsx.OS), dir, colstore.LockAuto); err != nil || l.Warning == "" {
		t.Errorf("without locks: %+v, %v", l, err)
	}
	if _, err := fsx.LockDir(fsxtest.Lockless(fsx.OS), dir, colstore.LockRequired); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("required without locks: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{fsx.LockName}, names(t, dir)); d != "" {
		t.Error(d)
	}
	if _, err := fsx.LockDir(fsx.OS, filepath.Join(dir, "no"), colstore.LockAuto); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestRemoveDead(t *testing.T) {
	dead := []string{
		".a.cstore.colstore-0123456789abcdef.tmp", ".b.x.colstore-ffffffffffffffff.tmp", // ours, of any format
		".a.cstore.q1w2e3_4.tmp", "c.cstore.compacting", // the Python package's
	}
	kept := []string{
		fsx.LockName, "a.cstore", "c.cstore", "held.cstore", "held.cstore.compacting", // one of its target's lock is held
		".live.cstore.colstore-0123456789abcdef.tmp", ".a.cstore.young123.tmp", "young.cstore.compacting",
		".a.cstore.colstore-0123456789abcde.tmp", ".a.cstore.colstore-0123456789abcdeF.tmp", "a.cstore.colstore-0123456789abcdef.tmp",
		".colstore-0123456789abcdef.tmp", ".a.csv.q1w2e3r4.tmp", ".a.cstore.q1w2e3r.tmp", ".a.cstore.Q1w2e3r4.tmp", ".cstore.compacting~",
	}
	make := func(t *testing.T) string {
		dir := t.TempDir()
		for _, n := range slices.Concat(dead, kept) {
			put(t, "half", filepath.Join(dir, n))
			if old := time.Now().Add(-2 * time.Hour); !strings.Contains(n, "young") {
				if err := os.Chtimes(filepath.Join(dir, n), old, old); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, n := range []string{"held.cstore", ".live.cstore.colstore-0123456789abcdef.tmp"} {
			l, err := fsx.OpenLocked(fsx.OS, filepath.Join(dir, n), os.O_RDONLY, colstore.LockRequired)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
		}
		return dir
	}
	dir := make(t)
	all := names(t, dir)
	removed := fsx.RemoveDead(fsx.OS, dir)
	slices.Sort(dead)
	slices.Sort(kept)
	if d := cmp.Diff(dead, removed); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(kept, names(t, dir)); d != "" {
		t.Error(d)
	}
	dir = make(t)
	if removed := fsx.RemoveDead(fsxtest.Lockless(fsx.OS), dir); removed != nil {
		t.Errorf("without locks: %v", removed)
	}
	if d := cmp.Diff(all, names(t, dir)); d != "" {
		t.Error(d)
	}
}

// An output goes where links lead, also where nothing is yet.
func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"real", "links"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) string {
		path := filepath.Join(dir, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link("real", "alias")
	absolute := link(filepath.Join(dir, "real", "absolute"), "links/absolute")
	relative := link("../real/relative", "links/relative")
	two := link("second", "links/two")
	link("../real/two", "links/second")
	for _, path := range []string{absolute, relative, two, filepath.Join(dir, "alias", "through")} {
		for _, replace := range []bool{false, true} {
			if err := stage(t, path, fsx.StageOptions{Replace: replace}).Commit(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			real := filepath.Join(dir, "real", filepath.Base(path))
			if st, err := os.Lstat(real); err != nil || !st.Mode().IsRegular() {
				t.Errorf("%s: %v, %v", real, st, err)
			}
		}
	}
	if st, err := os.Lstat(absolute); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", st, err)
	}
	nowhere := link("../nowhere/x", "links/nowhere")
	if _, err := fsx.Stage(fsx.OS, nowhere, fsx.StageOptions{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("into a folder that is not there: %v", err)
	}
	round := link("round", "links/round")
	if _, err := fsx.Stage(fsx.OS, round, fsx.StageOptions{}); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("a link to itself: %v", err)
	}
	if left := names(t, filepath.Join(dir, "links")); len(left) != 6 {
		t.Errorf("beside the links: %v", left)
	}
}

// Closing gives the lock back though another descriptor of the open file is left, as in a process that is being started.
func TestCloseGivesTheLockBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	put(t, "old", path)
	l, err := fsx.OpenLocked(fsx.OS, path, os.O_RDWR, colstore.LockRequired)
	if err != nil {
		t.Fatal(err)
	}
	duplicate(t, l.File)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := stage(t, path, fsx.StageOptions{Replace: true})
	duplicate(t, s.File)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := stage(t, path, fsx.StageOptions{Replace: true}).Abort(); err != nil {
		t.Error(err)
	}
}

// guarded is a file system in which one file may not be opened with some flags.
type guarded struct {
	fsx.FS
	path  string
	flags []int
}

func (g guarded) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	if path == g.path && slices.Contains(g.flags, flag) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	return g.FS.OpenFile(path, flag, perm)
}

// A file that may not be written can be replaced and is locked all the same; of one that may not be read there is no lock.
func TestLockOfAGuardedFile(t *testing.T) {
	path := filepath.Join(fsxtest.Folder(t), "x")
	put(t, "old", path)
	s, err := fsx.Stage(guarded{fsx.OS, path, []int{os.O_RDWR}}, path, fsx.StageOptions{Replace: true, Lock: colstore.LockRequired})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.OpenLocked(fsx.OS, path, os.O_RDWR, colstore.LockAuto); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if err := s.Commit(); err != nil {
		t.Error(err)
	}
	secret := guarded{fsx.OS, path, []int{os.O_RDWR, os.O_RDONLY}}
	if _, err := fsx.Stage(secret, path, fsx.StageOptions{Replace: true}); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "--lock off") {
		t.Errorf("a file that cannot be opened: %v", err)
	}
	if s, err = fsx.Stage(secret, path, fsx.StageOptions{Replace: true, Lock: colstore.LockOff}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(); err != nil {
		t.Error(err)
	}
}

// othersFS has files that belong to somebody else: they can be read, not written.
type othersFS struct {
	fsx.FS
	name string
}

func (o othersFS) OpenFile(path string, flag int, perm fs.FileMode) (fsx.File, error) {
	if filepath.Base(path) == o.name && flag&(os.O_RDWR|os.O_WRONLY) != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	return o.FS.OpenFile(path, flag, perm)
}

// Who may write to a folder, but not to the file of its lock, takes the lock all the same.
func TestFolderOfSomebodyElse(t *testing.T) {
	dir := t.TempDir()
	others := othersFS{fsx.OS, fsx.LockName}
	if _, err := fsx.LockDir(others, dir, colstore.LockAuto); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
		t.Errorf("without the file: %v", err)
	}
	mine, err := fsx.LockDir(fsx.OS, dir, colstore.LockAuto)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.LockDir(others, dir, colstore.LockAuto); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("while it is locked: %v", err)
	}
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := fsx.LockDir(others, dir, colstore.LockAuto)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := fsx.LockDir(fsx.OS, dir, colstore.LockAuto); !errors.Is(err, colstore.ErrLocked) {
		t.Errorf("its owner meanwhile: %v", err)
	}
}
