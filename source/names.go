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
	first := t.files[0].names
	asked := t.askedOfFiles()
	if t.spec.Mismatch == Union {
		return t.uniteNames(asked)
	}
	if asked != nil {
		for f := range t.variants() {
			for _, c := range asked {
				if !slices.Contains(f.names, c) && !t.isPart(c, f.names) {
					return at(f.path, colstore.NoColumn(c, t.withConstants(f.names)))
				}
			}
		}
		t.stored = asked
		return nil
	}
	t.stored = first
	for f := range t.variants() {
		names := f.names
		switch t.spec.Mismatch {
		case Strict:
			if err := sameNames(first, names, t.files[0].path); err != nil {
				return at(f.path, err)
			}
		case Drop:
			t.stored = slices.DeleteFunc(slices.Clone(t.stored), func(n string) bool { return !slices.Contains(names, n) })
		}
	}
	if t.spec.Mismatch != Drop || len(t.files) == 1 {
		return nil
	}
	if len(t.stored) == 0 {
		return nothingShared(len(t.files), t.files[0].path)
	}
	// Which of the shared names have one dtype, only the dtypes tell.
	src, err := t.open(ctx, t.stored, joining{})
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, n := range src.Schema().Names() {
		kept[origin(n, t.stored)] = true
	}
	t.stored = slices.DeleteFunc(slices.Clone(t.stored), func(n string) bool { return !kept[n] })
	t.lost = append(t.lost, t.notIn(t.stored)...)
	slices.Sort(t.lost)
	return src.Close()
}

// uniteNames takes the columns of any file, in the order they first appear.
func (t *Table) uniteNames(asked []string) error {
	var all []string
	seen := map[string]bool{}
	for f := range t.variants() {
		for _, n := range f.names {
			if !seen[n] {
				seen[n] = true
				all = append(all, n)
			}
		}
	}
	t.stored = all
	if asked == nil {
		return nil
	}
	for _, c := range asked {
		if !slices.Contains(all, c) && !t.isPart(c, all) {
			return at(strings.Join(t.Paths(), ", "), colstore.NoColumn(c, t.withConstants(all)))
		}
	}
	t.stored = asked
	return nil
}

// isPart reports whether a name is that of a part of a column: "a.b" where there is an "a". The file knows its parts. Where
// structures become columns, the parts are among the names.
func (t *Table) isPart(name string, names []string) bool {
	return !t.spec.Jagged.Unfolds() && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(name, n+".") })
}

// notIn returns the columns of any file that are not among names, sorted.
func (t *Table) notIn(names []string) []string {
	var out []string
	for f := range t.variants() {
		for _, n := range f.names {
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
		t.stored = slices.DeleteFunc(slices.Clone(t.stored), t.LeavesOut)
	}
	return nil
}

// LeavesOut reports whether a file has a column of that name and leaves it out, since it is no column of ours.
func (t *Table) LeavesOut(name string) bool { return slices.Contains(t.leftOut, name) }

// Warnings tells which columns the files do not share, which were left out since their rows hold several values, and which
// the folders tell instead of them.
func (t *Table) Warnings() []string {
	var out []string
	if len(t.skipped) > 0 {
		out = append(out, skippedWarning(t.skipped))
	}
	if len(t.lost) > 0 {
		out = append(out, droppedWarning(t.lost))
	}
	if len(t.hidden) > 0 {
		out = append(out, "columns of the files that their folders tell were not read: "+strings.Join(t.hidden, ", "))
	}
	return out
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
