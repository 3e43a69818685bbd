package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/colstore/colstore-go"
)

// IsPattern reports whether path has a character that Glob expands.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// Expand returns the files that a path names, in natural order.
//
// A path that exists is itself, whatever characters it has; an existing folder is itself too. Else, if pattern is set
// and the path has any of * ? [, it is expanded: ** crosses folders, names that start with a dot or an underscore are
// matched only by a pattern that spells that character, and folders are never matched.
//
// Behind a colon the path may pick a part of a file (see [Inside]), which is then picked of each.
//
// Errors: fs.ErrNotExist naming the path or pattern; a malformed pattern.
func Expand(path string, pattern bool) ([]string, error) {
	matches, err := expand(path, pattern)
	if err == nil {
		return matches, nil
	}
	_, part := splitInside(path, func(file string) bool {
		if file == path {
			return false // as just seen
		}
		var none error
		matches, none = expand(file, pattern)
		return none == nil
	})
	if part == "" {
		return nil, err
	}
	for i := range matches {
		matches[i] += ":" + part
	}
	return matches, nil
}

// expand is Expand without parts of files.
func expand(path string, pattern bool) ([]string, error) {
	_, err := os.Stat(path)
	if err == nil {
		return []string{path}, nil
	}
	if !pattern || !IsPattern(path) {
		return nil, &colstore.Error{Op: "open", Path: path, Err: Bare(err)}
	}
	// Braces are no pattern here; alternatives are several arguments.
	quoted := strings.NewReplacer("{", "\\{", "}", "\\}").Replace(filepath.ToSlash(path))
	matches, err := doublestar.FilepathGlob(quoted, doublestar.WithFilesOnly(), doublestar.WithNoHidden())
	if errors.Is(err, doublestar.ErrBadPattern) {
		return nil, &colstore.Error{Op: "open", Path: path, Err: fmt.Errorf("%w: malformed pattern", colstore.ErrOption)}
	}
	if err != nil {
		return nil, &colstore.Error{Op: "open", Path: path, Err: Bare(err)}
	}
	if base := filepath.Base(path); !strings.HasPrefix(base, "_") {
		matches = slices.DeleteFunc(matches, func(m string) bool { return strings.HasPrefix(filepath.Base(m), "_") })
	}
	if len(matches) == 0 {
		return nil, &colstore.Error{Op: "open", Path: path, Err: fmt.Errorf("no file matches the pattern: %w", fs.ErrNotExist)}
	}
	slices.SortFunc(matches, CompareNatural)
	return matches, nil
}
