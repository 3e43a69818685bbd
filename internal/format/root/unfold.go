package root

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/colstore/colstore-go/source/format"
)

// Lists and arrays become columns, a list as many as its longest row needs. Of files that are read as one table the longest
// row of any decides: their reader asks each for the [file.Longest] and tells all by [file.Unfold].

// newInput checks the tables of a column's branch, and of its counter's.
func (f *file) newInput(c *column) (in input, err error) {
	in.readers = new(sync.Pool)
	stride := c.stride
	if c.form == formList || c.form == formText {
		stride, in.list = 0, c
	}
	if in.branch, err = f.newBranch(c.branch, stride); err != nil {
		return in, err
	}
	if c.form == formList && c.counter != nil {
		if in.counter, err = f.newBranch(c.counter.branch, c.counter.stride); err != nil {
			return in, fmt.Errorf("its counter %q: %w", c.counter.name, err)
		}
	}
	return in, nil
}

// width returns how many columns the values of an array or a list become.
func (f *file) width(ctx context.Context, c *column) (int, error) {
	switch {
	case c.form == formArray:
		return format.Jagged{Mode: format.JaggedExplode}.Columns(int64(c.count))
	case f.jagged.Mode == format.JaggedPad:
		return f.jagged.Columns(0)
	}
	n, known := f.longest[c.name]
	if !known {
		var err error
		if n, err = f.longestRow(ctx, c); err != nil {
			return 0, err
		}
	}
	return f.jagged.Columns(n)
}

// longestRow returns how many values the longest row of a list has. It reads the counter, or where there is none, the list.
func (f *file) longestRow(ctx context.Context, c *column) (longest int64, err error) {
	in, err := f.newInput(c)
	if err != nil {
		return 0, err
	}
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	if in.counter == nil {
		lists := in.newList(f)
		for row := int64(0); row < f.rows; {
			if err := context.Cause(ctx); err != nil {
				return 0, err
			}
			_, begin, ends, err := lists.next(1<<16, w)
			if err != nil {
				return 0, err
			}
			for _, end := range ends {
				longest, begin = max(longest, (end-begin)/int64(lists.size)), end
			}
			row += int64(len(ends))
		}
		return longest, nil
	}
	counts := counter{cursor: cursor{f: f, b: in.counter}, column: c.counter}
	const step = 1 << 13
	for row := int64(0); row < f.rows; row += step {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		part, err := counts.read(int(min(step, f.rows-row)), w)
		if err != nil {
			return 0, fmt.Errorf("its counter %q: %w", c.counter.name, err)
		}
		longest = max(longest, slices.Max(part))
	}
	return longest, nil
}

// Skipped returns nothing: [file.Select] tells what is left out.
func (f *file) Skipped() []string { return nil }

// Longest returns how many values the longest row has of the lists that columns may be made of; nil is all lists.
func (f *file) Longest(ctx context.Context, columns []string) (map[string]int64, error) {
	out := map[string]int64{}
	for i := range f.columns {
		c := &f.columns[i]
		isAsked := columns == nil || slices.ContainsFunc(columns, func(n string) bool {
			return n == c.name || strings.HasPrefix(n, c.name+"_")
		})
		if c.form != formList || c.refused != nil || !isAsked {
			continue
		}
		err := guard(func() (err error) {
			out[c.name], err = f.longestRow(ctx, c)
			return err
		})
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		if err != nil {
			return nil, f.failed("read", c.name, err)
		}
	}
	return out, nil
}

// Unfold tells how many values the longest row of each list has in any file. From then on Names has the columns that lists
// and arrays become in their place.
//
// Errors: colstore.ErrValue for more columns than a list may become.
func (f *file) Unfold(longest map[string]int64) error {
	f.longest, f.parts = longest, map[string][]string{}
	for i := range f.columns {
		c := &f.columns[i]
		if c.form != formArray && (c.form != formList || f.jagged.Mode == format.JaggedExplode && !has(longest, c.name)) || c.refused != nil {
			continue
		}
		n, err := f.width(context.Background(), c)
		if err != nil {
			return f.failed("read", c.name, err)
		}
		for i := range n {
			f.parts[c.name] = append(f.parts[c.name], partName(c, i))
		}
		if c.form == formList {
			f.parts[c.name] = append(f.parts[c.name], c.name+format.CountSuffix)
		}
	}
	return nil
}

func has(m map[string]int64, name string) bool {
	_, ok := m[name]
	return ok
}

// Parts returns the columns that a list or array of that name becomes, in order; nil for any other name, and before Unfold.
func (f *file) Parts(name string) []string { return f.parts[name] }
