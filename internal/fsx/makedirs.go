package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// MakeDirs makes a folder and those above it that are missing, and returns the ones it made, outermost first.
func MakeDirs(fsys FS, dir string) (made []string, err error) {
	st, err := fsys.Stat(dir)
	switch {
	case err == nil && st.IsDir():
		return nil, nil
	case err == nil:
		return nil, fmt.Errorf("%s is not a folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = MakeDirs(fsys, parent); err != nil {
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

// RemoveDirs removes folders that [MakeDirs] made. One that somebody put something into stays.
func RemoveDirs(fsys FS, made []string) {
	for _, dir := range slices.Backward(made) {
		_ = fsys.Remove(dir)
	}
}
