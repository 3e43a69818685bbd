package spool

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
)

// PieceBytes is the size of the buffer through which columns that cannot be written as they lie are written.
const PieceBytes = 256 << 10

// writeStep bounds one system call, so that a cancelled run does not wait for a gigabyte.
const writeStep = 8 << 20

// Pieces hands the values of c to f as plain columns: in one piece if it is plain, else through a buffer. row is the first
// row of the piece.
func Pieces(c colstore.Column, f func(row int, piece colstore.Column) error) error {
	if c.Rows() == 0 {
		return nil
	}
	if c.IsPlain() {
		return f(0, c)
	}
	t := c.Type()
	size := t.Size()
	rows := max(1, PieceBytes/size)
	buf := make([]byte, min(rows, c.Rows())*size)
	for at := 0; at < c.Rows(); at += rows {
		part := c.Slice(at, min(at+rows, c.Rows()), 1)
		kernel.Load(buf[:part.Rows()*size], part)
		if err := f(at, colstore.RawColumn(t.Native(), part.Rows(), size, unsafe.Pointer(unsafe.SliceData(buf)))); err != nil {
			return err
		}
	}
	return nil
}

// WriteColumn writes the values of c from off on.
func WriteColumn(w io.WriterAt, c colstore.Column, off int64) error {
	return Pieces(c, func(row int, piece colstore.Column) error {
		data, _ := piece.Bytes()
		return WriteAt(w, data, off+int64(row*c.Type().Size()))
	})
}

// WriteAt writes p from off on.
//
// Errors: colstore.ErrTruncated, naming that file, if p lies in a mapping whose file was cut; those of w.
func WriteAt(w io.WriterAt, p []byte, off int64) error {
	for len(p) > 0 {
		n := min(len(p), writeStep)
		if _, err := w.WriteAt(p[:n], off); err != nil {
			if errors.Is(err, syscall.EFAULT) {
				// The bytes lie in a mapping whose file was cut, which the system reports instead of raising a fault.
				if err := fault.Find(p[:n]); err != nil {
					return err
				}
				return fmt.Errorf("%w: the input was cut while it was read, and has grown again", colstore.ErrTruncated)
			}
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}
