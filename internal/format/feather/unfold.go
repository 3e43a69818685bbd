package feather

import (
	"context"

	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/source/format"
)

// Skipped implements format.Nested.
func (f *file) Skipped() []string { return f.columns.Skipped }

// Parts implements format.Nested.
func (f *file) Parts(name string) []string { return f.columns.Parts(name) }

// Unfold implements format.Nested.
func (f *file) Unfold(longest map[string]int64) (err error) {
	if f.columns, err = format.Unfold(f.nested, f.jagged, longest); err != nil {
		return f.failed("open", "", err)
	}
	for _, c := range f.columns.Columns {
		if l := f.leaves[c.Field.Leaf]; c.At >= 0 {
			l.kept = max(l.kept, c.At+1)
		}
	}
	return nil
}

// Longest implements format.Nested: it reads where the lists end.
func (f *file) Longest(ctx context.Context, columns []string) (map[string]int64, error) {
	out := map[string]int64{}
	for name, field := range format.Lists(f.nested, columns) {
		l := f.leaves[field.Leaf]
		err := l.bad
		if err == nil {
			err = guard(func() (err error) {
				out[name], err = f.longest(ctx, l)
				return err
			})
		}
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		if err != nil {
			return nil, f.failed("read", name, err)
		}
	}
	return out, nil
}

// longest returns the values of the longest row of a list.
func (f *file) longest(ctx context.Context, l *leaf) (int64, error) {
	k := &lists{f: f, leaf: l}
	defer k.close()
	most := int64(0)
	for at := int64(0); at < f.rows; {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		r, err := k.next(stepRows)
		if err != nil {
			return 0, err
		}
		for i := range r.n {
			if r.has(i) {
				most = max(most, r.count(i))
			}
		}
		at += int64(r.n)
	}
	return most, nil
}

// column returns a column as its type says; one that tells how many values a row has is of 64-bit integers.
func (f *file) column(c *format.UnfoldedColumn) (columnar.Column, error) {
	l := f.leaves[c.Field.Leaf]
	switch {
	case c.At == format.UnfoldedWhole && c.Field.Kind != format.FieldPlain:
		return columnar.Column{}, format.NotNested(f.typeName(c.Field), c.Field.Kind, f.jagged)
	case l.bad != nil:
		return columnar.Column{}, l.bad
	case c.At == format.UnfoldedCount:
		return columnar.NewColumn(c.Field.Leaf, c.Name, columnar.Type{Kind: columnar.Int, Size: 8, Signed: true, Name: "int64"}, true, ""), nil
	}
	return columnar.NewColumn(c.Field.Leaf, c.Name, l.field.Type, true, f.schema.Values[columnar.DTypeKey+c.Name]), nil
}

// typeName returns the name of the type of a nested field.
func (f *file) typeName(x *format.Field) string {
	for i := range f.nested {
		if &f.nested[i] == x {
			return f.schema.Fields[i].Type.Name
		}
	}
	if l := f.leaves[x.Leaf]; l.list != nil {
		return l.list.field.Type.Name
	}
	return f.leaves[x.Leaf].field.Type.Name
}
