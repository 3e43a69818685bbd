package source

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source/format"
)

// joining is what a table knows of its parts that their schemas do not tell. The zero value is nothing.
type joining struct {
	dtypes map[string]colstore.DType // that columns get before they are compared
	stored [][]string                // by part: its columns as they are stored, if the others tell where there are nulls
	consts []constant                // columns that no part has of its own
	order  []string                  // of the columns, those of consts included; nil: they come last
}

// A constant is a column that is the same in all rows of a part.
type constant struct {
	colstore.Field
	values []colstore.Scalar // by part; not valid where it lacks the column
}

// shape is a part as it is compared with the others.
type shape struct {
	Part
	schema *colstore.Schema
}

// withField returns the shape with another dtype for a column, or with a new one behind another.
func (s *shape) withField(f colstore.Field, behind string) error {
	fields := fieldsOf(s.schema)
	if i, ok := s.schema.Index(f.Name); ok {
		fields[i] = f
	} else {
		i, _ := s.schema.Index(behind)
		fields = slices.Insert(fields, i+1, f)
	}
	var err error
	s.schema, err = colstore.NewSchema(fields...)
	return err
}

func fieldsOf(s *colstore.Schema) []colstore.Field {
	out := make([]colstore.Field, s.Len())
	for i, f := range s.All() {
		out[i] = f
	}
	return out
}

// join makes the parts fit each other, and returns them with the columns of the whole and those that were dropped.
func join(mismatch Mismatch, parts []Part, j joining) ([]Part, *colstore.Schema, []string, error) {
	shapes := make([]shape, len(parts))
	values := make([]map[string]colstore.Scalar, len(parts)) // what each part shows beside what it has
	for i, p := range parts {
		shapes[i] = shape{p, p.Source.Schema()}
		if i > 0 && shapes[i].schema.Equal(shapes[i-1].schema) {
			shapes[i].schema = shapes[i-1].schema // of thousands of files, one is looked at
		}
		values[i] = map[string]colstore.Scalar{}
	}
	if err := j.cast(mismatch, shapes); err != nil {
		return nil, nil, nil, err
	}
	if err := j.addMasks(shapes, values); err != nil {
		return nil, nil, nil, err
	}
	whole, dropped, err := j.reconcile(mismatch, shapes)
	if err != nil {
		return nil, nil, nil, err
	}
	if whole, err = j.addConstants(whole, values); err != nil {
		return nil, nil, nil, err
	}
	out := make([]Part, len(parts))
	for i, p := range parts {
		src, err := adapt(p.Source, p.Name, whole, values[i])
		if err != nil {
			return nil, nil, nil, err
		}
		out[i] = Part{p.Name, src}
	}
	return out, whole, dropped, nil
}

