package cstore

import "io"

// headerReader reads the record headers of a mapped file: through the mapping while they are close to each other, so that
// a page holds many or the system maps the next one with it, else by a call each, which costs less than a page fault and
// brings no other page into memory.
type headerReader struct {
	file   io.ReaderAt
	data   []byte // the mapping
	behind int64  // the end of what was read last
}

// closeBy is the distance up to which the mapping is quicker: Linux maps 16 pages around one that is touched.
const closeBy = 16 << 10

// ReadAt implements io.ReaderAt. It is for a fault guard, since the file may be cut.
func (r *headerReader) ReadAt(b []byte, off int64) (int, error) {
	near := off-r.behind < closeBy && off >= r.behind
	r.behind = off + int64(len(b))
	if near && r.behind <= int64(len(r.data)) {
		return copy(b, r.data[off:]), nil
	}
	return r.file.ReadAt(b, off)
}
