package json

import (
	"context"
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A leaf is where the values of some columns are found.
type leaf struct {
	number int      // of the file's column
	route  []string // the names of the parts that lead there, from the column on
	guess  *guess   // of the values
	rows   *guess   // of the lists themselves, if the values are those of lists
	refuse error    // why no column is made of it
	most   int64    // values of the longest list
}

// isNested reports whether a value is a list or an object.
func (g *guess) isNested() bool { return g.has(hasList, hasObject) }

// fields returns the columns of the file as the policy for lists and objects sees them.
func (t *file) fields() []format.Field {
	var out []format.Field
	for i, name := range t.names.list {
		if t.hidden[name] {
			continue
		}
		var in *nested
		if t.inside != nil {
			in = t.inside[i]
		}
		out = append(out, t.fieldOf(name, &t.guesses[i], in, leaf{number: i}))
	}
	return out
}

// fieldOf returns a column or a part as the policy sees it. l says where it is.
func (t *file) fieldOf(name string, g *guess, in *nested, l leaf) format.Field {
	f := format.Field{Name: name, Leaf: len(t.leaves)}
	l.guess = g
	plain := g.has(hasBool, hasInt, hasFloat, hasText)
	switch {
	case !g.isNested():
	case t.jagged.Mode == format.JaggedSkip:
		f.Kind = format.FieldOther
	case t.jagged.Mode == format.JaggedDefault || t.jagged.Mode == format.JaggedError:
	case g.has(hasObject) && (plain || g.has(hasList)):
		f.Kind, l.refuse = format.FieldOther, g.refuse(hasObject, colstore.ErrType, "the value is an object, others are none; "+noColumns)
	case g.has(hasList) && plain:
		f.Kind, l.refuse = format.FieldOther, g.refuse(hasList, colstore.ErrType, "the value is a list, others are none; "+noColumns)
	case in == nil:
		f.Kind, l.refuse = format.FieldOther, g.refuse(hasObject, colstore.ErrType, fmt.Sprintf("objects are nested more than %d deep; %s", maxNest, noColumns))
	case g.has(hasObject) && len(in.parts) == 0:
		f.Kind, l.refuse = format.FieldOther, g.refuse(hasObject, colstore.ErrType, "no object has a member; "+noColumns)
	case g.has(hasObject):
		f.Kind, f.Leaf = format.FieldStruct, -1
		for _, p := range in.parts {
			route := append(slices.Clip(l.route), p.name)
			f.Parts = append(f.Parts, t.fieldOf(p.name, &p.guess, p.in, leaf{number: l.number, route: route}))
		}
		return f
	case in.values.has(hasList):
		f.Kind, l.refuse = format.FieldOther, in.values.refuse(hasList, colstore.ErrType, "a list in a list; "+noColumns)
	case in.values.has(hasObject):
		f.Kind, l.refuse = format.FieldOther, in.values.refuse(hasObject, colstore.ErrType, "an object in a list; "+noColumns)
	default:
		f.Kind, l.guess, l.rows = format.FieldList, &in.values, g
		l.most = in.longest
		// A list that is null has no values.
		if a := g.absent; a >= 0 && (l.guess.absent < 0 || a < l.guess.absent) {
			l.guess.absent = a
		}
	}
	t.leaves = append(t.leaves, &l)
	return f
}

const noColumns = "no columns are made of that, so leave it out with --columns, or all lists and objects with --jagged skip"

// Skipped implements format.Nested.
func (t *file) Skipped() []string { return t.columns.Skipped }

// Parts implements format.Nested.
func (t *file) Parts(name string) []string { return t.columns.Parts(name) }

// Longest implements format.Nested. The first pass has told.
func (t *file) Longest(_ context.Context, columns []string) (map[string]int64, error) {
	out := map[string]int64{}
	for name, f := range format.Lists(t.nested, columns) {
		out[name] = t.leaves[f.Leaf].most
	}
	return out, nil
}

// Unfold implements format.Nested.
func (t *file) Unfold(longest map[string]int64) (err error) {
	if t.columns, err = format.Unfold(t.nested, t.jagged, longest); err != nil {
		return t.failed("open", err)
	}
	return nil
}

// countOf returns what becomes of the column that tells how many values the rows of a list have.
func (l *leaf) countOf(name string, nulls format.Nulls) (finding, error) {
	f := finding{typ: colstore.Int64, found: true}
	if l.rows.absent < 0 {
		return f, nil
	}
	var err error
	if f.mode, f.fill, err = nulls.For(name, f.typ); err == nil && f.mode == format.NullError {
		err = format.NullFound("", name, colstore.At(l.rows.absent))
	}
	return f, err
}
