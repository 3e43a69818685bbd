package parquet

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/colstore/colstore-go"
)

// arrowKey is the metadata key under which Arrow's writers keep their own schema. It is the only place that tells a
// duration from an integer.
const arrowKey = "ARROW:schema"

// arrowDurations returns the units of the top-level fields that Arrow's schema declares as durations, by position, if its
// fields are the ones named. It never fails: what cannot be read says nothing.
func arrowDurations(text string, names []string) map[int]colstore.Unit {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	// A message is 0xFFFFFFFF and a length, or from old writers a length alone, then a flatbuffer.
	if len(raw) >= 4 && binary.LittleEndian.Uint32(raw) == 0xffffffff {
		raw = raw[4:]
	}
	if len(raw) < 8 {
		return nil
	}
	b := flatbuffer(raw[4:])
	const isSchema = 1
	message := table{b, b.pointer(0)}
	if message.uint8(1) != isSchema {
		return nil
	}
	fields := message.table(2).vector(1)
	if fields.n != len(names) {
		return nil
	}
	out := map[int]colstore.Unit{}
	for i, name := range names {
		f := fields.table(i)
		if f.string(0) != name {
			return nil
		}
		const isDuration = 18
		if f.uint8(2) != isDuration {
			continue
		}
		unit := f.table(3).int16(0, 1)
		if unit >= 0 && unit <= 3 {
			out[i] = colstore.Second + colstore.Unit(unit)
		}
	}
	return out
}

// A flatbuffer is read with every offset checked; outside it everything is zero.
type flatbuffer []byte

func (b flatbuffer) uint32(at int) int {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b[at:]))
}

func (b flatbuffer) int16(at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(int16(binary.LittleEndian.Uint16(b[at:])))
}

// pointer follows the offset stored at a place; -1 if there is none.
func (b flatbuffer) pointer(at int) int {
	if to := b.uint32(at); to > 0 && at+to < len(b) {
		return at + to
	}
	return -1
}

// A table is a structure whose fields are found through a table of offsets.
type table struct {
	b  flatbuffer
	at int
}

// field returns where field i lies; -1 if it has its default.
func (t table) field(i int) int {
	if t.at < 0 {
		return -1
	}
	offsets := t.at - int(int32(t.b.uint32(t.at)))
	if at := 4 + 2*i; at+2 <= t.b.int16(offsets) {
		if to := t.b.int16(offsets + at); to > 0 {
			return t.at + to
		}
	}
	return -1
}

func (t table) uint8(i int) byte {
	if at := t.field(i); at >= 0 && at < len(t.b) {
		return t.b[at]
	}
	return 0
}

func (t table) int16(i, byDefault int) int {
	if at := t.field(i); at >= 0 {
		return t.b.int16(at)
	}
	return byDefault
}

func (t table) table(i int) table {
	if at := t.field(i); at >= 0 {
		return table{t.b, t.b.pointer(at)}
	}
	return table{t.b, -1}
}

func (t table) string(i int) string {
	v := t.vector(i)
	if v.at < 0 || v.n > len(t.b)-v.at {
		return ""
	}
	return string(t.b[v.at : v.at+v.n])
}

// A vector is a number of items that lie back to back.
type vector struct {
	b     flatbuffer
	at, n int
}

func (t table) vector(i int) vector {
	at := t.field(i)
	if at >= 0 {
		at = t.b.pointer(at)
	}
	if at < 0 || at+4 > len(t.b) {
		return vector{t.b, -1, 0}
	}
	return vector{t.b, at + 4, t.b.uint32(at)}
}

// table returns item i of a vector of tables.
func (v vector) table(i int) table { return table{v.b, v.b.pointer(v.at + 4*i)} }
