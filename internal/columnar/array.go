package columnar

import (
	"fmt"

	"github.com/colstore/colstore-go"
)

// An Array is some rows of a column as Arrow lays them out.
type Array struct {
	Rows   int
	Offset int // values before row 0 in all buffers
	// Buffers are a bitmap of the rows that have a value, nil if all have; then, by the type,
	//
	//	fixed width       the values
	//	any length        where each begins and the last ends, in 32 or 64 bits; their bytes
	//	views             headers of [ViewBytes]; any number of buffers of bytes
	//	a dictionary      the indices
	Buffers    [][]byte
	Dictionary *Array // the values of a dictionary
}

// buffer returns the bytes of buffer i, nil if there is none.
func (a *Array) buffer(i int) []byte {
	if i < len(a.Buffers) {
		return a.Buffers[i]
	}
	return nil
}

// valid returns which of the first rows have a value.
func (a *Array) valid(rows int) (bitmap, error) {
	m := bitmap{a.buffer(0), a.Offset}
	if len(m.bits) == 0 {
		return bitmap{}, nil
	}
	if m.offset+rows > 8*len(m.bits) {
		return m, short("a bitmap of %d bytes for %d rows", len(m.bits), m.offset+rows)
	}
	return m, nil
}

// fixed returns the bytes of the first n values of size bytes.
func (a *Array) fixed(n, size int) ([]byte, error) {
	raw, offset := a.buffer(1), a.Offset
	if n > 0 && len(raw)/size < offset+n {
		return nil, short("%d bytes hold no %d values of %d bytes", len(raw), offset+n, size)
	}
	if n == 0 {
		return nil, nil
	}
	return raw[offset*size : (offset+n)*size], nil
}

func short(format string, args ...any) error {
	return fmt.Errorf("%w: %s", colstore.ErrFormat, fmt.Sprintf(format, args...))
}
