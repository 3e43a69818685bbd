package recipes

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go/internal/fsx"
)

// destinations are the files that the outputs of a recipe become.
type destinations struct {
	paths map[string]string // where links lead: the path in the recipe
	files []destination     // that are there
}

type destination struct {
	path string
	info fs.FileInfo
}

// add adds an output. It reports whether another one is the same file, and says which, if that has another path.
func (d *destinations) add(o *output) (other string, twice bool) {
	path := o.out.Path
	if path == "" {
		return "", false
	}
	clean := filepath.Clean(path)
	target := clean
	if !o.each { // a template is no path
		target = fsx.Target(clean)
	}
	if first, there := d.paths[target]; there {
		return named(first, clean), true
	}
	if d.paths == nil {
		d.paths = map[string]string{}
	}
	d.paths[target] = clean
	st, err := os.Stat(target)
	if err != nil || o.each {
		return "", false
	}
	for _, f := range d.files {
		if os.SameFile(st, f.info) {
			return named(f.path, clean), true
		}
	}
	d.files = append(d.files, destination{clean, st})
	return "", false
}

// named says what the first of two equal outputs is called, if that does not go without saying.
func named(first, path string) string {
	if first == path {
		return ""
	}
	return ", links followed: it is " + first
}
