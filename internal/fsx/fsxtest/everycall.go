package fsxtest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// goOnCalls is how many failed calls lie between two after which the next writer is tried.
const goOnCalls = 3

// failures are the ways in which [Scenario.EveryCall] lets each call fail.
var failures = []struct {
	fault Fault
	err   error
}{
	{Refused, syscall.EIO},
	{Refused, syscall.EINTR}, // what the operating system's file system repeats; another may not
	{Refused, syscall.ENOSPC},
	{Half, syscall.ENOSPC},
	{Done, syscall.EIO},
	{Short, io.ErrShortWrite},
	{Lasting, syscall.EIO},
}

// EveryCall runs the scenario with a file system that fails at call 0, 1, 2, … in every way, until a run makes fewer calls
// than that. After each failed run
//
//   - a step that returned no error has done all it should;
//   - of one that did, each file is as it was before or as it is after, its error has the cause and the path of a file that
//     the caller knows, and nothing hidden is left unless the removal failed;
//   - the next writer goes on, and leaves nothing hidden: for each call that is tried after some of its failures.
func (s *Scenario) EveryCall(t *testing.T) {
	t.Helper()
	var disk *Disk
	if !s.ReadsFiles {
		disk = NewDisk()
	}
	r := s.newRunsIn(t, filepath.Join(Folder(t), "d"), disk)
	runs := 0
	for i, f := range failures {
		for n := 0; ; n++ {
			fsys := New(n, f.err)
			fsys.FS, fsys.Fault = r.reset(t), f.fault
			step, err := r.play(fsys)
			if fsys.Failed() == "" {
				if err != nil {
					t.Fatalf("%s: no call failed, yet: %v", s.Name, err)
				}
				break
			}
			runs++
			removes := f.fault != Lasting && fsys.Failed() != opNameRemove // who cannot remove leaves something
			if err := r.judge(f.err, removes, step, err); err != nil {
				t.Errorf("%s: call %d, %s, %s with %q: %v", s.Name, n, fsys.Failed(), f.fault, f.err, err)
			} else if (n+i)%goOnCalls != 0 {
				continue
			} else if err := r.goOn(step); err != nil {
				t.Errorf("%s: call %d, %s, %s with %q: going on: %v", s.Name, n, fsys.Failed(), f.fault, f.err, err)
			}
		}
	}
	if runs == 0 {
		t.Errorf("%s: nothing was written", s.Name)
	}
}

// runs are runs of a scenario from the same beginning, in one folder.
type runs struct {
	s      *Scenario
	t      *testing.T
	dir    string
	before map[string]string // what Snapshot has of the beginning
	states *states
	disk   *Disk // nil if the folder is the operating system's
}

// newRunsIn runs the scenario undisturbed and keeps what it makes of its files: in a folder of a disk, or without one of
// the operating system.
func (s *Scenario) newRunsIn(t *testing.T, dir string, disk *Disk) *runs {
	t.Helper()
	r := &runs{s: s, t: t, dir: dir, states: s.newStates(), disk: disk}
	look := func() map[string]string {
		t.Helper()
		now := r.snapshot()
		files := map[string][]byte{}
		for path, text := range now {
			if text != snapshotFolder {
				files[path] = []byte(text)
			}
		}
		if err := r.states.add(files); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		return now
	}
	fsys := New(-1, nil) // does not sync
	fsys.FS = r.reset(t)
	for i, step := range s.Setup {
		if err := step(fsx.With(t.Context(), fsys), r.dir); err != nil {
			t.Fatalf("%s: setup %d: %v", s.Name, i, err)
		}
	}
	r.before = look()
	for i, step := range s.Steps {
		if err := step(fsx.With(t.Context(), fsys), r.dir); err != nil {
			t.Fatalf("%s: step %d: %v", s.Name, i, err)
		}
		look()
	}
	return r
}

