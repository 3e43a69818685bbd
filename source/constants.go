package source

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// isConstant reports whether a column is the same in all rows of a file.
func (t *Table) isConstant(name string) bool {
	return slices.ContainsFunc(t.consts, func(c constant) bool { return c.Name == name })
}

// unhidden returns the names of a file's columns without those that its folders tell.
func (t *Table) unhidden(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		if !t.isConstant(n) {
			return false
		}
		if !slices.Contains(t.hidden, n) {
			t.hidden = append(t.hidden, n)
		}
		return true
	})
}

// withConstants returns names and those of the constants.
func (t *Table) withConstants(names []string) []string {
	out := slices.Clone(names)
	for _, c := range t.consts {
		out = append(out, c.Name)
	}
	return out
}

// askedOfFiles returns which columns the spec asks of the files; nil is all.
func (t *Table) askedOfFiles() []string {
	if t.spec.Columns == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.spec.Columns), func(n string) bool { return n == t.spec.SourceColumn || t.isConstant(n) })
}

// addSourceColumn makes the column of the files' paths.
//
// Errors: colstore.ErrDuplicate if its name is taken.
func (t *Table) addSourceColumn() error {
	name := t.spec.SourceColumn
	if name == "" {
		return nil
	}
	taken := func(path string) error {
		return &colstore.Error{Op: "open", Path: path, Column: name, Err: fmt.Errorf(
			"%w: the column for the files' paths needs a name that is free", colstore.ErrDuplicate)}
	}
	if t.isConstant(name) {
		return taken(t.files[0].path)
	}
	for f := range t.variants() {
		if slices.Contains(f.names, name) {
			return taken(f.path)
		}
	}
	texts := make([]string, len(t.files))
	for i, f := range t.files {
		texts[i] = f.given
	}
	values, err := textConstants(name, texts)
	if err != nil {
		return err
	}
	t.consts = append(t.consts, constant{colstore.Field{Name: name, Type: values[0].Type()}, values})
	return nil
}

// textConstants returns texts as values of one dtype, as wide as the longest of them.
//
// Errors: colstore.ErrValue for a text that is too long for a column.
func textConstants(column string, texts []string) ([]colstore.Scalar, error) {
	width := 1
	for _, s := range texts {
		width = max(width, utf8.RuneCountInString(s))
	}
	typ := colstore.TextOf(width)
	if !typ.Valid() {
		return nil, &colstore.Error{Column: column, Err: fmt.Errorf("%w: a text of %d characters is too long for a column", colstore.ErrValue, width)}
	}
	out := make([]colstore.Scalar, len(texts))
	for i, s := range texts {
		cell := make([]byte, 0, typ.Size())
		cell = colstore.AppendText(cell, s)
		v, err := colstore.NewScalar(typ, append(cell, make([]byte, typ.Size()-len(cell))...))
		if err != nil {
			return nil, &colstore.Error{Column: column, Err: err}
		}
		out[i] = v
	}
	return out, nil
}

// nameConstants gives the table its names, once those of the files are known: in the order asked for, what is made of a
// column behind it, and the paths last where they were not asked for by name.
//
// Errors: colstore.ErrDuplicate for a column that tells where another has nulls and is there already.
func (t *Table) nameConstants() error {
	for _, c := range t.consts {
		if slices.Contains(t.stored, c.Name) {
			return &colstore.Error{Op: "open", Path: t.files[0].path, Column: c.Name, Err: fmt.Errorf(
				"%w: a column that is made of the path has this name too; leave one of the two out", colstore.ErrDuplicate)}
		}
	}
	if t.spec.Columns == nil {
		t.names = t.withConstants(t.stored)
		return nil
	}
	along := map[string][]string{} // by column: itself, and what is made of it
	for _, n := range t.withConstants(t.stored) {
		of := n
		if made, ok := t.made[n]; ok {
			of = made
		} else if c, isMask := strings.CutSuffix(n, format.MaskSuffix); isMask && t.isConstant(n) && t.isConstant(c) {
			of = c
		}
		along[of] = append(along[of], n)
	}
	named := map[string]bool{}
	add := func(names ...string) {
		for _, n := range names {
			if !named[n] {
				named[n] = true
				t.names = append(t.names, n)
			}
		}
	}
	for _, c := range t.spec.Columns {
		add(along[c]...)
	}
	add(t.stored...) // made in ways that names do not tell
	if s := t.spec.SourceColumn; s != "" {
		add(s)
	}
	t.consts = slices.DeleteFunc(t.consts, func(c constant) bool { return !named[c.Name] })
	return nil
}
