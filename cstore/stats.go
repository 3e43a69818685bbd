package cstore

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"math/bits"

	"github.com/colstore/colstore-go"
)

const (
	statsMagic   = "CSTAT\x00\x01\x00"
	statsVersion = 1
	statsFixed   = len(statsMagic) + 12
)

// bounds is what a footer holds of one column: for each record the least and greatest value and whether they are usable.
type bounds struct {
	typ    colstore.DType
	lo, hi []byte // records × size, in the column's dtype
	usable []byte
}

// stats is a footer: bounds of every column, over the same records.
type stats struct {
	records int
	columns []bounds
}

// bounds returns the least and the greatest value of a column in a record, each a column of one row. ok is false where
// the file has no usable statistics for it.
func (s *stats) bounds(column, record int) (lo, hi colstore.Column, ok bool) {
	if s == nil || s.columns[column].usable[record] != 1 {
		return lo, hi, false
	}
	b := &s.columns[column]
	at, end := record*b.typ.Size(), (record+1)*b.typ.Size()
	lo, errLo := colstore.NewColumn(b.typ, 1, b.lo[at:end])
	hi, errHi := colstore.NewColumn(b.typ, 1, b.hi[at:end])
	return lo, hi, errLo == nil && errHi == nil
}

// readStats returns the footer of a file, or nil if it has none that fits: statistics are advisory, and whatever is
// wrong with them only makes reading slower.
func readStats(r io.ReaderAt, h *header, committedEnd int64) *stats {
	at := h.statsOffset
	if at < committedEnd || at > h.size {
		return nil
	}
	// What a footer for these records takes is known; nothing longer is read.
	want, ok := statsSize(h.schema, h.records)
	if !ok || h.size-at != want {
		return nil
	}
	raw := make([]byte, want)
	if readFull(r, raw, at) != nil {
		return nil
	}
	body, sum := raw[:want-4], raw[want-4:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return nil
	}
	fixed := statsHeader(h.schema, int(h.records))
	if !bytes.HasPrefix(body, fixed) {
		return nil
	}
	body = body[len(fixed):]
	s := &stats{records: int(h.records)}
	take := func(n int) []byte {
		part := body[:n:n]
		body = body[n:]
		return part
	}
	for _, f := range h.schema.All() {
		size := f.Type.Size() * s.records
		s.columns = append(s.columns, bounds{f.Type, take(size), take(size), take(s.records)})
	}
	return s
}

// statsSize returns the size of a footer, or false if there is none of that many records and such names.
func statsSize(s *colstore.Schema, records int64) (int64, bool) {
	size := int64(statsFixed) + 4
	for _, f := range s.All() {
		hi, per := bits.Mul64(uint64(records), uint64(2*f.Type.Size()+1))
		if hi != 0 || per > 1<<40 || len(f.Name) > math.MaxUint16 {
			return 0, false
		}
		size += int64(4+len(f.Name)+len(f.Type.String())) + int64(per)
	}
	return size, true
}

// statsHeader encodes the part of a footer that schema and record count decide.
func statsHeader(s *colstore.Schema, records int) []byte { return appendStatsHeader(nil, s, records) }

func appendStatsHeader(b []byte, s *colstore.Schema, records int) []byte {
	b = append(b, statsMagic...)
	b = binary.LittleEndian.AppendUint32(b, statsVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Len()))
	b = binary.LittleEndian.AppendUint32(b, uint32(records))
	for _, f := range s.All() {
		for _, text := range []string{f.Name, f.Type.String()} {
			b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
			b = append(b, text...)
		}
	}
	return b
}
