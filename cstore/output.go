package cstore

import (
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/spool"
)

// buffered appends to a file through a buffer that large pieces pass by.
type buffered struct {
	w   io.WriterAt
	buf []byte
	end int64 // offset of the next byte, buffered ones included
}

const bufferBytes = 256 << 10

// room appends n bytes of any content, at most bufferBytes, and returns them to be filled in. They are the caller's until
// the next call.
func (b *buffered) room(n int) ([]byte, error) {
	if len(b.buf)+n > bufferBytes {
		if err := b.flush(); err != nil {
			return nil, err
		}
	}
	if b.buf == nil {
		b.buf = make([]byte, 0, bufferBytes)
	}
	at := len(b.buf)
	b.buf = b.buf[:at+n]
	b.end += int64(n)
	return b.buf[at:], nil
}

func (b *buffered) append(p []byte) error {
	if len(p) < bufferBytes/4 {
		room, err := b.room(len(p))
		copy(room, p)
		return err
	}
	if err := b.flush(); err != nil {
		return err
	}
	if err := spool.WriteAt(b.w, p, b.end); err != nil {
		return err
	}
	b.end += int64(len(p))
	return nil
}

// flush writes what is buffered. After an error it still is.
func (b *buffered) flush() error {
	if len(b.buf) == 0 {
		return nil
	}
	if err := spool.WriteAt(b.w, b.buf, b.end-int64(len(b.buf))); err != nil {
		return err
	}
	b.buf = b.buf[:0]
	return nil
}

// rollback forgets the bytes from offset end on. Those that were written already are written over, or cut off at last.
func (b *buffered) rollback(end int64) {
	written := b.end - int64(len(b.buf))
	b.buf = b.buf[:max(0, end-written)]
	b.end = end
}

func (b *buffered) appendColumn(c colstore.Column) error {
	return spool.Pieces(c, func(_ int, piece colstore.Column) error {
		data, _ := piece.Bytes()
		return b.append(data)
	})
}

// copyWithin moves n bytes of a file from one offset to a lower one; the ranges may overlap.
func copyWithin(f interface {
	io.ReaderAt
	io.WriterAt
}, to, from, n int64,
) error {
	if to == from {
		return nil
	}
	buf := make([]byte, min(n, bufferBytes))
	for n > 0 {
		p := buf[:min(n, bufferBytes)]
		if err := readFull(f, p, from); err != nil {
			return err
		}
		if err := spool.WriteAt(f, p, to); err != nil {
			return err
		}
		to, from, n = to+int64(len(p)), from+int64(len(p)), n-int64(len(p))
	}
	return nil
}
