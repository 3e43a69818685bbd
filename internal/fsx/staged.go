package fsx

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/colstore/colstore-go"
)

// StageOptions says how a staged file takes its place.
type StageOptions struct {
	Replace bool // an existing file may be replaced; else it is an error, when staging and when committing
	Mkdirs  bool // make missing parent folders; Abort removes those again
	Discard bool // the file is only ever aborted: it takes no lock of the target, and nothing is gained by writing it to the disk
	Swept   bool // the caller has the folder's lock and has removed leftovers: none are looked for
	// Lock is about the target. The hidden file is always locked where that is possible: by that it is known to live.
	Lock colstore.LockPolicy
}

// A Staged file is written under a hidden name beside its target, and takes the target's name in Commit. Whatever
// happens before, the target is what it was; a file that is to be replaced is locked from the beginning to the rename.
type Staged struct {
	File
	fsys    FS
	path    string // the target as the caller named it
	target  string // the target with links followed
	temp    string
	held    *Locked     // the file that is to be replaced, or nil
	mode    fs.FileMode // 0666, or the permissions of the file that is to be replaced, which the new one gets
	keep    bool
	dirs    NewDirs // that it lies in
	o       StageOptions
	warning string
	synced  bool
	settled bool

	published bool        // it has its name
	parked    fs.FileInfo // of a file whose descriptor was given back

	writeback writeback
}

// Stage creates the hidden file for path: ".name.colstore-<random>.tmp" in the same folder, locked for as long as it is
// open; a name that would make that too long is shortened in it. Leftovers of writers to the same path that have died are
// removed; they are told by their lock. That of a writer that lives is an error: there is one writer of a path, whether there
// is a file yet or not.
//
// Errors: [colstore.ErrExists] unless o.Replace, [colstore.ErrLocked], and what the file system says, always with the
// target's path.
func Stage(fsys FS, path string, o StageOptions) (*Staged, error) {
	s := &Staged{fsys: fsys, path: path, target: resolve(path), mode: 0o666, o: o}
	if o.Discard {
		s.o.Lock = colstore.LockOff
	}
	if err := s.start(); err != nil {
		s.unlock()
		s.dirs.Remove()
		return nil, &colstore.Error{Op: "create", Path: path, Err: Bare(err)}
	}
	return s, nil
}

func (s *Staged) start() error {
	if s.path == "" || strings.HasSuffix(s.path, string(filepath.Separator)) {
		return fmt.Errorf("%w: the output needs a file name", colstore.ErrOption)
	}
	switch st, err := s.fsys.Stat(s.target); {
	case err == nil && st.IsDir():
		return fmt.Errorf("%w: it is a folder, not a file", colstore.ErrExists)
	case err == nil && !st.Mode().IsRegular():
		return fmt.Errorf("%w: it is no regular file (%s)", colstore.ErrExists, st.Mode().Type())
	case err == nil && !s.o.Replace:
		return fmt.Errorf("%w; --overwrite, or mode: replace in a recipe, writes over it", colstore.ErrExists)
	case err == nil:
		s.mode, s.keep = st.Mode().Perm(), true
		if err := s.lock(); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir, base := filepath.Split(s.target)
	if dir == "" {
		dir = "."
	}
	if !s.o.Mkdirs {
		if err := s.needDir(filepath.Clean(dir)); err != nil {
			return err
		}
		return s.create(dir, base)
	}
	return s.dirs.In(s.fsys, filepath.Clean(dir), func() error { return s.create(dir, base) })
}

// needDir returns an error unless the folder is there.
func (s *Staged) needDir(dir string) error {
	switch st, err := s.fsys.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist: %w", dir, fs.ErrNotExist)
	case err != nil:
		return err
	case !st.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	}
	return nil
}

// create removes what dead writers of the target left, and creates the hidden file.
func (s *Staged) create(dir, base string) error {
	if !s.o.Swept {
		if live, err := removeDead(s.fsys, dir, base); err != nil && s.o.Lock != colstore.LockOff {
			return fmt.Errorf("%w, as %s; try again when it is done", err, live)
		}
	}
	return s.openTemp(dir, base)
}

// openTemp creates the hidden file and locks it.
func (s *Staged) openTemp(dir, base string) error {
	for range 100 {
		name := filepath.Join(dir, "."+tempBase(base)+tempMark+randomName()+tempSuffix)
		f, err := s.fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, s.mode|0o200) // who may write it may clean it up
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		held, err := s.hold(f, name)
		if held {
			s.File, s.temp = f, name
			return nil
		}
		_ = f.Close()
		_ = s.fsys.Remove(name)
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("no free name for a temporary file in %s", dir)
}

