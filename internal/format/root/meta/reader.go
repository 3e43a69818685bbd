package meta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
)

// A reader takes values from the front of bytes. After its first error it gives zeros and stays where it is.
type reader struct {
	data []byte
	at   int
	end  int // nothing is read from here on
	err  error
}

func newReader(data []byte) *reader { return &reader{data: data, end: len(data)} }

// left returns how many bytes there are.
func (r *reader) left() int { return r.end - r.at }

func (r *reader) failf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", colstore.ErrFormat, fmt.Sprintf(format, args...))
		r.at = r.end
	}
}

// take returns the next n bytes, or nil if there are fewer.
func (r *reader) take(n int) []byte {
	if n < 0 || n > r.left() {
		r.failf("%d bytes are needed at offset %d of the metadata, %d are left", n, r.at, r.left())
		return nil
	}
	b := r.data[r.at : r.at+n]
	r.at += n
	return b
}

func (r *reader) u8() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) i32() int64 { return int64(int32(r.u32())) }

func (r *reader) i64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// count reads a whole number that is stored as a float64, as old versions do.
func (r *reader) count() int64 {
	v := math.Float64frombits(uint64(r.i64()))
	if r.err == nil && (v != math.Trunc(v) || math.Abs(v) > 1<<53) {
		r.failf("%g where a count is due", v)
		return 0
	}
	return int64(v)
}

// text reads a string behind its length.
func (r *reader) text() string {
	n := int(r.u8())
	if n == math.MaxUint8 {
		n = int(r.i32())
	}
	return string(r.take(n))
}

// ended reads a string that ends with a zero byte.
func (r *reader) ended() string {
	n := bytes.IndexByte(r.data[r.at:r.end], 0)
	if n < 0 {
		r.failf("a name without an end")
		return ""
	}
	s := string(r.take(n))
	r.at++
	return s
}

const (
	hasCount   = 0x40000000 // in the number of bytes before a version
	newClass   = 0xFFFFFFFF // a tag: the class's name follows
	isClass    = 0x80000000 // in a tag: a class named before
	hasProcess = 0x10       // in the bits of an object
)

// begin reads the number of bytes and the version of a structure.
func (r *reader) begin() (version int, end int) {
	n := r.u32()
	if r.err == nil && n&hasCount == 0 {
		r.failf("a structure without the number of its bytes at offset %d of the metadata", r.at-4)
		return 0, r.end
	}
	size := int(n &^ hasCount)
	if size > r.left() {
		r.failf("a structure of %d bytes where %d are left", size, r.left())
		return 0, r.end
	}
	end = r.at + size
	return int(r.u16()), end
}

// finish goes to the end of a structure.
func (r *reader) finish(end int) {
	if r.err != nil {
		return
	}
	if end < r.at {
		r.failf("a structure has fewer bytes than its fields take")
		return
	}
	r.at = end
}

// skip passes over a structure.
func (r *reader) skip() {
	_, end := r.begin()
	r.finish(end)
}

// object passes over the base of all objects.
func (r *reader) object() {
	if r.u16()&(hasCount>>16) != 0 { // a number of bytes, then the version
		r.take(2 + 2)
	}
	r.u32()
	if r.u32()&hasProcess != 0 {
		r.u16()
	}
}

// named reads the name and title of an object.
func (r *reader) named() (name, title string) {
	_, end := r.begin()
	r.object()
	name, title = r.text(), r.text()
	r.finish(end)
	return name, title
}
