package fsxtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// A Step writes files in dir, through the file system of ctx. When it returns nil it has promised that they are safe.
type Step func(ctx context.Context, dir string) error

// A Scenario is a program that writes files, for the proofs that whatever happens each of its files is in the state of
// before a step or of after it: [Scenario.Crash], [Scenario.EveryCall], [Scenario.EveryFill].
type Scenario struct {
	Name  string
	Setup []Step // what is there before, safely
	Steps []Step
	// Identify reads a file and returns a number for what readers make of it; an error says that they cannot read it. nil
	// takes every content for a state of its own, which is what files that appear whole must pass.
	Identify func(path string, data []byte) (int64, error)
	// Next goes on with whatever was left, must succeed and leave no hidden file. nil are the steps once more, where what
	// was left is what there was before.
	Next Step
	// ReadsFiles says that steps read files by the operating system, not by their file system alone.
	ReadsFiles bool
}

// absent is the state of a file that is not there; other states are not negative.
const absent = -1

// isHidden reports whether a path is no table: hidden files are those that are being written, and locks.
func isHidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

// isLitter reports whether a path is a hidden file that should be gone when its writer is.
func isLitter(path string) bool { return isHidden(path) && filepath.Base(path) != lockName }

// lockName is the file that writers to a folder lock; it stays.
const lockName = ".colstore.lock"

// states are the states of all files after each step, those of before first.
type states struct {
	s        *Scenario
	contents map[string][][]byte // without Identify: the known contents of each path
	after    []map[string]int64
}

func (s *Scenario) newStates() *states {
	return &states{s: s, contents: map[string][][]byte{}}
}

// add takes the files of a step's end.
func (x *states) add(files map[string][]byte) error {
	m := map[string]int64{}
	for path, data := range files {
		if isHidden(path) {
			continue
		}
		if x.s.Identify == nil && !slices.ContainsFunc(x.contents[path], func(c []byte) bool { return bytes.Equal(c, data) }) {
			x.contents[path] = append(x.contents[path], data)
		}
		id, err := x.identify(path, data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		m[path] = id
	}
	x.after = append(x.after, m)
	return nil
}

// identify returns the state of a file, nil being none.
func (x *states) identify(path string, data []byte) (int64, error) {
	if data == nil {
		return absent, nil
	}
	if x.s.Identify != nil {
		return x.s.Identify(path, data)
	}
	if i := slices.IndexFunc(x.contents[path], func(c []byte) bool { return bytes.Equal(c, data) }); i >= 0 {
		return int64(i), nil
	}
	return 0, fmt.Errorf("%d bytes that it never had", len(data))
}

func at(m map[string]int64, path string) int64 {
	if id, ok := m[path]; ok {
		return id
	}
	return absent
}

// holds demands that every file is in the state of after that many steps, or of one more. paths are the visible files,
// state says what one of them is.
func (x *states) holds(steps int, paths []string, state func(path string) (int64, error)) error {
	now := x.after[steps]
	next := x.after[min(steps+1, len(x.after)-1)]
	for _, path := range paths {
		if at(now, path) == absent && at(next, path) == absent {
			return fmt.Errorf("%s is there", path)
		}
	}
	for _, m := range []map[string]int64{now, next} {
		for path := range m {
			id, err := state(path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if id != at(now, path) && id != at(next, path) {
				return fmt.Errorf("%s is in state %d, neither in %d of before nor in %d of after", path, id, at(now, path), at(next, path))
			}
		}
	}
	return nil
}

// play runs the scenario on a fresh disk and mirrors what programs see, for readers that look at the operating system's.
// wrap may put a file system between the steps and the disk.
func (s *Scenario) play(t *testing.T, dir string, link bool, wrap func(fsx.FS) fsx.FS) (d *Disk, from int, x *states) {
	t.Helper()
	d, x = NewDisk(), s.newStates()
	d.LinkRename = link
	d.AddFolder(dir)
	look := func() {
		t.Helper()
		files := map[string][]byte{}
		for _, path := range d.Files() {
			files[path], _ = d.Bytes(path)
		}
		if err := x.add(files); err != nil {
			t.Fatal(err)
		}
		if err := d.Mirror(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range s.Setup {
		if err := step(fsx.With(t.Context(), d), dir); err != nil {
			t.Fatalf("%s: setup: %v", s.Name, err)
		}
		if err := d.Mirror(dir); err != nil {
			t.Fatal(err)
		}
	}
	d.Settle()
	look()
	from = d.Mark()
	var fsys fsx.FS = d
	if wrap != nil {
		fsys = wrap(d)
	}
	for i, step := range s.Steps {
		if err := step(fsx.With(t.Context(), fsys), dir); err != nil {
			t.Fatalf("%s: step %d: %v", s.Name, i, err)
		}
		d.Promise()
		look()
	}
	return d, from, x
}

// goesOn is in how many images one is that the next writer is tried on.
const goesOn = 61

// Crash runs the scenario on a [Disk] and lets the power go after every operation. In every image each file must be
// readable and in the state of the last promise or of the step that was under way; on some, the next writer goes on.
func (s *Scenario) Crash(t *testing.T, o Exploring) Counted {
	t.Helper()
	dir := Folder(t)
	counted, err := s.crash(t, dir, o, nil)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return counted
}

// Flawed is Crash with a file system between program and disk that does not do all it is told, and returns what was
// found: a test that the proof would notice.
func (s *Scenario) Flawed(t *testing.T, o Exploring, wrap func(fsx.FS) fsx.FS) error {
	t.Helper()
	_, err := s.crash(t, Folder(t), o, wrap)
	return err
}

func (s *Scenario) crash(t *testing.T, dir string, o Exploring, wrap func(fsx.FS) fsx.FS) (Counted, error) {
	t.Helper()
	d, from, x := s.play(t, dir, o.LinkRename, wrap)
	o.From = from
	every := int64(cmp.Or(o.Next, goesOn))
	var images atomic.Int64
	return d.Explore(o, func(img *Image) error {
		err := x.holds(img.Promised(), img.Paths(false), func(path string) (int64, error) {
			return img.Judge(path, func(data []byte) (int64, error) { return x.identify(path, data) })
		})
		if err != nil {
			return fmt.Errorf("after %d promises: %w", img.Promised(), err)
		}
		if images.Add(1)%every == 0 {
			if err := s.goOn(t, x, img, dir); err != nil {
				return fmt.Errorf("going on: %w", err)
			}
		}
		return nil
	})
}

// goOn lets the next writer loose on an image.
func (s *Scenario) goOn(t *testing.T, x *states, img *Image, dir string) error {
	next := []Step{s.Next}
	if s.Next == nil {
		for path, id := range x.after[0] {
			now, err := img.Judge(path, func(data []byte) (int64, error) { return x.identify(path, data) })
			if err != nil || now != id {
				return err
			}
		}
		if len(img.Paths(false)) != len(x.after[0]) {
			return nil
		}
		next = s.Steps
	}
	d := img.Disk()
	d.AddFolder(dir)
	for _, step := range next {
		if err := step(fsx.With(t.Context(), d), dir); err != nil {
			return err
		}
	}
	for _, path := range d.Files() {
		if isLitter(path) {
			return fmt.Errorf("%s is left", path)
		}
		data, _ := d.Bytes(path)
		if _, err := x.identify(path, data); err != nil && !isHidden(path) {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