// reset makes the folder what it was at the beginning.
func (r *runs) reset(t *testing.T) fsx.FS {
	t.Helper()
	if r.disk != nil {
		r.disk = NewDisk()
		r.disk.AddFolder(r.dir)
		for path, text := range r.before {
			if text == snapshotFolder {
				r.disk.AddFolder(path)
			} else {
				r.disk.Put(path, []byte(text))
			}
		}
		return r.disk
	}
	err := os.RemoveAll(r.dir)
	if err == nil {
		err = os.MkdirAll(r.dir, 0o777)
	}
	for _, path := range slices.Sorted(maps.Keys(r.before)) {
		switch {
		case err != nil:
		case r.before[path] == snapshotFolder:
			err = os.MkdirAll(path, 0o777)
		default:
			err = os.WriteFile(path, []byte(r.before[path]), 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return fsx.OS
}

// fsys is where the runs are.
func (r *runs) fsys() fsx.FS {
	if r.disk != nil {
		return r.disk
	}
	return fsx.OS
}

func (r *runs) snapshot() map[string]string {
	r.t.Helper()
	if r.disk == nil {
		return Snapshot(r.t, r.dir)
	}
	return r.disk.snapshot(r.dir)
}

// play runs the steps until one fails, and returns how many did not.
func (r *runs) play(fsys fsx.FS) (int, error) {
	for i, step := range r.s.Steps {
		if err := step(fsx.With(r.t.Context(), fsys), r.dir); err != nil {
			return i, err
		}
	}
	return len(r.s.Steps), nil
}

// visible returns the files that are not hidden, and the names of all else.
func (r *runs) visible() (files map[string][]byte, others []string) {
	files = map[string][]byte{}
	for path, text := range r.snapshot() {
		if text == snapshotFolder || isHidden(path) {
			others = append(others, path)
		} else {
			files[path] = []byte(text)
		}
	}
	return files, others
}

// judge holds what a run left that failed, for that cause, against the states after that many steps. Where it could remove
// nothing hidden may be left.
func (r *runs) judge(cause error, removes bool, steps int, failed error) error {
	if failed != nil {
		text := failed.Error()
		if !errors.Is(failed, cause) || !strings.Contains(text, r.dir) || strings.Contains(text, ".tmp") {
			return fmt.Errorf("the error %q names not %w and a file of the caller's alone", text, cause)
		}
	}
	files, others := r.visible()
	err := r.states.holds(steps, slices.Collect(maps.Keys(files)), func(path string) (int64, error) { return r.states.identify(path, files[path]) })
	if err != nil {
		return errors.Join(failed, err)
	}
	if !removes {
		return nil
	}
	if err := litter(others); err != nil {
		return errors.Join(failed, err)
	}
	return nil
}

func litter(paths []string) error {
	for _, path := range paths {
		if isLitter(path) {
			return fmt.Errorf("%s is left", path)
		}
	}
	return nil
}

// goOn lets the next writer loose on what a run of that many steps left.
func (r *runs) goOn(steps int) error {
	next, final := []Step{r.s.Next}, false
	if r.s.Next == nil {
		if steps == len(r.s.Steps) || !r.at(steps) {
			return nil // it was published, or in part
		}
		next, final = r.s.Steps[steps:], true
	}
	fsys := New(-1, nil)
	fsys.FS = r.fsys()
	for _, step := range next {
		if err := step(fsx.With(r.t.Context(), fsys), r.dir); err != nil {
			return err
		}
	}
	files, others := r.visible()
	for path, data := range files {
		if _, err := r.states.identify(path, data); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if final && !r.at(len(r.s.Steps)) {
		return errors.New("the same steps give other files")
	}
	return litter(others)
}

// at reports whether all files are in the state after that many steps.
func (r *runs) at(steps int) bool {
	files, _ := r.visible()
	for path, data := range files {
		if id, err := r.states.identify(path, data); err != nil || id != at(r.states.after[steps], path) {
			return false
		}
	}
	return len(files) == len(r.states.after[steps])
}

// snapshotFolder is what Snapshot says of a folder.
const snapshotFolder = "folder"

// Snapshot returns the content of every file below dir.
func Snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		out[path] = snapshotFolder
		if d.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			out[path] = string(raw)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
