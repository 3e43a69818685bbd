package parquet

import (
	"context"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/source/format"
)

// A leaf is a field that has values of its own, with the definition level of what it lies in.
type leaf struct {
	field *field
	def   int
	list  *listLevels
}

// listLevels are the definition levels of a list: it is null below there, it has a value at an entry of at least value.
type listLevels struct {
	there, value int
	kept         int // values of a row that become columns
}

// readNested finds what the policy for lists, arrays and structures is applied to.
func (f *file) readNested() {
	for i := range f.fields {
		f.nested = append(f.nested, f.nestedField(&f.fields[i], 0))
	}
}

// nestedField returns a field as the policy sees it. It lies in fields of definition level def.
func (f *file) nestedField(x *field, def int) format.Field {
	out := format.Field{Name: x.element.Name, Leaf: len(f.leaves)}
	add := func(k format.FieldKind, l leaf) format.Field {
		out.Kind = k
		f.leaves = append(f.leaves, l)
		return out
	}
	switch x.nested() {
	case "":
		return add(format.FieldPlain, leaf{x, def, nil})
	case "list":
		if value, levels := x.listOf(def); value != nil {
			return add(format.FieldList, leaf{value, levels.value, levels})
		}
	case "struct":
		out.Kind, out.Leaf = format.FieldStruct, -1
		for i := range x.children {
			out.Parts = append(out.Parts, f.nestedField(&x.children[i], x.depth(def)))
		}
		return out
	}
	return add(format.FieldOther, leaf{x, def, nil})
}

// listOf returns the field of a list's values if that is no nested one.
//
// Source: parquet-format, LogicalTypes.md, "Lists" and its backward-compatibility rules.
func (x *field) listOf(def int) (*field, *listLevels) {
	if x.children == nil {
		// A repeated field by itself: it cannot be null.
		return x, &listLevels{there: def, value: def + 1}
	}
	there := x.depth(def)
	if x.element.Repetition == meta.Repeated || len(x.children) != 1 || x.children[0].element.Repetition != meta.Repeated {
		return nil, nil
	}
	value := &x.children[0]
	if value.children != nil {
		// A group of one field is a layer of the list, unless its name says that it is the value.
		name := value.element.Name
		if len(value.children) != 1 || name == "array" || name == x.element.Name+"_tuple" {
			return nil, nil
		}
		if value = &value.children[0]; value.nested() != "" {
			return nil, nil
		}
	}
	return value, &listLevels{there: there, value: there + 1}
}

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
		if c.At >= 0 {
			l := f.leaves[c.Field.Leaf].list
			l.kept = max(l.kept, c.At+1)
		}
	}
	return nil
}

// Longest implements format.Nested: it reads the levels of the lists.
func (f *file) Longest(ctx context.Context, columns []string) (map[string]int64, error) {
	out := map[string]int64{}
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	for name, field := range format.Lists(f.nested, columns) {
		l := &f.leaves[field.Leaf]
		s := listSurvey{col: l.column(name)}
		err := guard(func() error { return s.run(ctx, f, w) })
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		if err != nil {
			return nil, f.failed("read", name, err)
		}
		out[name] = s.longest
	}
	return out, nil
}

// column returns the values of a leaf as a column.
func (l *leaf) column(name string) *column {
	c := &column{name: name, leaf: l.field.leaf, maxDef: l.def, list: l.list}
	if l.field.element.Repetition == meta.Optional {
		c.maxDef++
	}
	c.setType(l.field.element)
	return c
}

// column returns what a field becomes as a column.
//
// Errors: colstore.ErrType for a nested field that stays one.
func (f *file) column(u *format.UnfoldedColumn) (*column, error) {
	if u.At == format.UnfoldedWhole && u.Field.Kind != format.FieldPlain {
		return nil, f.notNested(u)
	}
	l := &f.leaves[u.Field.Leaf]
	c := l.column(u.Name)
	c.at = u.At
	if u.At == format.UnfoldedCount {
		c.typ, c.refused, c.unknown, c.form = colstore.Int64, nil, false, formCopy
	}
	x := l.field
	if x.duration != colstore.NoUnit && c.typ == colstore.Int64 && c.refused == nil && u.At == format.UnfoldedWhole {
		c.typ = colstore.TimedeltaOf(x.duration)
	}
	if x.key != "" && u.At == format.UnfoldedWhole {
		c.restore(x.key)
	}
	return c, nil
}

// what returns what a nested field is, for messages.
func (x *field) what(k format.FieldKind) string {
	if what := x.nested(); what != "list" || k == format.FieldList {
		return what
	}
	return "list of lists or of structures"
}

// notNested returns the error for asking for a nested field.
func (f *file) notNested(u *format.UnfoldedColumn) error {
	for i := range f.nested {
		if &f.nested[i] != u.Field {
			continue
		}
		x := &f.fields[i]
		err := format.NotNested(x.what(u.Field.Kind), u.Field.Kind, f.jagged)
		if u.Field.Kind == format.FieldStruct {
			return fmt.Errorf("%w; or ask for a part of it, such as %q", err, x.element.Name+"."+x.children[0].element.Name)
		}
		return err
	}
	return format.NotNested(f.leaves[u.Field.Leaf].field.what(u.Field.Kind), u.Field.Kind, f.jagged)
}
