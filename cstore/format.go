package cstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"

	"github.com/colstore/colstore-go"
)

// The layout of a file; docs/format.md has the byte tables.
const (
	magic         = "CSTORE\x00\x01"
	countersAt    = 8
	countersSize  = 64
	countersCRC   = 24 // bytes that the counters' CRC covers
	manifestLenAt = 72
	manifestAt    = 80
	dataAlign     = 64

	recordMagic      = "REC\x01"
	recordHeaderSize = 32
	recordCRC        = 28 // bytes that a record header's CRC covers
	bodyAlign        = 8

	formatVersion = 1

	// A manifest beyond this describes some 200,000 columns; decoding it takes a multiple of its size.
	maxManifest = 1 << 24
)

// counters is the mutable block after the magic.
type counters struct {
	records     int64
	rows        int64
	statsOffset int64 // 0: no statistics
}

func (c counters) encode() []byte {
	b := make([]byte, countersSize)
	binary.LittleEndian.PutUint64(b[0:], uint64(c.records))
	binary.LittleEndian.PutUint64(b[8:], uint64(c.rows))
	binary.LittleEndian.PutUint64(b[16:], uint64(c.statsOffset))
	binary.LittleEndian.PutUint32(b[24:], crc32.ChecksumIEEE(b[:countersCRC]))
	return b
}

// header is everything before the first record.
type header struct {
	counters
	*description
	padding int64 // where the zeros behind the manifest begin
	dataAt  int64
	size    int64 // of the whole file
}

// damaged returns the format error at an offset of the file.
func damaged(at int64, format string, args ...any) error {
	return fmt.Errorf("%w at offset %d: %s", colstore.ErrFormat, at, fmt.Sprintf(format, args...))
}

func truncated(at int64, what string) error {
	return fmt.Errorf("%w at offset %d: %s", colstore.ErrTruncated, at, what)
}

func badChecksum(at int64, what string, stored, computed uint32) error {
	return fmt.Errorf("%w at offset %d: %s has %08x, its bytes give %08x", colstore.ErrChecksum, at, what, stored, computed)
}

// readHeader reads and checks the header of a file of the given size.
func readHeader(r io.ReaderAt, size int64) (*header, error) {
	var fixed [manifestAt]byte
	n := min(size, manifestAt)
	if err := readFull(r, fixed[:n], 0); err != nil {
		return nil, err
	}
	if n < int64(len(magic)) || string(fixed[:len(magic)]) != magic {
		return nil, damaged(0, "not a .cstore file (its first bytes are not the magic)")
	}
	if n < manifestAt {
		return nil, truncated(n, fmt.Sprintf("the header takes %d bytes", manifestAt))
	}
	c := fixed[countersAt : countersAt+countersSize]
	if stored, sum := binary.LittleEndian.Uint32(c[countersCRC:]), crc32.ChecksumIEEE(c[:countersCRC]); stored != sum {
		return nil, badChecksum(countersAt+countersCRC, "the counters block", stored, sum)
	}
	h := &header{size: size}
	h.records = int64(binary.LittleEndian.Uint64(c[0:]))
	h.rows = int64(binary.LittleEndian.Uint64(c[8:]))
	h.statsOffset = int64(binary.LittleEndian.Uint64(c[16:]))

	length := binary.LittleEndian.Uint64(fixed[manifestLenAt:])
	if length > uint64(size-manifestAt) {
		return nil, truncated(manifestLenAt, fmt.Sprintf("the manifest takes %d bytes, the file has %d left", length, size-manifestAt))
	}
	if length > maxManifest {
		return nil, damaged(manifestLenAt, "a manifest of %d bytes is beyond reason", length)
	}
	text := make([]byte, length)
	if err := readFull(r, text, manifestAt); err != nil {
		return nil, err
	}
	var err error
	if h.description, err = describe(text); err != nil {
		return nil, err
	}
	h.padding = manifestAt + int64(length)
	h.dataAt = align(h.padding, dataAlign)
	switch {
	case h.records < 0:
		return nil, damaged(countersAt, "%d records", h.records)
	case h.rows < 0:
		return nil, damaged(countersAt+8, "%d rows", h.rows)
	case h.records > max(0, size-h.dataAt)/recordHeaderSize:
		return nil, damaged(countersAt, "%d records do not fit into %d bytes", h.records, size)
	}
	return h, nil
}

// encodeHeader returns the bytes before the first record.
func encodeHeader(c counters, s *colstore.Schema) ([]byte, error) {
	text, err := encodeManifest(s)
	if err != nil {
		return nil, err
	}
	return joinHeader(c, text), nil
}