// lock takes the lock of the file at the target unless it is held already; a file that is gone needs none.
func (s *Staged) lock() error {
	if s.o.Lock == colstore.LockOff {
		return nil
	}
	if s.held != nil {
		if err := s.held.Current(); !errors.Is(err, ErrReplaced) {
			return err
		}
	}
	l, err := LockFile(s.fsys, s.target, false, s.o.Lock)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.unlock()
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("its lock cannot be taken: %w; --lock off replaces it without", fs.ErrPermission)
	case err != nil:
		if e, ok := errors.AsType[*colstore.Error](err); ok {
			return e.Err // the caller names the target as it was named to it
		}
		return err
	}
	s.unlock()
	s.held = l
	s.warn(l.Warning)
	return nil
}

func (s *Staged) unlock() {
	if s.held != nil {
		_ = s.held.Close()
		s.held = nil
	}
}

func (s *Staged) warn(text string) {
	if text != "" {
		s.warning = text
	}
}

// hold locks a fresh temporary file and reports whether it is still there: a cleaner may have taken it for a leftover
// between its creation and its lock.
func (s *Staged) hold(f File, name string) (bool, error) {
	policy := s.o.Lock
	if policy == colstore.LockOff {
		policy = colstore.LockAuto // where there are no locks cleaners have none either and leave it alone
	}
	warning, err := lockAs(policy, f, s.target)
	switch {
	case errors.Is(err, colstore.ErrLocked):
		return false, nil
	case err != nil:
		return false, err
	case warning != "":
		if s.o.Lock != colstore.LockOff {
			s.warn(warning)
		}
		return true, nil
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := s.fsys.Stat(name)
	return err == nil && SameFile(mine, there), nil
}

func randomName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Path returns the target as it was named.
func (s *Staged) Path() string { return s.path }

// TempPath returns the hidden name, for reading back what was staged.
func (s *Staged) TempPath() string { return s.temp }

// Warnings returns what was noticed that is no error: a file system without locks.
func (s *Staged) Warnings() []string {
	if s.warning == "" {
		return nil
	}
	return []string{s.warning}
}

// Prepare makes the written bytes durable; what follows in Commit is renaming.
func (s *Staged) Prepare() error {
	if s.settled {
		return s.failed(colstore.ErrClosed)
	}
	if s.o.Replace {
		if err := s.lock(); err != nil {
			return s.failed(err)
		}
	}
	if !s.synced {
		if err := s.keepMode(); err != nil {
			return s.failed(err)
		}
		if err := s.File.Sync(); err != nil {
			return s.failed(err)
		}
		s.synced = true
	}
	return nil
}

// keepMode gives the file the permissions of the one that it replaces: a file that only its owner may read stays so.
func (s *Staged) keepMode() error {
	f, ok := s.File.(interface{ Chmod(mode fs.FileMode) error })
	if !ok || !s.keep {
		return nil
	}
	return f.Chmod(s.mode)
}

// Commit publishes: sync, rename, sync of the folder. On an error the target is untouched and Abort cleans up, except
// that the folder's last sync may fail after the rename: then the new file is in place, though a power cut might undo
// that.
func (s *Staged) Commit() error {
	if err := s.Prepare(); err != nil {
		return err
	}
	if err := s.rename(); err != nil && !s.arrived() {
		return s.failed(err)
	}
	s.settled, s.published = true, true
	_ = s.File.Close() // what it could say of bytes the sync has said
	err := s.fsys.SyncDir(filepath.Dir(s.target))
	s.unlock()
	err = errors.Join(err, s.dirs.Sync())
	s.dirs.Keep()
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// rename gives the file the target's name. What it replaces is locked; as long as nothing is there, that is held by the
// file system's refusal to replace.
func (s *Staged) rename() error {
	for range lockAttempts {
		if s.o.Replace && (s.held != nil || s.o.Lock == colstore.LockOff) {
			return s.fsys.Rename(s.temp, s.target)
		}
		err := s.fsys.RenameNew(s.temp, s.target)
		switch {
		case !errors.Is(err, fs.ErrExist):
			return err
		case !s.o.Replace:
			return fmt.Errorf("%w: it appeared while the output was written", colstore.ErrExists)
		}
		if err := s.lock(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: others write and remove it", colstore.ErrLocked)
}

// Abort removes the hidden file and the folders made for it. After Commit it does nothing.
func (s *Staged) Abort() error {
	if s.settled {
		return nil
	}
	s.settled = true
	// Unlinked while the lock is held, so that no cleaner meets it.
	err := s.fsys.Remove(s.temp)
	_ = s.File.Close() // nobody wants its bytes
	s.unlock()
	s.dirs.Remove()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &colstore.Error{Op: "abort", Path: s.path, Err: Bare(err)}
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
