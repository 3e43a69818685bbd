package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
)

// A newDir is a folder that a writer of this program made and nobody has published in. Every writer that puts something there
// meanwhile holds it, and the last one takes it back: the maker may give up while another's hidden file is in it, or is about to
// be.
type newDir struct {
	info    fs.FileInfo // tells it from others
	holders int
	kept    bool // somebody has published in it
	durable bool // its name is on the disk
}

// fresh is all of them that are held. The lock is held across the calls that make and remove a folder.
var fresh struct {
	sync.Mutex
	dirs []*newDir
}

// find returns the new folder that a description is of, nil for another. The caller holds fresh.
func find(info fs.FileInfo) *newDir {
	for _, d := range fresh.dirs {
		if SameFile(d.info, info) {
			return d
		}
	}
	return nil
}

// drop ends that a folder is new. The caller holds fresh.
func (d *newDir) drop() {
	fresh.dirs = slices.DeleteFunc(fresh.dirs, func(o *newDir) bool { return o == d })
}

// NewDirs are the new folders that a writer puts something into: those it made, and those that another writer of the program
// made and has not published in yet. The zero value is none.
type NewDirs struct {
	fsys FS
	held []heldDir // outermost first
}

type heldDir struct {
	*newDir
	path string
}

// In makes a folder and those above it that are missing, and calls create, which makes something in it. A writer of another
// program that gives up takes back the folders it made as long as they are empty, and they may be this one's: when the folder has
// gone before something was in it, both begin anew. Also after an error the caller calls Keep or Remove.
func (n *NewDirs) In(fsys FS, dir string, create func() error) (err error) {
	n.fsys = fsys
	for range lockAttempts {
		if err = n.make(dir); err == nil {
			err = create()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// make makes a folder and those above it that are missing, and holds those that are new.
func (n *NewDirs) make(dir string) error {
	st, err := n.fsys.Stat(dir)
	switch {
	case err == nil && st.IsDir():
		return n.join(dir)
	case err == nil:
		return fmt.Errorf("%s is not a folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := n.make(parent); err != nil {
			return err
		}
	}
	return n.mkdir(dir)
}

// mkdir makes a folder unless somebody else is quicker, and holds it if it is new.
func (n *NewDirs) mkdir(dir string) error {
	fresh.Lock()
	defer fresh.Unlock()
	err := n.fsys.Mkdir(dir, 0o777)
	switch {
	case errors.Is(err, fs.ErrExist):
		return n.hold(dir)
	case err != nil:
		return err
	}
	d := &newDir{holders: 1}
	n.held = append(n.held, heldDir{d, dir})
	if d.info, err = n.fsys.Stat(dir); err == nil {
		fresh.dirs = append(fresh.dirs, d)
	}
	return err
}

// join holds a folder that is there, if it is new, and those above it that are.
func (n *NewDirs) join(dir string) error {
	fresh.Lock()
	defer fresh.Unlock()
	return n.hold(dir)
}

// hold is join for who holds fresh.
func (n *NewDirs) hold(dir string) error {
	for at := len(n.held); ; {
		// What was described before may be gone, and its number in the file system another's; what is new stays as long as
		// fresh is held.
		st, err := n.fsys.Stat(dir)
		if err != nil {
			return err
		}
		d := find(st)
		if d == nil || slices.ContainsFunc(n.held, func(h heldDir) bool { return h.newDir == d }) {
			return nil
		}
		d.holders++
		n.held = slices.Insert(n.held, at, heldDir{d, dir})
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// Any reports whether there are new folders.
func (n *NewDirs) Any() bool { return len(n.held) > 0 }

// Sync makes the names of the folders durable, unless another writer has done so.
//
// Errors: those of the file system, joined.
func (n *NewDirs) Sync() error {
	var failed error
	for _, h := range n.held {
		fresh.Lock()
		done := h.durable
		fresh.Unlock()
		if done {
			continue
		}
		if err := n.fsys.SyncDir(filepath.Dir(h.path)); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		fresh.Lock()
		h.durable = true
		fresh.Unlock()
	}
	return failed
}

// Keep lets the folders be, since something was published in them: for all writers.
func (n *NewDirs) Keep() {
	fresh.Lock()
	defer fresh.Unlock()
	for _, h := range n.held {
		h.holders--
		h.kept = true
		h.drop()
	}
	n.held = nil
}

// Remove gives up: folders that nobody else of the program holds are removed if they are empty. Those that are not are made
// durable: somebody else found them there and does not know that they are new.
func (n *NewDirs) Remove() {
	for _, dir := range n.remove() {
		_ = n.fsys.SyncDir(filepath.Dir(dir))
	}
}

// remove returns the folders that are not empty.
func (n *NewDirs) remove() (left []string) {
	fresh.Lock()
	defer fresh.Unlock()
	for _, h := range slices.Backward(n.held) {
		if h.holders--; h.holders > 0 || h.kept {
			continue
		}
		if err := n.fsys.Remove(h.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = append(left, h.path)
		}
		h.drop()
	}
	n.held = nil
	return left
}
