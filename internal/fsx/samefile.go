package fsx

import (
	"io/fs"
	"os"
)

// SameFile reports whether two descriptions, both of one [FS], are of one file: os.SameFile, but for file systems that
// are not the operating system's. Those describe files by values that have a method SameFile.
func SameFile(a, b fs.FileInfo) bool {
	if a, ok := a.(interface{ SameFile(b fs.FileInfo) bool }); ok {
		return a.SameFile(b)
	}
	return os.SameFile(a, b)
}
