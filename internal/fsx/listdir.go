package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/colstore/colstore-go"
)

// listAttempts is how often a folder is listed while it changes.
const listAttempts = 100

// CheckLink tells of an entry of a folder that is a link to nothing: it is no file, and one is missing.
//
// Errors: fs.ErrNotExist, with the remedy.
func CheckLink(fsys FS, dir string, e fs.DirEntry) error {
	if e.Type()&fs.ModeSymlink == 0 {
		return nil
	}
	path := filepath.Join(dir, e.Name())
	if _, err := fsys.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &colstore.Error{Op: "open", Path: path, Err: fmt.Errorf("it is a link, and what it points to is not there; bring that back, or remove the link: %w", fs.ErrNotExist)}
	}
	return nil // what else is wrong with it, opening tells
}

// ListDir returns the entries of a folder, sorted by name, as they were at one time: if one file of them came after
// another, that one is among them too. The system lists a folder piece by piece and may miss a file that comes meanwhile,
// and find a later one; so two listings in a row must be the same. In a folder that changes all the time the last listing
// has to do.
func ListDir(dir string) ([]fs.DirEntry, error) {
	last, err := os.ReadDir(dir)
	for range listAttempts {
		if err != nil {
			break
		}
		var again []fs.DirEntry
		if again, err = os.ReadDir(dir); err != nil {
			break
		}
		if slices.EqualFunc(last, again, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() }) {
			break
		}
		last = again
	}
	return last, err
}
