package meta

import (
	"encoding/binary"
	"fmt"

	"github.com/colstore/colstore-go"
)

// wire is the type of a field or list item in the compact protocol.
type wire uint8

const (
	wireStop   wire = 0
	wireTrue   wire = 1
	wireFalse  wire = 2
	wireByte   wire = 3
	wireI16    wire = 4
	wireI32    wire = 5
	wireI64    wire = 6
	wireDouble wire = 7
	wireBinary wire = 8
	wireList   wire = 9
	wireSet    wire = 10
	wireMap    wire = 11
	wireStruct wire = 12
	wireUUID   wire = 13
)

// maxDepth is how deep unknown structures may nest: skipping one is recursive, and a stack that overflows cannot be
// recovered from.
const maxDepth = 64

// reader takes values off a buffer. After the first error every method returns zero, so that errors are looked at once.
type reader struct {
	b     []byte
	pos   int
	depth int
	short bool // the buffer ended inside a value
	err   error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: metadata: "+format, append([]any{colstore.ErrFormat}, args...)...)
	}
}

func (r *reader) cut() {
	if r.err == nil {
		r.short = true
		r.err = fmt.Errorf("%w: the metadata ends inside a value", colstore.ErrTruncated)
	}
}

func (r *reader) byte() byte {
	if r.err != nil {
		return 0
	}
	if r.pos >= len(r.b) {
		r.cut()
		return 0
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *reader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.pos:])
	switch {
	case n == 0:
		r.cut()
		return 0
	case n < 0:
		r.fail("a number has more than 64 bits")
		return 0
	}
	r.pos += n
	return v
}

func (r *reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// bytes returns the next n bytes, shared with the buffer.
func (r *reader) bytes(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	if n > uint64(len(r.b)-r.pos) {
		r.cut()
		return nil
	}
	r.pos += int(n)
	return r.b[r.pos-int(n) : r.pos : r.pos]
}

// expect checks the type of a field whose value comes next.
func (r *reader) expect(got, want wire) bool {
	if r.err == nil && got != want {
		r.fail("a field is of type %d, not %d", got, want)
	}
	return r.err == nil
}

func (r *reader) i64(t wire) int64 {
	if !r.expect(t, wireI64) {
		return 0
	}
	return r.varint()
}

func (r *reader) i32(t wire) int32 {
	if !r.expect(t, wireI32) {
		return 0
	}
	return r.small()
}

// small reads an integer of 32 bits.
func (r *reader) small() int32 {
	v := r.varint()
	if int64(int32(v)) != v {
		r.fail("%d is beyond 32 bits", v)
		return 0
	}
	return int32(v)
}

func (r *reader) i8(t wire) int8 {
	if !r.expect(t, wireByte) {
		return 0
	}
	return int8(r.byte())
}

// bool reads a field's bool, which is its type.
func (r *reader) bool(t wire) bool {
	if r.err == nil && t != wireTrue && t != wireFalse {
		r.fail("a field is of type %d, not a bool", t)
	}
	return t == wireTrue
}

func (r *reader) binary(t wire) []byte {
	if !r.expect(t, wireBinary) {
		return nil
	}
	return r.bytes(r.uvarint())
}

func (r *reader) string(t wire) string { return string(r.binary(t)) }

// fields calls f for every field of the structure that comes next. f must take the value off, or skip it.
func (r *reader) fields(f func(id int16, t wire)) {
	if r.depth++; r.depth > maxDepth {
		r.fail("structures nest more than %d deep", maxDepth)
	}
	last := int16(0)
	for r.err == nil {
		b := r.byte()
		if r.err != nil || wire(b) == wireStop {
			break
		}
		id := last + int16(b>>4)
		if b>>4 == 0 {
			id = int16(r.varint())
		}
		last = id
		if r.err == nil {
			f(id, wire(b&15))
		}
	}
	r.depth--
}

// structure is fields for a field that must be a structure.
func (r *reader) structure(t wire, f func(id int16, t wire)) {
	if r.expect(t, wireStruct) {
		r.fields(f)
	}
}

// list calls f for every item of the list that comes next, whose items must be of type item.
func (r *reader) list(t, item wire, f func(i int)) {
	if !r.expect(t, wireList) {
		return
	}
	n, got := r.listHeader()
	if n > 0 {
		r.expect(got, item)
	}
	for i := 0; i < n && r.err == nil; i++ {
		f(i)
	}
}

// listHeader returns the number and type of the items. Each takes a byte at least, which bounds their number.
func (r *reader) listHeader() (n int, item wire) {
	b := r.byte()
	size := uint64(b >> 4)
	if size == 15 {
		size = r.uvarint()
	}
	if r.err == nil && size > uint64(len(r.b)-r.pos) {
		r.cut()
	}
	if r.err != nil {
		return 0, 0
	}
	return int(size), wire(b & 15)
}

// skip passes over the value of a field.
func (r *reader) skip(t wire) {
	switch t {
	case wireTrue, wireFalse: // the value of a field is in its type
	default:
		r.skipItem(t)
	}
}

// skipItem passes over a value in a list or map, where a bool has a byte of its own.
func (r *reader) skipItem(t wire) {
	if r.err != nil {
		return
	}
	switch t {
	case wireTrue, wireFalse, wireByte:
		r.byte()
	case wireI16, wireI32, wireI64:
		r.uvarint()
	case wireDouble:
		r.bytes(8)
	case wireUUID:
		r.bytes(16)
	case wireBinary:
		r.bytes(r.uvarint())
	case wireStruct:
		r.fields(func(_ int16, t wire) { r.skip(t) })
	case wireList, wireSet, wireMap:
		r.skipMany(t)
	default:
		r.fail("a field has the unknown type %d", t)
	}
}

func (r *reader) skipMany(t wire) {
	if r.depth++; r.depth > maxDepth {
		r.fail("structures nest more than %d deep", maxDepth)
		return
	}
	defer func() { r.depth-- }()
	if t != wireMap {
		n, item := r.listHeader()
		for range n {
			if r.skipItem(item); r.err != nil {
				return
			}
		}
		return
	}
	n := r.uvarint()
	if n == 0 || r.err != nil {
		return
	}
	kinds := r.byte()
	if n > uint64(len(r.b)) {
		r.cut()
	}
	for range n {
		r.skipItem(wire(kinds >> 4))
		if r.skipItem(wire(kinds & 15)); r.err != nil {
			return
		}
	}
}

// writer appends values to a buffer. Fields of a structure must come in the order of their numbers.
type writer struct {
	b    []byte
	last int16
}

func (w *writer) uvarint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) varint(v int64)   { w.b = binary.AppendVarint(w.b, v) }