// cast gives the columns that are to have a dtype that one in every part, where they would differ: in a dtype, or in a
// union by being there. Else whoever reads the table casts them, who can tell the source what is looked for.
func (j *joining) cast(mismatch Mismatch, shapes []shape) error {
	for _, name := range slices.Sorted(maps.Keys(j.dtypes)) {
		var seen []colstore.DType
		to := colstore.DType{}
		lacking := false
		for _, s := range shapes {
			i, ok := s.schema.Index(name)
			if !ok {
				lacking = mismatch == Union
				continue
			}
			from := s.schema.Field(i).Type
			if !slices.Contains(seen, from) {
				seen = append(seen, from)
			}
			if t := ops.CastType(from, j.dtypes[name]); t.Size() > to.Size() {
				to = t
			}
		}
		if len(seen) < 2 && !(len(seen) == 1 && lacking) {
			continue
		}
		for i := range shapes {
			if _, ok := shapes[i].schema.Index(name); !ok {
				continue
			}
			if err := shapes[i].withField(colstore.Field{Name: name, Type: to}, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// addMasks gives the parts without a null of a column the mask that others have of it: all of their values are there.
func (j *joining) addMasks(shapes []shape, values []map[string]colstore.Scalar) error {
	if j.stored == nil {
		return nil
	}
	masks := map[string]string{} // of the column, and a part that has it
	for i, s := range shapes {
		for _, f := range s.schema.All() {
			if of, ok := maskOf(f, s.schema); ok && !slices.Contains(j.stored[i], f.Name) {
				masks[of] = s.Name
			}
		}
	}
	for _, of := range slices.Sorted(maps.Keys(masks)) {
		mask := of + format.MaskSuffix
		for i := range shapes {
			s := &shapes[i]
			if slices.Contains(j.stored[i], mask) {
				return &colstore.Error{Op: "open", Path: s.Name, Column: mask, Err: fmt.Errorf(
					"%w: in %s a column of this name tells where %q has nulls; leave one of the two out", colstore.ErrDuplicate, masks[of], of)}
			}
			_, there := s.schema.Index(mask)
			if _, ok := s.schema.Index(of); !ok || there {
				continue
			}
			if err := s.withField(colstore.Field{Name: mask, Type: colstore.Bool}, of); err != nil {
				return err
			}
			values[i][mask] = colstore.ScalarOf(true)
		}
	}
	return nil
}

// maskOf returns the column of s whose nulls a column of that name tells, if it can be such a one.
func maskOf(f colstore.Field, s *colstore.Schema) (of string, ok bool) {
	if of, ok = strings.CutSuffix(f.Name, format.MaskSuffix); !ok || f.Type != colstore.Bool {
		return "", false
	}
	_, ok = s.Index(of)
	return of, ok
}

// addConstants returns the schema with the columns that are the same in all rows of a part.
func (j *joining) addConstants(s *colstore.Schema, values []map[string]colstore.Scalar) (*colstore.Schema, error) {
	if len(j.consts) == 0 {
		return s, nil
	}
	fields := fieldsOf(s)
	for _, c := range j.consts {
		fields = append(fields, c.Field)
		for i := range values {
			if v := c.values[i]; v.Valid() {
				values[i][c.Name] = v
			} else {
				values[i][c.Name] = format.Missing(c.Type)
			}
		}
	}
	if j.order != nil {
		place := func(f colstore.Field) int {
			if i := slices.Index(j.order, f.Name); i >= 0 {
				return i
			}
			return slices.Index(j.order, origin(f.Name, j.order)) // it is made of that
		}
		slices.SortStableFunc(fields, func(a, b colstore.Field) int { return place(a) - place(b) })
	}
	return colstore.NewSchema(fields...)
}

// reconcile returns the columns of the whole, and those that were dropped. The mask of a column that is dropped is too.
func (j *joining) reconcile(mismatch Mismatch, shapes []shape) (*colstore.Schema, []string, error) {
	first := shapes[0].schema
	switch mismatch {
	case Union:
		s, err := unionOf(shapes)
		return s, nil, err
	case Strict:
		several := differentSchemas(shapes)
		for _, p := range several[1:] {
			if err := sameNames(first.Names(), p.schema.Names(), shapes[0].Name); err != nil {
				return nil, nil, at(p.Name, err)
			}
		}
		if len(several) == 1 {
			return first, nil, nil
		}
		for _, f := range first.All() {
			if err := differing(shapes, f.Name); err != nil {
				return nil, nil, err
			}
		}
		return first, nil, nil
	}
	var kept []colstore.Field
	dropped := map[string]bool{}
	several := differentSchemas(shapes)
	for _, p := range several {
		for _, f := range p.schema.All() {
			dropped[f.Name] = true
		}
	}
	for _, f := range first.All() {
		if !slices.ContainsFunc(several[1:], func(p shape) bool { return !hasField(p.schema, f) }) {
			kept = append(kept, f)
			delete(dropped, f.Name)
		}
	}
	kept = slices.DeleteFunc(kept, func(f colstore.Field) bool {
		of, isMask := maskOf(f, first)
		return j.stored != nil && isMask && dropped[of] && !slices.Contains(j.stored[0], f.Name)
	})
	names := slices.Sorted(maps.Keys(dropped))
	if len(kept) == 0 && len(names) > 0 {
		return nil, nil, nothingShared(len(shapes), shapes[0].Name)
	}
	s, err := colstore.NewSchema(kept...)
	return s, names, err
}

func nothingShared(inputs int, first string) error {
	return fmt.Errorf("%w: no column is in all %d inputs with one dtype, %s the first of them; to keep the columns of all, choose --on-mismatch union, to give one the same dtype, --dtype NAME=DTYPE",
		colstore.ErrMismatch, inputs, first)
}

// differentSchemas returns the shapes but those with the schema of the one before.
func differentSchemas(shapes []shape) []shape {
	out := shapes[:1:1]
	for i, s := range shapes[1:] {
		if s.schema != shapes[i].schema {
			out = append(out, s)
		}
	}
	return out
}

func hasField(s *colstore.Schema, f colstore.Field) bool {
	i, ok := s.Index(f.Name)
	return ok && s.Field(i).Type == f.Type
}

// differing returns the error for a column whose dtypes differ, about two parts that no dtype suits; nil if they do not.
func differing(shapes []shape, column string) error {
	// What two parts can agree on follows from their kinds of column, of which thousands of parts have few.
	type kind struct {
		t, stored colstore.DType
		free      format.Freedom
		empty     bool
	}
	seen := map[kind]bool{}
	var kinds []*shape // the first part of each
	var first, a, b *shape
	for i := range shapes {
		s := &shapes[i]
		k := kind{s.typeOf(column), typeOf(s.Source, column), freedom(s.Source, column), s.Source.Rows() == 0}
		if !k.t.Valid() || seen[k] {
			continue
		}
		seen[k] = true
		if first == nil {
			first = s
		}
		if s.typeOf(column) != first.typeOf(column) && a == nil {
			a, b = first, s
		}
		for _, other := range kinds {
			if other.typeOf(column) == s.typeOf(column) {
				continue
			}
			if _, ok := agreed([]Part{other.Part, s.Part}, column); !ok {
				return other.differs(s, column)
			}
		}
		kinds = append(kinds, s)
	}
	if a == nil {
		return nil
	}
	return a.differs(b, column) // every two of them fit, and all together do not
}

func (s *shape) typeOf(column string) colstore.DType {
	i, ok := s.schema.Index(column)
	if !ok {
		return colstore.DType{}
	}
	return s.schema.Field(i).Type
}

// differs returns the error for a column of two parts with two dtypes.
func (s *shape) differs(other *shape, column string) error {
	a, b := s.typeOf(column), other.typeOf(column)
	return &colstore.Error{Op: "open", Path: other.Name, Column: column, Err: fmt.Errorf(
		"%w: it is %s, in %s it is %s; %s, or leave it out (--on-mismatch drop)", colstore.ErrMismatch, b, s.Name, a, advice(column, a, b))}
}

// advice says what makes one dtype of two.
func advice(column string, a, b colstore.DType) string {
	to := "DTYPE"
	if w, ok := widest(a, b); ok {
		return fmt.Sprintf("make it as wide as the widest (--on-mismatch union, or --dtype %s=%s)", column, w.Name())
	}
	switch isFloat := func(t colstore.DType) bool { return t.Kind() == colstore.KindFloat }; {
	case !a.IsNumber() || !b.IsNumber():
	case a.Kind() == b.Kind() && a.Size() > b.Size():
		to = a.Name()
	case a.Kind() == b.Kind():
		to = b.Name()
	case isFloat(a) || isFloat(b):
		to = colstore.Float64.Name()
	}
	return fmt.Sprintf("give it one dtype in all inputs (--dtype %s=%s)", column, to)
}
