package columnar

import (
	"github.com/colstore/colstore-go"
)

// Values are the buffers of an array, checked against its rows.
type Values struct {
	rows  int
	valid bitmap
	// where maps rows to places of a dictionary; nil if the values are the rows'.
	where indices
	fixed []byte // values of a fixed width, from row 0 or from place 0 of the dictionary on
	bools bitmap // values of formBool
	long  spans  // values of any length
}

// NewValues returns the first rows of an array that is read as c.
//
// Errors: colstore.ErrFormat for buffers that are too short; a *BadValue.
func NewValues(c *Column, a *Array, rows int) (*Values, error) {
	v := &Values{rows: rows}
	if a.Rows < rows {
		return nil, short("%d values for %d rows", a.Rows, rows)
	}
	if c.isUntyped() {
		v.valid = bitmap{bits: make([]byte, (rows+7)/8)}
		return v, nil
	}
	var err error
	if v.valid, err = a.valid(rows); err != nil {
		return nil, err
	}
	if v.Nulls(0, rows) == rows {
		return v, nil
	}
	if c.Type.Index == nil {
		return v, v.take(c, a, rows)
	}
	dictionary := a.Dictionary
	if dictionary == nil {
		return nil, short("a dictionary that is not there")
	}
	if v.where, err = newIndices(c.Type.Index, a, rows, dictionary.Rows); err != nil {
		return nil, err
	}
	if err := v.take(c, dictionary, dictionary.Rows); err != nil {
		return nil, err
	}
	return v, v.dictionaryNulls(dictionary)
}

// take takes the first n values of an array that is no dictionary.
func (v *Values) take(c *Column, a *Array, n int) (err error) {
	switch {
	case c.refused != "" || n == 0:
	case c.form == formBool:
		v.bools = bitmap{a.buffer(1), a.Offset}
		if a.Offset+n > 8*len(v.bools.bits) {
			return short("%d bytes hold no %d bools", len(v.bools.bits), a.Offset+n)
		}
	case c.form == formDate, c.form == formCopy:
		v.fixed, err = a.fixed(n, c.Type.ValueBytes())
	case c.Type.OffsetBytes() == 4:
		v.long, err = newOffsets[int32](a, n)
	case c.Type.OffsetBytes() == 8:
		v.long, err = newOffsets[int64](a, n)
	default:
		v.long, err = newViews(a, n)
	}
	return err
}

// Nulls returns the number of rows from begin to end without a value.
func (v *Values) Nulls(begin, end int) int { return end - begin - v.valid.count(begin, end) }

// Width returns the characters of the longest value, text as c says, at least known.
//
// Errors: a *BadValue.
func (v *Values) Width(c *Column, known int) (int, error) { return v.WidthIn(c, known, 0, v.rows) }

// WidthIn is [Values.Width] of the rows from begin to end.
func (v *Values) WidthIn(c *Column, known, begin, end int) (int, error) {
	if v.long == nil {
		return known, nil
	}
	if r, ok := v.run(begin, end); ok {
		return r.longestOf(known, c.form == formText, begin, end)
	}
	err := v.chunks(begin, end, func(begin int, places []int) (err error) {
		known, err = v.long.longest(known, c.form == formText, places, v.valid, begin)
		return err
	})
	return known, err
}

// IsWhole reports whether the values are those that the input's column has, as they lie.
func (v *Values) IsWhole(in *Input) bool {
	return !in.absent && in.form == formCopy && v.where == nil && v.Nulls(0, v.rows) == 0
}

// IsCopy reports whether the values of the input have a fixed width and lie in Arrow's buffers as they do in a column.
func (in *Input) IsCopy() bool {
	return !in.absent && in.form == formCopy && in.Type.Index == nil && in.Type.ValueBytes() == in.typ.Size()
}

// View returns the rows from begin to end as they lie, if their bytes are those of the column's dtype and none is null.
func (v *Values) View(in *Input, begin, end int) (colstore.Column, bool) {
	if in.absent || in.form != formCopy || v.where != nil || v.Nulls(begin, end) > 0 || begin == end {
		return colstore.Column{}, false
	}
	size := in.typ.Size()
	c, err := colstore.NewColumn(in.typ, end-begin, v.fixed[begin*size:end*size])
	return c, err == nil
}

