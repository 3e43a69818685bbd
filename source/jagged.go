package source

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// unfold has lists, arrays and structures become what the policy for them says: in all files the same number of columns,
// that of the longest row of any.
func (t *Table) unfold(ctx context.Context) error {
	mode := t.spec.Jagged.Mode
	if mode == format.JaggedDefault || mode == format.JaggedError {
		return nil
	}
	longest := map[string]int64{}
	for _, f := range t.files {
		n, ok := f.file.(format.Nested)
		if !ok {
			continue
		}
		for _, name := range n.Skipped() {
			if t.spec.Columns == nil && !slices.Contains(t.skipped, name) {
				t.skipped = append(t.skipped, name)
			}
		}
		if mode != format.JaggedExplode {
			continue
		}
		found, err := n.Longest(ctx, t.askedOfFiles())
		if err != nil {
			return err
		}
		for name, values := range found {
			longest[name] = max(longest[name], values)
		}
	}
	if mode == format.JaggedSkip {
		return t.someLeft()
	}
	for _, f := range t.files {
		if n, ok := f.file.(format.Nested); ok {
			if err := n.Unfold(maps.Clone(longest)); err != nil {
				return at(f.path, err)
			}
		}
	}
	if t.spec.Columns == nil {
		return nil
	}
	columns := []string{}
	for _, name := range t.spec.Columns {
		if parts := t.Parts(name); parts != nil {
			columns = append(columns, parts...)
		} else {
			columns = append(columns, name)
		}
	}
	t.spec.Columns = columns
	return nil
}

// Parts returns the columns that a list, array or structure of that name becomes, by the policy for these; nil for any
// other name.
func (t *Table) Parts(name string) []string {
	var out []string
	for _, f := range t.files {
		if n, ok := f.file.(format.Nested); ok {
			if p := n.Parts(name); len(p) > len(out) {
				out = p
			}
		}
	}
	return out
}

// leftOut is why a column is not there. A map is left out too, so nothing is promised of the column itself.
const leftOut = "its rows hold several values, and --jagged skip leaves it out; explode and pad=N make columns of lists, arrays and structures"

// someLeft makes sure that skipping leaves a file something to read, and that no skipped column is asked for.
func (t *Table) someLeft() error {
	for _, f := range t.files {
		n, ok := f.file.(format.Nested)
		if !ok {
			continue
		}
		skipped := n.Skipped()
		for _, c := range t.spec.Columns {
			if slices.Contains(skipped, c) {
				return at(f.path, &colstore.Error{Column: c, Err: fmt.Errorf(
					"%w: %s", colstore.ErrType, leftOut)})
			}
		}
		if len(f.file.Names()) == 0 {
			return at(f.path, fmt.Errorf("%w: every column (%s) has rows of several values, and --jagged skip leaves them out; choose explode or pad=N",
				colstore.ErrType, strings.Join(skipped, ", ")))
		}
	}
	return nil
}

// Explain returns the error for a name that the table does not have, with the reason if that is a column that the policy for
// lists, arrays and structures leaves out.
func (t *Table) Explain(err error) error {
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok || !errors.Is(err, colstore.ErrNoColumn) || !slices.Contains(t.skipped, e.Column) {
		return err
	}
	explained := *e
	explained.Err = fmt.Errorf("%w: %s", colstore.ErrNoColumn, leftOut)
	return &explained
}

func skippedWarning(names []string) string {
	return "columns whose rows hold several values were left out: " + strings.Join(names, ", ") + " (--jagged explode makes columns of lists, arrays and structures)"
}
