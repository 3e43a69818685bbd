package cstore

import (
	"io"
	"sync"
)

// headSize is what is read of a file at once when it is opened: the header of some fifty columns and the first record's.
const headSize = 4096

// headReader reads the beginning of a file from memory.
type headReader struct {
	io.ReaderAt
	head []byte
}

// ReadAt implements io.ReaderAt.
func (r *headReader) ReadAt(b []byte, off int64) (int, error) {
	if off+int64(len(b)) <= int64(len(r.head)) {
		return copy(b, r.head[off:]), nil
	}
	return r.ReaderAt.ReadAt(b, off)
}

var heads = sync.Pool{New: func() any { return new([headSize]byte) }}

// withHead calls f with a reader of the same bytes, of which the first are read by one call.
func withHead(file io.ReaderAt, f func(r io.ReaderAt) error) error {
	buf := heads.Get().(*[headSize]byte)
	defer heads.Put(buf)
	n, _ := file.ReadAt(buf[:], 0) // what is wrong is noticed where it matters
	return f(&headReader{file, buf[:n]})
}