// Put writes the rows from begin to end to dst, one behind the other.
//
// Shapes: len(dst) = (end-begin) × the size of the input's dtype.
// Memory: dst may be where the values are: then only nulls are written.
// Errors: a *BadValue, also for a null that is refused.
func (v *Values) Put(dst []byte, in *Input, begin, end int) error {
	n, size := end-begin, in.typ.Size()
	nulls := v.Nulls(begin, end)
	switch {
	case nulls > 0 && !in.fill.Valid():
		return &BadValue{v.valid.firstClear(begin, end), colstore.ErrNull}
	case n == 0 || nulls == n:
	default:
		if err := v.putSome(dst, in, begin, end); err != nil {
			return err
		}
	}
	if nulls > 0 {
		fill := in.fill.Cell().At(0)
		for i := range n {
			if !v.valid.has(begin + i) {
				copy(dst[i*size:(i+1)*size], fill)
			}
		}
	}
	return nil
}

// PutPresent writes the rows from begin to end to dst, one behind the other; those of nulls are any.
//
// Shapes: len(dst) = (end-begin) × the size of the input's dtype.
// Errors: a *BadValue.
func (v *Values) PutPresent(dst []byte, in *Input, begin, end int) error {
	if nulls := v.Nulls(begin, end); nulls == end-begin {
		return nil
	}
	return v.putSome(dst, in, begin, end)
}

// putSome writes values of which at least one is there.
func (v *Values) putSome(dst []byte, in *Input, begin, end int) error {
	if in.absent {
		return short("a value in a column that declares nulls alone")
	}
	if v.where == nil && !in.IsLong() {
		v.dense(dst, &in.Column, begin, end)
		return nil
	}
	if r, ok := v.run(begin, end); ok {
		return r.putRun(dst, in.typ, begin, end)
	}
	size := in.typ.Size()
	return v.chunks(begin, end, func(at int, places []int) error {
		return v.put(dst[(at-begin)*size:(at-begin+len(places))*size], &in.Column, places, at)
	})
}

// Has reports whether a row has a value.
func (v *Values) Has(row int) bool { return v.valid.has(row) }

// dense writes the values of rows begin to end, of a fixed width and of no dictionary; those of nulls are any.
func (v *Values) dense(dst []byte, c *Column, begin, end int) {
	switch c.form {
	case formBool:
		v.bools.unpack(dst, begin)
	case formDate:
		out := as[int64](dst)
		for i, day := range as[int32](v.fixed)[begin:end] {
			out[i] = int64(day)
		}
	default:
		size := c.typ.Size()
		copy(dst, v.fixed[begin*size:end*size])
	}
}

// put writes the values of some rows from their places; those of nulls are any.
func (v *Values) put(dst []byte, c *Column, places []int, begin int) error {
	switch c.form {
	case formBool:
		for i, p := range places {
			dst[i] = 0
			if v.bools.has(p) {
				dst[i] = 1
			}
		}
	case formDate:
		days, out := as[int32](v.fixed), as[int64](dst)
		for i, p := range places {
			out[i] = int64(days[p])
		}
	case formCopy:
		size := c.typ.Size()
		for i, p := range places {
			copy(dst[i*size:(i+1)*size], v.fixed[p*size:(p+1)*size])
		}
	default:
		return v.long.put(dst, c.typ, places, v.valid, begin)
	}
	return nil
}

// Mask writes which rows from begin on have a value, a byte a row.
func (v *Values) Mask(dst []byte, begin int) { v.valid.unpack(dst, begin) }

// chunks calls f for the rows from begin to end, some at a time, with the place of each one's value; that of a null is
// any.
//
// Errors: a *BadValue for a place that the dictionary does not have, and those of f.
func (v *Values) chunks(begin, end int, f func(begin int, places []int) error) error {
	room := make([]int, min(512, end-begin)) // as small as it can be: it is made often, for few rows
	for ; begin < end; begin += len(room) {
		places := room[:min(len(room), end-begin)]
		if v.where == nil {
			for i := range places {
				places[i] = begin + i
			}
		} else if err := v.where.look(places, begin, v.valid); err != nil {
			return err
		}
		if err := f(begin, places); err != nil {
			return err
		}
	}
	return nil
}

// dictionaryNulls makes rows null whose value in the dictionary is null.
func (v *Values) dictionaryNulls(dictionary *Array) error {
	present, err := dictionary.valid(dictionary.Rows)
	if err != nil || present.count(0, dictionary.Rows) == dictionary.Rows {
		return err
	}
	both := bitmap{bits: make([]byte, (v.rows+7)/8)}
	err = v.chunks(0, v.rows, func(begin int, places []int) error {
		for i, p := range places {
			if row := begin + i; v.valid.has(row) && present.has(p) {
				both.bits[row/8] |= 1 << (row % 8)
			}
		}
		return nil
	})
	v.valid = both
	return err
}

// A BadValue is the error for a value, with the number of its row in the array.
type BadValue struct {
	At  int
	Err error
}

// Error returns the text of the cause.
func (b *BadValue) Error() string { return b.Err.Error() }

// Unwrap returns the cause.
func (b *BadValue) Unwrap() error { return b.Err }
