package source

import (
	"context"
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Structs reads the view into structs of the caller's own: every exported field takes the column of its `colstore` tag,
// or of its name; a tag of "-" leaves a field out, also an embedded struct. A field is a number or bool of the column's kind and size, an int64 for
// times, a time.Time for datetimes, or a string for text and bytes.
//
// Errors: colstore.ErrNoColumn for a field without a column, colstore.ErrType for one that does not fit, those of reading.
func Structs[T any](ctx context.Context, v *View) ([]T, error) {
	w, s, err := structsView[T](ctx, v)
	if err != nil {
		return nil, err
	}
	out := make([]T, w.rows.len())
	if err := structsInto(ctx, w, s, out); err != nil {
		return nil, err
	}
	return out, nil
}

// StructsInto is [Structs] into structs that are there: it sets the fields of the first structs of dst that are columns, and
// returns the view's number of rows. Other fields stay as they are.
//
//	trades := make([]trade, 1000)
//	n, err := source.StructsInto(ctx, view, trades)
//	for _, t := range trades[:n] { … }
//
// Memory: nothing is allocated for the rows but strings, and of those only the ones that differ from the string that a field
// had: dst must not hold strings of memory that changes. What is behind the rows is as it was, after an error of any content.
// Errors: those of Structs; colstore.ErrRange, with the number of rows, if dst is too short.
func StructsInto[T any](ctx context.Context, v *View, dst []T) (rows int, err error) {
	w, s, err := structsView[T](ctx, v)
	if err != nil {
		return 0, err
	}
	rows = int(w.rows.len())
	if rows > len(dst) {
		return rows, errRoom(rows, len(dst))
	}
	if err := structsInto(ctx, w, s, dst[:rows]); err != nil {
		return 0, err
	}
	return rows, nil
}

// structsView returns the evaluated view of the columns that the fields of T take, and how they take them.
func structsView[T any](ctx context.Context, v *View) (*View, *structs, error) {
	fields, err := structFields[T]()
	if err != nil {
		return nil, nil, err
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.column
	}
	w, err := v.orNone().Select(names...).Evaluate(ctx)
	if err != nil {
		return nil, nil, err
	}
	s := &structs{stride: reflect.TypeFor[T]().Size()}
	for i, f := range fields {
		t := w.columns.Field(i).Type
		set := setter(t, f.Type)
		if set == nil {
			return nil, nil, &colstore.Error{Column: f.column, Err: fmt.Errorf("%w: %s values do not fit the field %s of %s", colstore.ErrType, t.Name(), f.Name, f.Type)}
		}
		s.fields = append(s.fields, field{f.Offset, set})
	}
	return w, s, nil
}

// structsInto sets structs, one for each row of an evaluated view.
func structsInto[T any](ctx context.Context, w *View, s *structs, dst []T) error {
	s.first = unsafe.Pointer(unsafe.SliceData(dst))
	c := copyings.Get().(*copying)
	defer c.free()
	c.structs, c.width = s, w.columns.RowBytes()
	return w.copyInto(ctx, c, w.columns)
}

// structs is memory of structs that are set from columns.
type structs struct {
	first  unsafe.Pointer // that of the first row
	stride uintptr        // bytes from one to the next
	fields []field        // one for every column
}

// field is where a column's values go, and how.
type field struct {
	offset uintptr
	set    func(at unsafe.Pointer, stride uintptr, c colstore.Column)
}

// set sets the structs from a row on to the values of columns, which are dense and as they are stored.
func (s *structs) set(row int64, columns []colstore.Column) {
	at := unsafe.Add(s.first, uintptr(row)*s.stride)
	for i, c := range columns {
		f := s.fields[i]
		f.set(unsafe.Add(at, f.offset), s.stride, c)
	}
}

// setter returns what sets a field, here and every stride bytes on, to the values of a column of a dtype that is dense and as it
// is stored, nil if they do not fit.
func setter(t colstore.DType, f reflect.Type) func(at unsafe.Pointer, stride uintptr, c colstore.Column) {
	switch {
	case f.Kind() == reflect.String && t.IsString():
		return setStrings
	case f == timeType && t.Kind() == colstore.KindDatetime:
		return setTimes
	case !fits(t, f.Kind()):
		return nil
	case t.Kind() == colstore.KindBool:
		return setBools
	}
	switch t.Size() {
	case 1:
		return setNumbers[uint8]
	case 2:
		return setNumbers[uint16]
	case 4:
		return setNumbers[uint32]
	}
	return setNumbers[uint64]
}

// setNumbers sets numbers of the size of T.
func setNumbers[T uint8 | uint16 | uint32 | uint64](at unsafe.Pointer, stride uintptr, c colstore.Column) {
	data, rows, _ := c.Raw()
	swapNative(unsafe.Slice((*byte)(data), rows*c.Type().Size()), c.Type())
	for i, v := range unsafe.Slice((*T)(data), rows) {
		*(*T)(unsafe.Add(at, uintptr(i)*stride)) = v
	}
}

func setBools(at unsafe.Pointer, stride uintptr, c colstore.Column) {
	data, rows, _ := c.Raw()
	for i, v := range unsafe.Slice((*uint8)(data), rows) {
		*(*bool)(unsafe.Add(at, uintptr(i)*stride)) = v != 0 // another Go bool is undefined
	}
}

func setTimes(at unsafe.Pointer, stride uintptr, c colstore.Column) {
	data, rows, _ := c.Raw()
	swapNative(unsafe.Slice((*byte)(data), rows*c.Type().Size()), c.Type())
	unit := c.Type().Unit()
	for i, v := range unsafe.Slice((*int64)(data), rows) {
		*(*time.Time)(unsafe.Add(at, uintptr(i)*stride)) = unit.Time(v)
	}
}

// setStrings leaves strings alone that are right already.
func setStrings(at unsafe.Pointer, stride uintptr, c colstore.Column) {
	var room [64]byte
	buf := room[:0]
	for i := range c.Rows() {
		buf = c.AppendString(buf[:0], i)
		if dst := (*string)(unsafe.Add(at, uintptr(i)*stride)); *dst != string(buf) {
			*dst = string(buf)
		}
	}
}

// set sets the structs of rows from to to of the view.
func (c *copying) set(s *scratch, from, to int64) error {
	for some := c.some(); from < to; from += some {
		some = min(some, to-from)
		if err := c.few(s, from, int(some)); err != nil {
			return err
		}
		c.structs.set(from-c.begin, s.columns)
	}
	return nil
}

// setScanned sets structs of a source that must be read in order.
func (v *View) setScanned(ctx context.Context, c *copying, schema *colstore.Schema) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	row, most := int64(0), c.some()
	for b, err := range v.Scan(ctx, colstore.Scan{Columns: schema.Names(), Threads: cores()}) {
		if err != nil {
			return err
		}
		for from, n := 0, 0; from < b.Rows(); from += n {
			n = min(int(most), b.Rows()-from)
			s.split(schema, n)
			for i, d := range s.dst {
				loadAsStored(d, b.At(i).Slice(from, from+n, 1), false)
			}
			c.structs.set(row, s.columns)
			row += int64(n)
		}
	}
	return nil
}