func (w *writer) field(id int16, t wire) {
	if d := id - w.last; d > 0 && d < 16 {
		w.b = append(w.b, byte(d)<<4|byte(t))
	} else {
		w.b = append(w.b, byte(t))
		w.varint(int64(id))
	}
	w.last = id
}

func (w *writer) i32(id int16, v int32) {
	w.field(id, wireI32)
	w.varint(int64(v))
}

func (w *writer) i64(id int16, v int64) {
	w.field(id, wireI64)
	w.varint(v)
}

func (w *writer) i8(id int16, v int8) {
	w.field(id, wireByte)
	w.b = append(w.b, byte(v))
}

func (w *writer) bool(id int16, v bool) {
	if v {
		w.field(id, wireTrue)
	} else {
		w.field(id, wireFalse)
	}
}

func (w *writer) binary(id int16, v []byte) {
	w.field(id, wireBinary)
	w.text(v)
}

func (w *writer) string(id int16, v string) { w.binary(id, []byte(v)) }

func (w *writer) text(v []byte) {
	w.uvarint(uint64(len(v)))
	w.b = append(w.b, v...)
}

// structure appends a field that is a structure, whose fields f appends.
func (w *writer) structure(id int16, f func()) {
	w.field(id, wireStruct)
	w.fields(f)
}

// fields appends a structure without a field header: a list item, or the outermost one.
func (w *writer) fields(f func()) {
	last := w.last
	w.last = 0
	f()
	w.b = append(w.b, byte(wireStop))
	w.last = last
}

// list appends a field that is a list of n items, of which f appends item i.
func (w *writer) list(id int16, item wire, n int, f func(i int)) {
	w.field(id, wireList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|byte(item))
	} else {
		w.b = append(w.b, 15<<4|byte(item))
		w.uvarint(uint64(n))
	}
	for i := range n {
		f(i)
	}
}
