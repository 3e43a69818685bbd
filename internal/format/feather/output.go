package feather

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/colstore/colstore-go"
)

// outBytes is the buffer that small writes go through.
const outBytes = 256 << 10

// An output is a file that is written front to back, apart from patches.
type output struct {
	to  io.WriterAt
	at  int64 // of buf in the file
	buf []byte
}

// end returns the offset of the next byte.
func (o *output) end() int64 { return o.at + int64(len(o.buf)) }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	if len(o.buf)+len(p) > cap(o.buf) {
		if err := o.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) < cap(o.buf) {
		o.buf = append(o.buf, p...)
		return len(p), nil
	}
	if err := writeAt(o.to, p, o.at); err != nil {
		return 0, err
	}
	o.at += int64(len(p))
	return len(p), nil
}

func (o *output) flush() error {
	if len(o.buf) == 0 {
		return nil
	}
	if err := writeAt(o.to, o.buf, o.at); err != nil {
		return err
	}
	o.at += int64(len(o.buf))
	o.buf = o.buf[:0]
	return nil
}

// patch writes over bytes that were written before.
func (o *output) patch(p []byte, at int64) error {
	if at >= o.at {
		copy(o.buf[at-o.at:], p)
		return nil
	}
	if err := o.flush(); err != nil {
		return err
	}
	return writeAt(o.to, p, at)
}

func writeAt(to io.WriterAt, p []byte, at int64) error {
	_, err := to.WriteAt(p, at)
	if errors.Is(err, syscall.EFAULT) {
		// The bytes lie in a mapping whose file was cut, which the system reports instead of raising a fault.
		return fmt.Errorf("%w: the input was cut while it was read", colstore.ErrTruncated)
	}
	return err
}

// A counter counts what is written.
type counter struct {
	to io.Writer
	n  int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// memory keeps what is written, up to most bytes.
type memory struct {
	b    []byte
	most int
}

// errLarge is returned for more than memory is to keep.
var errLarge = errors.New("too large to be kept in memory")

// Write implements io.Writer.
func (m *memory) Write(p []byte) (int, error) {
	if len(p) > m.most-len(m.b) {
		return 0, errLarge
	}
	m.b = append(m.b, p...)
	return len(p), nil
}
