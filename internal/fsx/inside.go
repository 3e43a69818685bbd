package fsx

import (
	"os"
	"strings"
)

// Inside splits a path that picks a part of a file: "f.npz:pt" is the part "pt" of f.npz. A path that exists is a file,
// whatever colons it has; else the file is what is before the last colon that leaves a path that exists. What is no such
// path is returned as it is.
func Inside(path string) (file, part string) {
	return splitInside(path, func(file string) bool {
		_, err := os.Stat(file)
		return err == nil
	})
}

func splitInside(path string, exists func(file string) bool) (file, part string) {
	if !strings.Contains(path, ":") || exists(path) {
		return path, ""
	}
	for i := len(path) - 2; i > 1; i-- { // not the colon of a drive, and not one before nothing
		if path[i] == ':' && exists(path[:i]) {
			return path[:i], path[i+1:]
		}
	}
	return path, ""
}
