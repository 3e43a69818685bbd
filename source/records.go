package source

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	goruntime "runtime"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

// Records is rows as packed records: the values of a row back to back, without padding, in native byte order.
type Records struct {
	Schema *colstore.Schema // the fields, in order
	Data   []byte           // rows × Schema.RowBytes(), the caller's own
	rows   int
}

// Rows returns the number of records.
func (r *Records) Rows() int { return r.rows }

// Row returns the bytes of record i, without a copy. It panics on a record there is not.
func (r *Records) Row(i int) []byte {
	if i < 0 || i >= r.rows {
		panic(fmt.Sprintf("source: Records.Row(%d) of %d", i, r.rows))
	}
	w := r.Schema.RowBytes()
	return r.Data[i*w : (i+1)*w : (i+1)*w]
}

// Records reads the view into packed records of the caller's own.
func (v *View) Records(ctx context.Context) (*Records, error) {
	b, err := v.Collect(ctx)
	if err != nil {
		return nil, err
	}
	r := &Records{Schema: b.Schema(), rows: b.Rows(), Data: make([]byte, b.Rows()*b.Schema().RowBytes())}
	w := r.Schema.RowBytes()
	tasks := (b.Rows() + gatherRows - 1) / gatherRows
	return r, parallel.Each(tasks, goruntime.GOMAXPROCS(0), func(task int) error {
		begin := task * gatherRows
		end := min(begin+gatherRows, b.Rows())
		part := b.Slice(begin, end)
		cols := make([]colstore.Column, part.Schema().Len())
		for i := range cols {
			cols[i] = part.At(i)
		}
		kernel.Interleave(r.Data[begin*w:end*w], cols)
		return nil
	})
}

// Values reads one column of the view into a slice of the caller's own. T is as in colstore.Values.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for another T, those of reading.
func Values[T colstore.Native](ctx context.Context, v *View, column string) ([]T, error) {
	b, err := v.Select(column).Collect(ctx)
	if err != nil {
		return nil, err
	}
	out, err := colstore.Values[T](b.At(0))
	if errors.Is(err, colstore.ErrNotViewable) { // a bool stored as neither 0 nor 1
		return colstore.CopyOf[T](b.At(0))
	}
	if err != nil {
		return nil, &colstore.Error{Column: column, Err: err}
	}
	return out, nil
}

// Strings reads one column of text or bytes into strings, without their padding.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for a column of another kind, those of reading.
func Strings(ctx context.Context, v *View, column string) ([]string, error) {
	b, err := v.Select(column).Collect(ctx)
	if err != nil {
		return nil, err
	}
	c := b.At(0)
	if !c.Type().IsString() {
		return nil, &colstore.Error{Column: column, Err: fmt.Errorf("%w: %s values are no text", colstore.ErrType, c.Type().Name())}
	}
	out := make([]string, 0, c.Rows())
	for _, s := range c.Strings() {
		out = append(out, s)
	}
	return out, nil
}

// Structs reads the view into structs of the caller's own: every exported field takes the column of its `colstore` tag,
// or of its name; a tag of "-" leaves a field out. A field is a number or bool of the column's kind and size, an int64 for
// times, or a string for text and bytes.
//
// Errors: colstore.ErrNoColumn for a field without a column, colstore.ErrType for one that does not fit, those of reading.
func Structs[T any](ctx context.Context, v *View) ([]T, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %s is no struct", colstore.ErrType, t)
	}
	var fields []reflect.StructField
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name := f.Name
		if tag, ok := f.Tag.Lookup("colstore"); ok {
			name = tag
		}
		if !f.IsExported() || f.Anonymous || name == "-" {
			continue
		}
		if len(f.Index) > 1 {
			return nil, fmt.Errorf("%w: the field %s of %s is that of an embedded struct; name it in the struct itself, or leave it out with the tag \"-\"",
				colstore.ErrType, f.Name, t)
		}
		fields, names = append(fields, f), append(names, name)
	}
	b, err := v.Select(names...).Collect(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]T, b.Rows())
	for i, f := range fields {
		if err := setField(out, f, b.At(i)); err != nil {
			return nil, &colstore.Error{Column: names[i], Err: err}
		}
	}
	return out, nil
}

// setField sets one field of every struct to a column's values.
func setField[T any](out []T, f reflect.StructField, c colstore.Column) error {
	if f.Type.Kind() == reflect.String && c.Type().IsString() {
		for i, s := range c.Strings() {
			reflect.ValueOf(&out[i]).Elem().FieldByIndex(f.Index).SetString(s)
		}
		return nil
	}
	if !fits(c.Type(), f.Type.Kind()) {
		return fmt.Errorf("%w: %s values do not fit the field %s of %s", colstore.ErrType, c.Type().Name(), f.Name, f.Type)
	}
	size, values := c.Type().Size(), kernel.RawIn(c)
	for i := range out {
		dst := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&out[i]), f.Offset)), size)
		copy(dst, values[i*size:(i+1)*size])
		if c.Type().Kind() == colstore.KindBool && dst[0] > 1 {
			dst[0] = 1 // another Go bool is undefined
		}
	}
	return nil
}

// fits reports whether values of a dtype are the bytes of a Go kind.
func fits(t colstore.DType, k reflect.Kind) bool {
	switch t.Kind() {
	case colstore.KindBool:
		return k == reflect.Bool
	case colstore.KindInt:
		return k == map[int]reflect.Kind{1: reflect.Int8, 2: reflect.Int16, 4: reflect.Int32, 8: reflect.Int64}[t.Size()]
	case colstore.KindUint:
		return k == map[int]reflect.Kind{1: reflect.Uint8, 2: reflect.Uint16, 4: reflect.Uint32, 8: reflect.Uint64}[t.Size()]
	case colstore.KindFloat:
		return k == map[int]reflect.Kind{4: reflect.Float32, 8: reflect.Float64}[t.Size()]
	}
	return t.IsTime() && k == reflect.Int64
}
