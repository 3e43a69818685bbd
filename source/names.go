package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// reconcileNames decides which columns the table has, as far as names tell.
func (t *Table) reconcileNames(ctx context.Context) error {
	first := t.files[0].file.Names()
	if t.spec.Mismatch == Union {
		return t.uniteNames()
	}
	if t.spec.Columns != nil {
		for _, f := range t.files {
			names := f.file.Names()
			for _, c := range t.spec.Columns {
				if !slices.Contains(names, c) && !isPart(c, names) {
					return at(f.path, colstore.NoColumn(c, names))
				}
			}
		}
		t.names = t.spec.Columns
		return nil
	}
	t.names = first
	for _, f := range t.files[1:] {
		names := f.file.Names()
		switch t.spec.Mismatch {
		case Strict:
			if err := sameNames(first, names, t.files[0].path); err != nil {
				return at(f.path, err)
			}
		case Drop:
			t.names = slices.DeleteFunc(slices.Clone(t.names), func(n string) bool { return !slices.Contains(names, n) })
		}
	}
	if t.spec.Mismatch != Drop || len(t.files) == 1 {
		return nil
	}
	// Which of the shared names have one dtype, only the dtypes tell.
	src, err := t.Open(ctx, nil)
	if err != nil {
		return err
	}
	t.names = src.Schema().Names()
	t.lost = notIn(t.files, t.names)
	return src.Close()
}

// uniteNames takes the columns of any file, in the order they first appear.
func (t *Table) uniteNames() error {
	var all []string
	for _, f := range t.files {
		for _, n := range f.file.Names() {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	t.names = all
	if t.spec.Columns == nil {
		return nil
	}
	for _, c := range t.spec.Columns {
		if !slices.Contains(all, c) && !isPart(c, all) {
			return at(strings.Join(t.Paths(), ", "), colstore.NoColumn(c, all))
		}
	}
	t.names = t.spec.Columns
	return nil
}

// isPart reports whether a name is that of a part of a column: "a.b" where there is an "a". The file knows its parts.
func isPart(name string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(name, n+".") })
}

// notIn returns the columns of any file that are not among names, sorted.
func notIn(files []tableFile, names []string) []string {
	var out []string
	for _, f := range files {
		for _, n := range f.file.Names() {
			if !slices.Contains(names, n) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out
}

// selectNames drops the columns that a file leaves out. Sources of all columns tell about them.
func (t *Table) selectNames() error {
	for _, f := range t.files {
		s, ok := f.file.(format.Selective)
		if !ok {
			continue
		}
		asked := t.spec.Columns
		if asked != nil {
			asked = t.present(f, asked)
		}
		kept, warnings, err := s.Select(asked)
		if err != nil {
			return err
		}
		t.left = append(t.left, warnings...)
		if asked == nil {
			asked = f.file.Names()
		}
		for _, n := range asked {
			if !slices.Contains(kept, n) {
				t.leftOut = append(t.leftOut, n)
			}
		}
	}
	if len(t.leftOut) > 0 {
		t.names = slices.DeleteFunc(slices.Clone(t.names), t.LeavesOut)
	}
	return nil
}

// LeavesOut reports whether a file has a column of that name and leaves it out, since it is no column of ours.
func (t *Table) LeavesOut(name string) bool { return slices.Contains(t.leftOut, name) }

// Warnings tells which columns the files do not share.
func (t *Table) Warnings() []string {
	if len(t.lost) == 0 {
		return nil
	}
	return []string{droppedWarning(t.lost)}
}

func droppedWarning(names []string) string {
	return "columns that the inputs do not share were dropped: " + strings.Join(names, ", ")
}

// at gives an error the path it belongs to.
func at(path string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		e.Op, e.Path = "open", path
		return e
	}
	return &colstore.Error{Op: "open", Path: path, Err: err}
}

// sameNames checks that names are those of the first file, in any order.
func sameNames(first, names []string, firstPath string) error {
	for _, n := range first {
		if !slices.Contains(names, n) {
			return fmt.Errorf("%w: column %q of %s is missing; %s", colstore.ErrMismatch, n, firstPath, mismatchAdvice)
		}
	}
	for _, n := range names {
		if !slices.Contains(first, n) {
			return fmt.Errorf("%w: column %q is not in %s; %s", colstore.ErrMismatch, n, firstPath, mismatchAdvice)
		}
	}
	return nil
}

const mismatchAdvice = "to keep what all inputs share, choose --on-mismatch drop; to keep all, union"
