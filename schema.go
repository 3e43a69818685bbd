package colstore

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"
)

// A Field is one named dtype.
type Field struct {
	Name string
	Type DType
}

// A Schema is the ordered list of a table's fields. It is immutable; share it freely.
type Schema struct {
	fields   []Field
	index    map[string]int
	rowBytes int
	selected atomic.Pointer[Schema] // what Select returned last: thousands of files of one schema are asked for one selection
}

// NewSchema returns the schema of fields, in that order.
//
// Errors: [ErrDuplicate] for a name that is there twice, [ErrType] for a dtype without a width, [ErrValue] when a row
// would be wider than an int.
func NewSchema(fields ...Field) (*Schema, error) {
	s := &Schema{fields: slices.Clone(fields), index: make(map[string]int, len(fields))}
	for i, f := range fields {
		if !f.Type.Valid() {
			return nil, &Error{Column: f.Name, Err: fmt.Errorf("%w: %s cannot be stored", ErrType, f.Type.Name())}
		}
		if _, dup := s.index[f.Name]; dup {
			return nil, &Error{Column: f.Name, Err: fmt.Errorf("%w: the name is there twice", ErrDuplicate)}
		}
		s.index[f.Name] = i
		if s.rowBytes > math.MaxInt-f.Type.Size() {
			return nil, &Error{Column: f.Name, Err: fmt.Errorf("%w: a row is too wide", ErrValue)}
		}
		s.rowBytes += f.Type.Size()
	}
	return s, nil
}

// MustSchema is [NewSchema] for examples, tests and package variables: it panics on an error.
func MustSchema(fields ...Field) *Schema {
	s, err := NewSchema(fields...)
	if err != nil {
		panic(err)
	}
	return s
}

// Len returns the number of fields.
func (s *Schema) Len() int { return len(s.fields) }

// Field returns the i-th field.
func (s *Schema) Field(i int) Field { return s.fields[i] }

// All iterates over the fields with their positions.
func (s *Schema) All() iter.Seq2[int, Field] { return slices.All(s.fields) }

// Names returns the names in order, in a slice of the caller's own.
func (s *Schema) Names() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.Name
	}
	return names
}

// Index returns the position of a name.
func (s *Schema) Index(name string) (i int, ok bool) {
	i, ok = s.index[name]
	return i, ok
}

// RowBytes returns the bytes of one row: the sum of the fields' sizes.
func (s *Schema) RowBytes() int { return s.rowBytes }

// Equal reports whether both have the same names and dtypes in the same order. No schema equals nil.
func (s *Schema) Equal(o *Schema) bool { return o != nil && slices.Equal(s.fields, o.fields) }

// Select returns the schema of the named fields, in the order given. Equal selections in a row are one schema.
//
// Errors: [ErrNoColumn], [ErrDuplicate].
func (s *Schema) Select(names ...string) (*Schema, error) {
	if last := s.selected.Load(); last != nil && last.named(names) {
		return last, nil
	}
	fields := make([]Field, len(names))
	for i, n := range names {
		j, ok := s.index[n]
		if !ok {
			return nil, s.NoColumn(n)
		}
		fields[i] = s.fields[j]
	}
	out, err := NewSchema(fields...)
	if err != nil {
		return nil, err
	}
	s.selected.Store(out)
	return out, nil
}

// named reports whether the fields have these names, in this order.
func (s *Schema) named(names []string) bool {
	return slices.EqualFunc(s.fields, names, func(f Field, name string) bool { return f.Name == name })
}

// NoColumn returns the [ErrNoColumn] for a name this schema lacks, with a near miss or the names there are.
func (s *Schema) NoColumn(name string) error { return NoColumn(name, s.Names()) }

// NoColumn returns the [ErrNoColumn] for a name that is not among choices, with a near miss or the choices.
func NoColumn(name string, choices []string) error {
	return &Error{Column: name, Err: fmt.Errorf("%w%s", ErrNoColumn, Suggest(name, choices))}
}

// String lists the fields: "id <i4, x <f8".
func (s *Schema) String() string {
	parts := make([]string, len(s.fields))
	for i, f := range s.fields {
		parts[i] = f.Name + " " + f.Type.String()
	}
	return strings.Join(parts, ", ")
}
