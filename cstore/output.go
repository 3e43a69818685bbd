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

func (b *buffered) append(p []byte) error {
	if len(p) < bufferBytes/4 {
		if len(b.buf)+len(p) > bufferBytes {
			if err := b.flush(); err != nil {
				return err
			}
		}
		if b.buf == nil {
			b.buf = make([]byte, 0, bufferBytes)
		}
		b.buf = append(b.buf, p...)
		b.end += int64(len(p))
		return nil
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
	return copyRange(f, to, f, from, n)
}

// copyRange copies n bytes between files, front to back.
func copyRange(dst io.WriterAt, to int64, src io.ReaderAt, from, n int64) error {
	buf := make([]byte, min(n, bufferBytes))
	for n > 0 {
		p := buf[:min(n, bufferBytes)]
		if err := readFull(src, p, from); err != nil {
			return err
		}
		if err := spool.WriteAt(dst, p, to); err != nil {
			return err
		}
		to, from, n = to+int64(len(p)), from+int64(len(p)), n-int64(len(p))
	}
	return nil
}
