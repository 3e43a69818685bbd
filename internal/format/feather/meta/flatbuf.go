package meta

import (
	"encoding/binary"
	"fmt"

	"github.com/colstore/colstore-go"
)

// A buffer is a Flatbuffer that is read. The first damage is kept, and everything is zero from then on.
type buffer struct {
	b      []byte
	visits int // tables that may still be visited
	chars  int // bytes of text that may still be taken
	err    error
}

// newBuffer returns the buffer of some bytes. A table takes 4 of them or more, and texts take their own: offsets that cross
// could make a small buffer endless.
func newBuffer(b []byte) *buffer { return &buffer{b: b, visits: len(b)/4 + 1, chars: len(b)} }

func (b *buffer) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%w: %s", colstore.ErrFormat, fmt.Sprintf(format, args...))
	}
}

// has reports whether n bytes at an offset are there; if not, that is a damage.
func (b *buffer) has(at, n int) bool {
	if b.err == nil && (at < 0 || n < 0 || at > len(b.b)-n) {
		b.fail("the metadata point to byte %d of %d", at, len(b.b))
	}
	return b.err == nil
}

func (b *buffer) u16(at int) int {
	if !b.has(at, 2) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b.b[at:]))
}

func (b *buffer) u32(at int) int {
	if !b.has(at, 4) {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b.b[at:]))
}

func (b *buffer) i32(at int) int { return int(int32(b.u32(at))) }

func (b *buffer) i64(at int) int64 {
	if !b.has(at, 8) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(b.b[at:]))
}

// A table is a table of a buffer; the zero table has no fields.
type table struct {
	b      *buffer
	at     int
	vtable int
	slots  int
}

func (b *buffer) root() table { return b.table(b.u32(0)) }

func (b *buffer) table(at int) table {
	if b.visits--; b.visits < 0 {
		b.fail("the metadata have more parts than bytes")
	}
	vtable := at - b.i32(at)
	size := b.u16(vtable)
	if b.err == nil && size < 4 {
		b.fail("a table of the metadata is damaged")
	}
	if b.err != nil {
		return table{b: b}
	}
	return table{b, at, vtable, (size - 4) / 2}
}

// field returns the offset of a field's value, 0 if it has its default.
func (t table) field(slot int) int {
	if slot >= t.slots {
		return 0
	}
	off := t.b.u16(t.vtable + 4 + 2*slot)
	if off == 0 || t.b.err != nil {
		return 0
	}
	return t.at + off
}

func (t table) u8(slot, preset int) int {
	if at := t.field(slot); at > 0 && t.b.has(at, 1) {
		return int(t.b.b[at])
	}
	return preset
}

func (t table) bool(slot int) bool { return t.u8(slot, 0) != 0 }

func (t table) i16(slot, preset int) int {
	if at := t.field(slot); at > 0 {
		return int(int16(t.b.u16(at)))
	}
	return preset
}

func (t table) i32(slot, preset int) int {
	if at := t.field(slot); at > 0 {
		return t.b.i32(at)
	}
	return preset
}

func (t table) i64(slot int) int64 {
	if at := t.field(slot); at > 0 {
		return t.b.i64(at)
	}
	return 0
}

// ref returns where the offset in a field leads.
func (t table) ref(slot int) (at int, ok bool) {
	at = t.field(slot)
	if at == 0 {
		return 0, false
	}
	at += t.b.u32(at)
	return at, t.b.err == nil
}

// child returns the table in a field, the zero table if there is none.
func (t table) child(slot int) (c table, ok bool) {
	at, ok := t.ref(slot)
	if !ok {
		return table{b: t.b}, false
	}
	return t.b.table(at), t.b.err == nil
}

func (t table) text(slot int) string {
	at, ok := t.ref(slot)
	if !ok {
		return ""
	}
	n := t.b.u32(at)
	if !t.b.has(at+4, n) {
		return ""
	}
	if t.b.chars -= n; t.b.chars < 0 {
		t.b.fail("the metadata have more text than bytes")
		return ""
	}
	return string(t.b.b[at+4 : at+4+n])
}

// vector returns the offset of the elements in a field, and their number.
func (t table) vector(slot, size int) (at, n int) {
	at, ok := t.ref(slot)
	if !ok {
		return 0, 0
	}
	n = t.b.u32(at)
	if n > len(t.b.b)/size || !t.b.has(at+4, n*size) {
		t.b.fail("the metadata list %d parts in %d bytes", n, len(t.b.b))
		return 0, 0
	}
	return at + 4, n
}

// tables calls f for the tables that a field lists.
func (t table) tables(slot int, f func(c table)) {
	at, n := t.vector(slot, 4)
	for i := range n {
		p := at + 4*i
		if c := t.b.table(p + t.b.u32(p)); t.b.err == nil {
			f(c)
		}
	}
}
