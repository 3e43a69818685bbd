package root

import (
	"sync"

	"github.com/colstore/colstore-go/internal/format/root/codec"
)

const (
	// aheadBytes is up to which size a basket is read at once, and how much of a larger one that is not compressed.
	aheadBytes = 256 << 10
)

// A workspace is what one thread needs to read baskets: bytes of the file and a decompressor.
type workspace struct {
	decoder codec.Decoder
	buf     []byte // the bytes of f from at on
	f       *file
	at      int64
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// giveBack ends the use of a workspace.
func (w *workspace) giveBack() {
	w.f, w.buf = nil, w.buf[:0]
	workspaces.Put(w)
}

// peek returns n bytes of a file, reading more of it, up to ahead, if it has to read at all.
//
// Memory: the bytes are valid until the next call.
func (w *workspace) peek(f *file, at, n, ahead int64) ([]byte, error) {
	if err := f.has(at, n); err != nil {
		return nil, err
	}
	if w.f != f || at < w.at || at+n > w.at+int64(len(w.buf)) {
		size := min(max(n, ahead), f.size-at)
		w.f = nil
		w.buf = grow(w.buf, int(size))
		if err := f.readAt(w.buf, at); err != nil {
			return nil, err
		}
		w.f, w.at = f, at
	}
	return w.buf[at-w.at:][:n], nil
}

// grow returns a buffer of n bytes, b if it is large enough. Its content is lost.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
