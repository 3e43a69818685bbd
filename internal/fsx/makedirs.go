package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// InDirs makes a folder and those above it that are missing, and calls create, which makes something in it. It returns the
// folders it made, outermost first, also beside an error. A writer that gives up takes back the folders it made as long as
// they are empty, and they may be this one's: when the folder has gone before something was in it, both begin anew.
func InDirs(fsys FS, dir string, create func() error) (made []string, err error) {
	for range lockAttempts {
		made, err = makeDirs(fsys, dir, made)
		if err == nil {
			err = create()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return made, err
}

// makeDirs makes a folder and those above it that are missing, and appends the ones it made.
func makeDirs(fsys FS, dir string, made []string) ([]string, error) {
	st, err := fsys.Stat(dir)
	switch {
	case err == nil && st.IsDir():
		return made, nil
	case err == nil:
		return made, fmt.Errorf("%s is not a folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return made, err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = makeDirs(fsys, parent, made); err != nil {
			return made, err
		}
	}
	if err := fsys.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { // somebody else may be quicker
		return made, err
	} else if err == nil {
		made = append(made, dir)
	}
	return made, nil
}

// RemoveDirs removes folders that [InDirs] made. One that somebody put something into stays, and is made durable for them:
// they found it there and do not know that it is new.
func RemoveDirs(fsys FS, made []string) {
	for _, dir := range slices.Backward(made) {
		if err := fsys.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = fsys.SyncDir(filepath.Dir(dir))
		}
	}
}
