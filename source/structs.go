package source

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"github.com/colstore/colstore-go"
)

// structField is an exported field of a struct and the column that it is.
type structField struct {
	reflect.StructField
	column string
}

var timeType = reflect.TypeFor[time.Time]()

// structFields returns the fields of T that are columns.
func structFields[T any]() ([]structField, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %s is no struct", colstore.ErrType, t)
	}
	var fields []structField
	for f := range t.Fields() {
		name, tagged := f.Tag.Lookup("colstore")
		switch {
		case name == "-":
		case f.Anonymous && !tagged && embeds(f.Type):
			if inner, ok := promoted(t, f.Type); ok {
				return nil, fmt.Errorf("%w: the field %s of %s is that of the embedded struct %s; name it in the struct itself, or leave out the one or the other with the tag \"-\"",
					colstore.ErrType, inner, t, f.Name)
			}
		case f.IsExported():
			if !tagged {
				name = f.Name
			}
			fields = append(fields, structField{f, name})
		}
	}
	return fields, nil
}

// embeds reports whether an embedded field of a type has fields that could be columns themselves.
func embeds(t reflect.Type) bool {
	return t != timeType && (t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct)
}

// promoted returns the first field of an embedded struct that would be a column of struct t. As in Go, one that t has by the same
// name hides it.
func promoted(t, embedded reflect.Type) (name string, ok bool) {
	if embedded.Kind() == reflect.Pointer {
		embedded = embedded.Elem()
	}
	for _, f := range reflect.VisibleFields(embedded) {
		_, tagged := f.Tag.Lookup("colstore")
		if !f.IsExported() || f.Anonymous && !tagged && embeds(f.Type) || isLeftOut(embedded, f.Index) {
			continue
		}
		if nearest, _ := t.FieldByName(f.Name); len(nearest.Index) != 1 {
			return f.Name, true
		}
	}
	return "", false
}

// isLeftOut reports whether the tag of a field, or of an embedded struct that it lies in, is "-".
func isLeftOut(t reflect.Type, index []int) bool {
	for i := range index {
		if t.FieldByIndex(index[:i+1]).Tag.Get("colstore") == "-" {
			return true
		}
	}
	return false
}

// fieldTypes are the dtypes of Go kinds of one size on every machine.
var fieldTypes = map[reflect.Kind]colstore.DType{
	reflect.Bool: colstore.Bool, reflect.Int8: colstore.Int8, reflect.Int16: colstore.Int16, reflect.Int32: colstore.Int32,
	reflect.Int64: colstore.Int64, reflect.Uint8: colstore.Uint8, reflect.Uint16: colstore.Uint16, reflect.Uint32: colstore.Uint32,
	reflect.Uint64: colstore.Uint64, reflect.Float32: colstore.Float32, reflect.Float64: colstore.Float64,
}

// fits reports whether values of a dtype are the bytes of a Go kind.
func fits(t colstore.DType, k reflect.Kind) bool {
	return fieldTypes[k] == t.Native() || t.IsTime() && k == reflect.Int64
}

// FromStructs is the way back from [Structs]: rows as a batch with a column for every exported field, named by its
// `colstore` tag or itself; a tag of "-" leaves a field out, also an embedded struct. A field is a number or bool of a size that is the same on every
// machine, a string, which becomes text as wide as the longest, or a time.Time, which becomes datetime64[ns].
//
// Memory: numbers are shown where they are in rows, which must not change while the batch lives; strings and times are
// copied.
// Errors: colstore.ErrType for a field of another type, naming it; colstore.ErrDuplicate for two of one name.
func FromStructs[T any](rows []T) (*colstore.Batch, error) {
	fields, err := structFields[T]()
	if err != nil {
		return nil, err
	}
	columns := make([]colstore.Named, len(fields))
	for i, f := range fields {
		c, err := fieldColumn(rows, f)
		if err != nil {
			return nil, &colstore.Error{Column: f.column, Err: err}
		}
		columns[i] = colstore.Name(f.column, c)
	}
	return colstore.BatchOf(columns...)
}

// fieldColumn returns one field of every struct as a column.
func fieldColumn[T any](rows []T, f structField) (colstore.Column, error) {
	switch t, ok := fieldTypes[f.Type.Kind()]; {
	case ok && len(rows) == 0:
		return colstore.NewColumn(t, 0, nil)
	case ok:
		return colstore.RawColumn(t, len(rows), int(unsafe.Sizeof(rows[0])), unsafe.Add(unsafe.Pointer(&rows[0]), f.Offset)), nil
	case f.Type.Kind() == reflect.String:
		return colstore.TextColumn(fieldValues[T, string](rows, f)), nil
	case f.Type == timeType:
		return colstore.TimeColumn(fieldValues[T, time.Time](rows, f)), nil
	}
	advice := "a column holds numbers, bools, text or times"
	switch f.Type.Kind() {
	case reflect.Int:
		advice = "its size depends on the machine; make it int64"
	case reflect.Uint, reflect.Uintptr:
		advice = "its size depends on the machine; make it uint64"
	case reflect.Complex64, reflect.Complex128:
		advice = "make it two columns"
	case reflect.Slice, reflect.Array:
		advice = "make it as many columns as it has elements"
	}
	return colstore.Column{}, fmt.Errorf("%w: the field %s is a %s; %s, or leave it out with the tag \"-\"", colstore.ErrType, f.Name, f.Type, advice)
}

// fieldValues returns one field, which is a V, of every struct.
func fieldValues[T, V any](rows []T, f structField) []V {
	out := make([]V, len(rows))
	for i := range rows {
		out[i] = *(*V)(unsafe.Add(unsafe.Pointer(&rows[i]), f.Offset))
	}
	return out
}
