package fsx

import (
	"os"
	"path/filepath"
)

// InFolder reports whether the file at path lies in the folder dir itself, links followed. What is not there lies nowhere.
func InFolder(path, dir string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	in, err := os.Stat(filepath.Dir(real))
	if err != nil {
		return false
	}
	there, err := os.Stat(dir)
	return err == nil && os.SameFile(in, there)
}
