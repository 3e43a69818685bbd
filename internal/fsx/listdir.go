package fsx

import (
	"io/fs"
	"os"
	"slices"
)

// listAttempts is how often a folder is listed while it changes.
const listAttempts = 100

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
