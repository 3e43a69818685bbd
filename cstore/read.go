package cstore

import (
	"os"
	"sync"
	"unsafe"

	"github.com/colstore/colstore-go"
)

// smallShare is the most bytes of a column that are worth a copy. What a batch shows of a mapping costs a fault and, when it
// is given back, a call for every column, and each may bring 2 MiB into memory; below this, reading takes less of both
// (docs/decisions/0019-opening-thousands.md).
const smallShare = 256 << 10

// isSmall reports whether a batch of so many rows takes little of each column.
func isSmall(s *colstore.Schema, rows int64) bool {
	for _, f := range s.All() {
		if rows*int64(f.Type.Size()) > smallShare {
			return false
		}
	}
	return true
}

// buffers are those of batches that were read and released.
var buffers sync.Pool

// read returns the rows at of a record, in memory of their own.
func (r *Reader) read(s *colstore.Schema, picked []int, rec record, at colstore.Range) (*colstore.Batch, error) {
	n := int64(s.RowBytes()) * at.Rows()
	buf, _ := buffers.Get().(*[]byte)
	if buf == nil || int64(cap(*buf)) < n {
		fresh := make([]byte, n)
		buf = &fresh
	}
	*buf = (*buf)[:n]
	release := func() { buffers.Put(buf) }
	cols := make([]colstore.Column, len(picked))
	base := unsafe.Pointer(unsafe.SliceData(*buf))
	err := r.lazy.in.Use(func(f *os.File) error {
		var begin, from, end int64 // what is to be read next: bytes of the buffer, and where they lie in the file
		flush := func() error {
			if begin == end {
				return nil
			}
			return readFull(f, (*buf)[begin:end], from)
		}
		for i, c := range picked {
			t := r.schema.Field(c).Type
			offset := rec.offset(r.prefix[c], t.Size(), at.Begin)
			if i == 0 || from+(end-begin) != offset { // columns that lie one behind the other are read at once
				if err := flush(); err != nil {
					return err
				}
				begin, from = end, offset
			}
			cols[i] = colstore.RawColumn(t, int(at.Rows()), t.Size(), unsafe.Add(base, end))
			end += at.Rows() * int64(t.Size())
		}
		return flush()
	})
	if err != nil {
		release()
		return nil, err
	}
	return colstore.NewOwnedBatch(s, at, release, cols...)
}
