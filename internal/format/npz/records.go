package npz

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// The records of a zip file as Python's zipfile writes them for numpy.savez: sizes of a member's header always in 64 bits,
// since they are not known when it is first written; those of the directory in 64 bits where they must be.
const (
	directoryMagic   = "PK\x01\x02"
	endMagic         = "PK\x05\x06"
	end64Magic       = "PK\x06\x06"
	locator64Magic   = "PK\x06\x07"
	version64        = 45
	unix             = 3
	utf8Flag         = 1 << 11
	date1980         = 1<<5 | 1      // 1980-01-01: no time of writing gets into the bytes
	ownerReadsWrites = 0o600 << 16   // Unix permissions
	most32           = math.MaxInt32 // what Python puts into a field of 32 bits
	most16           = math.MaxUint16
	maxNameBytes     = most16 - len(suffix)
)

// An entry is a member that is written.
type entry struct {
	name       string // with the suffix
	method     uint16
	crc        uint32
	compressed int64
	size       int64
	at         int64
}

func (e *entry) flags() uint16 {
	for i := range len(e.name) {
		if e.name[i] >= utf8.RuneSelf {
			return utf8Flag
		}
	}
	return 0
}

// headerBytes returns the length of the record before the member's bytes.
func (e *entry) headerBytes() int64 { return int64(localHeaderSize + len(e.name) + 20) }

// appendLocal appends the record before the member's bytes.
func (e *entry) appendLocal(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, localMagic...)
	b = le.AppendUint16(b, version64)
	b = e.appendCommon(b, math.MaxUint32, math.MaxUint32)
	b = le.AppendUint16(b, 20)
	b = append(b, e.name...)
	return append64(b, e.size, e.compressed)
}

// appendCommon appends what the two records of a member share.
func (e *entry) appendCommon(b []byte, compressed, size uint32) []byte {
	le := binary.LittleEndian
	b = le.AppendUint16(b, e.flags())
	b = le.AppendUint16(b, e.method)
	b = le.AppendUint16(b, 0)
	b = le.AppendUint16(b, date1980)
	b = le.AppendUint32(b, e.crc)
	b = le.AppendUint32(b, compressed)
	b = le.AppendUint32(b, size)
	return le.AppendUint16(b, uint16(len(e.name)))
}

// append64 appends the extra field of 64-bit values.
func append64(b []byte, values ...int64) []byte {
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint16(b, uint16(8*len(values)))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// appendDirectory appends the member's record in the directory.
func (e *entry) appendDirectory(b []byte) []byte {
	le := binary.LittleEndian
	var wide []int64
	size, compressed, at := uint32(e.size), uint32(e.compressed), uint32(e.at)
	if e.size > most32 || e.compressed > most32 {
		wide = append(wide, e.size, e.compressed)
		size, compressed = math.MaxUint32, math.MaxUint32
	}
	if e.at > most32 {
		wide = append(wide, e.at)
		at = math.MaxUint32
	}
	var extra []byte
	if wide != nil {
		extra = append64(nil, wide...)
	}
	b = append(b, directoryMagic...)
	b = append(b, version64, unix)
	b = le.AppendUint16(b, version64)
	b = e.appendCommon(b, compressed, size)
	b = le.AppendUint16(b, uint16(len(extra)))
	b = append(b, make([]byte, 6)...) // no comment, first volume, binary
	b = le.AppendUint32(b, ownerReadsWrites)
	b = le.AppendUint32(b, at)
	b = append(b, e.name...)
	return append(b, extra...)
}

// appendEnd appends the records behind a directory of count members that begins at offset at and takes size bytes.
func appendEnd(b []byte, count int, at, size int64) []byte {
	le := binary.LittleEndian
	n, at32, size32 := uint16(min(count, most16)), uint32(min(at, math.MaxUint32)), uint32(min(size, math.MaxUint32))
	if count > most16 || at > most32 || size > most32 {
		b = append(b, end64Magic...)
		b = le.AppendUint64(b, 44) // the rest of this record
		b = le.AppendUint16(b, version64)
		b = le.AppendUint16(b, version64)
		b = append(b, make([]byte, 8)...) // one volume
		b = le.AppendUint64(b, uint64(count))
		b = le.AppendUint64(b, uint64(count))
		b = le.AppendUint64(b, uint64(size))
		b = le.AppendUint64(b, uint64(at))
		b = append(b, locator64Magic...)
		b = le.AppendUint32(b, 0)
		b = le.AppendUint64(b, uint64(at+size))
		b = le.AppendUint32(b, 1)
	}
	b = append(b, endMagic...)
	b = append(b, make([]byte, 4)...)
	b = le.AppendUint16(b, n)
	b = le.AppendUint16(b, n)
	b = le.AppendUint32(b, size32)
	b = le.AppendUint32(b, at32)
	return append(b, 0, 0) // no comment
}
