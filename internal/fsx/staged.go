package fsx

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
)

// StageOptions says how a staged file takes its place.
type StageOptions struct {
	Replace bool // an existing file may be replaced; else it is an error, when staging and when committing
	Mkdirs  bool // make missing parent folders; Abort removes those again
	Discard bool // the file is only ever aborted: nothing is gained by writing it to the disk
}

// A Staged file is written under a hidden name beside its target, and takes the target's name in Commit. Whatever
// happens before, the target is what it was.
type Staged struct {
	File
	fsys    FS
	path    string // the target as the caller named it
	target  string // the target with links followed
	temp    string
	made    []string // folders made for it, outermost first
	o       StageOptions
	synced  bool
	settled bool

	published bool // it has its name

	writeback writeback
}

const (
	tempMark   = ".colstore-"
	tempSuffix = ".tmp"
)

// Stage creates the hidden file for path: ".name.colstore-<random>.tmp" in the same folder, locked for as long as it is
// open. Leftovers of writers to the same path that have died are removed; they are told by their lock.
//
// Errors: [colstore.ErrExists] unless o.Replace, and what the file system says, always with the target's path.
func Stage(fsys FS, path string, o StageOptions) (*Staged, error) {
	fail := func(err error) (*Staged, error) {
		return nil, &colstore.Error{Op: "create", Path: path, Err: Bare(err)}
	}
	s := &Staged{fsys: fsys, path: path, target: resolve(path), o: o}
	if path == "" || strings.HasSuffix(path, string(filepath.Separator)) {
		return fail(fmt.Errorf("%w: the output needs a file name", colstore.ErrOption))
	}
	switch st, err := fsys.Stat(s.target); {
	case err == nil && st.IsDir():
		return fail(fmt.Errorf("%w: it is a folder, not a file", colstore.ErrExists))
	case err == nil && !st.Mode().IsRegular():
		return fail(fmt.Errorf("%w: it is no regular file (%s)", colstore.ErrExists, st.Mode().Type()))
	case err == nil && !o.Replace:
		return fail(fmt.Errorf("%w; --overwrite, or mode: replace in a recipe, writes over it", colstore.ErrExists))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	}
	dir, base := filepath.Split(s.target)
	if dir == "" {
		dir = "."
	}
	if err := s.makeDirs(filepath.Clean(dir)); err != nil {
		s.removeDirs()
		return fail(err)
	}
	prefix := "." + base + tempMark
	removeDead(fsys, dir, prefix)
	for range 100 {
		name := filepath.Join(dir, prefix+randomName()+tempSuffix)
		f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			s.removeDirs()
			return fail(err)
		}
		if held, err := hold(fsys, f, name); err != nil || !held {
			_ = f.Close()
			_ = fsys.Remove(name)
			if err != nil {
				s.removeDirs()
				return fail(err)
			}
			continue
		}
		s.File, s.temp = f, name
		return s, nil
	}
	s.removeDirs()
	return fail(fmt.Errorf("no free name for a temporary file in %s", dir))
}

// hold locks a fresh temporary file and reports whether it is still there: a cleaner may have taken it for a leftover
// between its creation and its lock.
func hold(fsys FS, f File, name string) (bool, error) {
	err := f.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return true, nil // then cleaners cannot lock it either and leave it alone
	case errors.Is(err, colstore.ErrLocked):
		return false, nil
	case err != nil:
		return false, err
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := fsys.Stat(name)
	return err == nil && SameFile(mine, there), nil
}

// removeDead removes the temporary files of this prefix that no living writer locks. It is a courtesy: what it cannot
// do it leaves.
func removeDead(fsys FS, dir, prefix string) {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, prefix) && strings.HasSuffix(n, tempSuffix) && e.Type().IsRegular() {
			path := filepath.Join(dir, n)
			if f, err := fsys.OpenFile(path, os.O_RDWR, 0); err == nil {
				if f.TryLock() == nil {
					_ = fsys.Remove(path)
				}
				_ = f.Close()
			}
		}
	}
}

func randomName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func (s *Staged) makeDirs(dir string) error {
	st, err := s.fsys.Stat(dir)
	switch {
	case err == nil && st.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("%s is not a folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case !s.o.Mkdirs:
		return fmt.Errorf("the folder %s does not exist: %w", dir, fs.ErrNotExist)
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := s.makeDirs(parent); err != nil {
			return err
		}
	}
	if err := s.fsys.Mkdir(dir, 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil // somebody else was quicker
		}
		return err
	}
	s.made = append(s.made, dir)
	return nil
}

func (s *Staged) removeDirs() {
	for _, v := range slices.Backward(s.made) {
		_ = s.fsys.Remove(v) // fails, rightly, when somebody put something there
	}
	s.made = nil
}

// Path returns the target as it was named.
func (s *Staged) Path() string { return s.path }

// TempPath returns the hidden name, for reading back what was staged.
func (s *Staged) TempPath() string { return s.temp }

// Prepare makes the written bytes durable; what follows in Commit is renaming.
func (s *Staged) Prepare() error {
	if s.settled {
		return s.failed(colstore.ErrClosed)
	}
	if !s.synced {
		if err := s.File.Sync(); err != nil {
			return s.failed(err)
		}
		s.synced = true
	}
	return nil
}

// Commit publishes: sync, rename, sync of the folder. On an error the target is untouched and Abort cleans up, except
// that the folder's last sync may fail after the rename: then the new file is in place, though a power cut might undo
// that.
func (s *Staged) Commit() error {
	if err := s.Prepare(); err != nil {
		return err
	}
	rename := s.fsys.RenameNew
	if s.o.Replace {
		rename = s.fsys.Rename
	}
	if err := rename(s.temp, s.target); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w: it appeared while the output was written", colstore.ErrExists)
		}
		return s.failed(err)
	}
	s.settled, s.published = true, true
	err := errors.Join(s.File.Close(), s.fsys.SyncDir(filepath.Dir(s.target)))
	for _, dir := range s.made {
		err = errors.Join(err, s.fsys.SyncDir(filepath.Dir(dir)))
	}
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// Abort removes the hidden file and the folders made for it. After Commit it does nothing.
func (s *Staged) Abort() error {
	if s.settled {
		return nil
	}
	s.settled = true
	// Unlinked while the lock is held, so that no cleaner meets it.
	err := errors.Join(s.fsys.Remove(s.temp), s.File.Close())
	s.removeDirs()
	if err != nil {
		return &colstore.Error{Op: "abort", Path: s.path, Err: err}
	}
	return nil
}

func (s *Staged) failed(err error) error {
	return &colstore.Error{Op: "write", Path: s.path, Err: Bare(err)}
}

// Bare returns the cause of a file system error without its operation and path, for an error that names the target
// itself: the path in it would be the hidden one.
func Bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
