package arrow

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
)

// values are the buffers of an array, checked against its rows.
type values struct {
	rows  int
	valid bitmap
	// where maps rows to places of a dictionary; nil if the values are the rows'.
	where indices
	fixed []byte // values of a fixed width, from row 0 or from place 0 of the dictionary on
	bools bitmap // values of formBool
	long  spans  // values of any length
}

// newValues returns the buffers of the first rows of an array that is read as c. It looks at the array's data alone: the
// arrays of a record that several goroutines share make their parts when they are asked for them.
//
// Errors: colstore.ErrFormat for buffers that are too short; a *badValue.
func newValues(c *column, a arrow.ArrayData, rows int) (*values, error) {
	v := &values{rows: rows}
	if a.Len() < rows {
		return nil, short("%d values for %d rows", a.Len(), rows)
	}
	if c.untyped {
		v.valid = bitmap{bits: make([]byte, (rows+7)/8)}
		return v, nil
	}
	var err error
	if v.valid, err = validBits(a, rows); err != nil {
		return nil, err
	}
	if v.nulls(0, rows) == rows {
		return v, nil
	}
	t, ok := storage(a.DataType()).(*arrow.DictionaryType)
	if !ok {
		return v, v.take(c, a, rows)
	}
	dictionary := a.Dictionary()
	if v.where, err = newIndices(t.IndexType, a, rows, dictionary.Len()); err != nil {
		return nil, err
	}
	if err := v.take(c, dictionary, dictionary.Len()); err != nil {
		return nil, err
	}
	return v, v.dictionaryNulls(dictionary)
}

// storage returns what an extension type is stored as, and every other type.
func storage(t arrow.DataType) arrow.DataType {
	for {
		x, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = x.StorageType()
	}
}

func short(format string, args ...any) error {
	return fmt.Errorf("%w: %s", colstore.ErrFormat, fmt.Sprintf(format, args...))
}

// buffer returns the bytes of buffer i, nil if there is none.
func buffer(a arrow.ArrayData, i int) []byte {
	if b := a.Buffers(); i < len(b) && b[i] != nil {
		return b[i].Bytes()
	}
	return nil
}

func validBits(a arrow.ArrayData, rows int) (bitmap, error) {
	m := bitmap{buffer(a, 0), a.Offset()}
	if len(m.bits) == 0 {
		return bitmap{}, nil
	}
	if m.offset+rows > 8*len(m.bits) {
		return m, short("a bitmap of %d bytes for %d rows", len(m.bits), m.offset+rows)
	}
	return m, nil
}

// fixedBytes returns the bytes of the first n values of size bytes.
func fixedBytes(a arrow.ArrayData, n, size int) ([]byte, error) {
	raw, offset := buffer(a, 1), a.Offset()
	if n > 0 && len(raw)/size < offset+n {
		return nil, short("%d bytes hold no %d values of %d bytes", len(raw), offset+n, size)
	}
	if n == 0 {
		return nil, nil
	}
	return raw[offset*size : (offset+n)*size], nil
}

// take takes the first n values of an array that is no dictionary.
func (v *values) take(c *column, a arrow.ArrayData, n int) (err error) {
	offset := a.Offset()
	switch id := storage(a.DataType()).ID(); {
	case c.refused != nil || n == 0:
	case c.form == formBool:
		v.bools = bitmap{buffer(a, 1), offset}
		if offset+n > 8*len(v.bools.bits) {
			return short("%d bytes hold no %d bools", len(v.bools.bits), offset+n)
		}
	case c.form == formDate:
		v.fixed, err = fixedBytes(a, n, arrow.Int32SizeBytes)
	case c.form == formCopy:
		v.fixed, err = fixedBytes(a, n, c.typ.Size())
	case id == arrow.STRING || id == arrow.BINARY:
		v.long, err = newOffsets[int32](a, n)
	case id == arrow.LARGE_STRING || id == arrow.LARGE_BINARY:
		v.long, err = newOffsets[int64](a, n)
	default:
		v.long, err = newViews(a, n)
	}
	return err
}

// nulls returns the number of rows from begin to end without a value.
func (v *values) nulls(begin, end int) int { return end - begin - v.valid.count(begin, end) }

// width returns the characters of the longest value, text as c says.
func (v *values) width(c *column) (int, error) {
	most := 0
	err := v.chunks(0, v.rows, func(begin int, places []int) (err error) {
		most, err = v.long.longest(most, c.form == formText, places, v.valid, begin)
		return err
	})
	return most, err
}

// chunks calls f for the rows from begin to end, some at a time, with the place of each one's value; that of a null is
// any.
//
// Errors: a *badValue for a place that the dictionary does not have, and those of f.
func (v *values) chunks(begin, end int, f func(begin int, places []int) error) error {
	var room [512]int
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
func (v *values) dictionaryNulls(dictionary arrow.ArrayData) error {
	present, err := validBits(dictionary, dictionary.Len())
	if err != nil || present.count(0, dictionary.Len()) == dictionary.Len() {
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
