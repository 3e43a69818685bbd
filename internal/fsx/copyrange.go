package fsx

import (
	"errors"
	"fmt"
	"io"
)

// A RangeCopier is a [File] that copies bytes of another without passing them through the program.
type RangeCopier interface {
	// CopyRange copies up to n bytes of src from srcOff on to off, and returns how many it copied: 0 without an error
	// is the end of src. errors.ErrUnsupported means that these two files need the plain copy; nothing was copied then.
	CopyRange(off int64, src File, srcOff, n int64) (int64, error)
}

// copyBuffer is what the plain copy holds.
const copyBuffer = 1 << 20

// CopyRange copies n bytes of src from srcOff on to dst from off on: inside the kernel where dst can, else through a
// buffer.
//
// Errors: io.ErrUnexpectedEOF if src ends before; those of the file system.
func CopyRange(dst File, off int64, src File, srcOff, n int64) error {
	if c, ok := dst.(RangeCopier); ok {
		for n > 0 {
			done, err := c.CopyRange(off, src, srcOff, n)
			if errors.Is(err, errors.ErrUnsupported) {
				break
			}
			if err != nil {
				return err
			}
			if done == 0 {
				return fmt.Errorf("%w at offset %d", io.ErrUnexpectedEOF, srcOff)
			}
			off, srcOff, n = off+done, srcOff+done, n-done
		}
	}
	return copyPlain(dst, off, src, srcOff, n)
}

func copyPlain(dst io.WriterAt, off int64, src io.ReaderAt, srcOff, n int64) error {
	buf := make([]byte, min(n, copyBuffer))
	for n > 0 {
		part := buf[:min(n, int64(len(buf)))]
		if k, err := src.ReadAt(part, srcOff); k < len(part) {
			if err == nil || errors.Is(err, io.EOF) {
				err = fmt.Errorf("%w at offset %d", io.ErrUnexpectedEOF, srcOff+int64(k))
			}
			return err
		}
		if _, err := dst.WriteAt(part, off); err != nil {
			return err
		}
		off, srcOff, n = off+int64(len(part)), srcOff+int64(len(part)), n-int64(len(part))
	}
	return nil
}
