package cstore

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/invariants"
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

// maxRead is the most bytes of all batches that were read and not released yet: the heap has no place for more beside a
// budget. Beyond it batches show a mapping after all.
const maxRead = 32 << 20

// buffers are those of batches that were read and released, and reading the bytes of those that were not.
var (
	buffers sync.Pool
	reading atomic.Int64
)

// takeBuffer returns n bytes and what gives them back; ok is false if too much is read already.
func takeBuffer(n int64) (data []byte, release func(), ok bool) {
	if reading.Add(n) > maxRead {
		reading.Add(-n)
		return nil, nil, false
	}
	buf, _ := buffers.Get().(*[]byte)
	if buf == nil || int64(cap(*buf)) < n {
		fresh := make([]byte, n)
		buf = &fresh
	}
	data = (*buf)[:n]
	return data, func() {
		if invariants.Enabled {
			for i := range data {
				data[i] = 0xdb
			}
		}
		reading.Add(-n)
		buffers.Put(buf)
	}, true
}

// read returns the rows at of a record, in memory of their own; ok is false if there is no more of that.
func (r *Reader) read(s *colstore.Schema, picked []int, rec record, at colstore.Range) (_ *colstore.Batch, ok bool, err error) {
	buf, release, ok := takeBuffer(int64(s.RowBytes()) * at.Rows())
	if !ok {
		return nil, false, nil
	}
	cols := make([]colstore.Column, len(picked))
	base := unsafe.Pointer(unsafe.SliceData(buf))
	err = r.lazy.in.Use(func(f *os.File) error {
		var begin, from, end int64 // what is to be read next: bytes of the buffer, and where they lie in the file
		flush := func() error {
			if begin == end {
				return nil
			}
			return readFull(f, buf[begin:end], from)
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
		if errors.Is(err, fs.ErrClosed) {
			err = colstore.ErrClosed // meanwhile
		}
		return nil, true, fsx.Bare(err)
	}
	b, err := colstore.NewOwnedBatch(s, at, release, cols...)
	return b, true, err
}