// joinHeader returns the bytes before the first record, of a manifest's text.
func joinHeader(c counters, text []byte) []byte {
	b := make([]byte, align(manifestAt+int64(len(text)), dataAlign))
	copy(b, magic)
	copy(b[countersAt:], c.encode())
	binary.LittleEndian.PutUint64(b[manifestLenAt:], uint64(len(text)))
	copy(b[manifestAt:], text)
	return b
}

// record is one record's place: rows of every column, from its body on.
type record struct {
	body  int64 // offset of the body
	first int64 // global row of its first row
	rows  int64
}

// offset returns where in the file the value of a row lies, in a column of that size with so many bytes of a row before it.
func (r *record) offset(prefix, size int, row int64) int64 {
	return r.body + r.rows*int64(prefix) + (row-r.first)*int64(size)
}

// readRecords walks the chain of record headers and returns the records and the end of the committed bytes.
func readRecords(r io.ReaderAt, h *header) ([]record, int64, error) {
	fail := func(i int64, err error) ([]record, int64, error) {
		return nil, 0, &colstore.Error{Record: colstore.At(i), Err: err}
	}
	records := make([]record, 0, h.records)
	at, rows := h.dataAt, int64(0)
	var b [recordHeaderSize]byte
	for i := range h.records {
		if at > h.size-recordHeaderSize {
			return fail(i, truncated(h.size, fmt.Sprintf("the record's header is at offset %d", at)))
		}
		if err := readFull(r, b[:], at); err != nil {
			return fail(i, err)
		}
		n, body, err := checkRecordHeader(b[:], at, i, h.schema.RowBytes())
		if err != nil {
			return fail(i, err)
		}
		if body > h.size-at-recordHeaderSize {
			return fail(i, truncated(h.size, fmt.Sprintf("the record's %d rows end at offset %d", n, at+recordHeaderSize+body)))
		}
		records = append(records, record{body: at + recordHeaderSize, first: rows, rows: n})
		at += recordHeaderSize + body
		rows += n // each row has at least a byte of the file, so this cannot overflow
	}
	if rows != h.rows {
		return nil, 0, damaged(countersAt+8, "the counters say %d rows, the records hold %d", h.rows, rows)
	}
	return records, at, nil
}

// checkRecordHeader returns the rows of the record whose header, at an offset of the file, is b, and its padded bytes. An
// index of -1 is any.
func checkRecordHeader(b []byte, at, index int64, rowBytes int) (rows, body int64, err error) {
	if string(b[:4]) != recordMagic {
		return 0, 0, damaged(at, "no record header")
	}
	if stored, sum := binary.LittleEndian.Uint32(b[recordCRC:]), crc32.ChecksumIEEE(b[:recordCRC]); stored != sum {
		return 0, 0, badChecksum(at+recordCRC, "the record header", stored, sum)
	}
	if i := int64(binary.LittleEndian.Uint64(b[4:])); index >= 0 && i != index {
		return 0, 0, damaged(at+4, "the record is numbered %d", i)
	}
	rows = int64(binary.LittleEndian.Uint64(b[12:]))
	body, ok := bodySize(rows, rowBytes)
	if !ok || rows < 0 {
		return 0, 0, damaged(at+12, "%d rows of %d bytes", rows, rowBytes)
	}
	return rows, body, nil
}

func encodeRecordHeader(index, rows int64) []byte {
	b := make([]byte, recordHeaderSize)
	putRecordHeader(b, index, rows)
	return b
}

func putRecordHeader(b []byte, index, rows int64) {
	copy(b, recordMagic)
	binary.LittleEndian.PutUint64(b[4:], uint64(index))
	binary.LittleEndian.PutUint64(b[12:], uint64(rows))
	binary.LittleEndian.PutUint64(b[20:], 0)
	binary.LittleEndian.PutUint32(b[recordCRC:], crc32.ChecksumIEEE(b[:recordCRC]))
}

// bodySize returns the padded bytes of rows rows, or false if that is no int64.
func bodySize(rows int64, rowBytes int) (int64, bool) {
	hi, lo := bits.Mul64(uint64(rows), uint64(rowBytes))
	if hi != 0 || lo > math.MaxInt64-bodyAlign {
		return 0, false
	}
	return align(int64(lo), bodyAlign), true
}

func align(n, to int64) int64 { return (n + to - 1) / to * to }

// readFull reads len(b) bytes at off; the end of the file before that is a truncation, since the caller has seen the
// size.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		return truncated(off+int64(n), "the file got shorter while it was read")
	}
	return err
}
