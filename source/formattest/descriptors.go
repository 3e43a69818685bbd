package formattest

import (
	"os"
	"path/filepath"
)

// descriptors returns how many descriptors this process has of a file; none where the system does not tell.
func descriptors(path string) int {
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		return 0
	}
	n := 0
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && to == path {
			n++
		}
	}
	return n
}
