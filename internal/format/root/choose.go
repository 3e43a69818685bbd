package root

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
)

// choose returns the tree of a name, or the only one if name is empty. Of the cycles of a tree, which are its earlier
// versions, the newest is taken unless the name says which: "name;2".
//
// Errors: colstore.ErrFormat for a file without trees, colstore.ErrOption for a name that is none or that is missing.
func choose(objects []object, name string) (object, error) {
	newest := map[string]int{} // path to its newest object
	var paths []string
	for i, o := range objects {
		j, there := newest[o.path]
		if !there {
			paths = append(paths, o.path)
		}
		if !there || o.key.Cycle > objects[j].key.Cycle {
			newest[o.path] = i
		}
	}
	if name == "" {
		return only(objects, newest, paths)
	}
	i, there := newest[name]
	if !there {
		path, cycle, isCycle := cutCycle(name)
		i = slices.IndexFunc(objects, func(o object) bool { return isCycle && o.path == path && o.key.Cycle == cycle })
		if i < 0 {
			return object{}, missing(objects, newest, paths, name)
		}
	}
	if o := objects[i]; meta.IsTree(o.key.Class) {
		return o, nil
	}
	return object{}, fmt.Errorf("%w: %q is no TTree but of class %s", colstore.ErrFormat, name, classOf(objects[i].key.Class))
}

// only returns the one tree among the newest objects.
func only(objects []object, newest map[string]int, paths []string) (object, error) {
	trees := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !meta.IsTree(objects[newest[p]].key.Class) })
	switch len(trees) {
	case 1:
		return objects[newest[trees[0]]], nil
	case 0:
		return object{}, fmt.Errorf("%w: there is no TTree in it%s", colstore.ErrFormat, content(objects, newest, paths))
	}
	return object{}, fmt.Errorf("%w: there are several trees in it: %s; choose one with --tree %s or FILE.root:%s",
		colstore.ErrOption, list(trees), trees[0], trees[0])
}

func missing(objects []object, newest map[string]int, paths []string, name string) error {
	if path, _, ok := cutCycle(name); ok {
		if i, there := newest[path]; there {
			return fmt.Errorf("%w: there is no %q; the newest cycle is %s;%d", colstore.ErrOption, name, path, objects[i].key.Cycle)
		}
	}
	return fmt.Errorf("%w: there is no tree %q in it%s", colstore.ErrOption, name, content(objects, newest, paths))
}

// cutCycle splits "name;2".
func cutCycle(name string) (path string, cycle int, ok bool) {
	i := strings.LastIndexByte(name, ';')
	if i < 0 {
		return name, 0, false
	}
	cycle, err := strconv.Atoi(name[i+1:])
	return name[:i], cycle, err == nil
}

// content says what a file holds, for messages.
func content(objects []object, newest map[string]int, paths []string) string {
	if len(paths) == 0 {
		return ", which holds nothing"
	}
	named := make([]string, len(paths))
	for i, p := range paths {
		named[i] = fmt.Sprintf("%s (%s)", p, classOf(objects[newest[p]].key.Class))
	}
	return "; it holds " + list(named)
}

// mostListed bounds how many names a message lists.
const mostListed = 10

func list(names []string) string {
	if n := len(names) - mostListed; n > 1 {
		return strings.Join(names[:mostListed], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// classOf names a class, and what is to be known of it.
func classOf(class string) string {
	switch class {
	case "ROOT::RNTuple":
		return "RNTuple, which is not supported yet"
	case "ROOT::Experimental::RNTuple":
		return "RNTuple of a version before 1, which is not supported"
	}
	return class
}
