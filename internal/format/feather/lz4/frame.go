package lz4

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The parts of a frame.
const (
	magic        = 0x184d2204
	version      = 1 << 6
	independent  = 1 << 5
	blockSums    = 1 << 4
	contentSize  = 1 << 3
	contentSum   = 1 << 2
	dictionaryID = 1 << 0
	rawBlock     = 1 << 31 // in a block's length: it is stored
	smallest     = 4       // number of the block size 64 KiB; each following is four times as large
	largest      = 7
	reach        = 64 << 10 // how far back a block may refer
)

// ErrMore is returned for a frame that holds more than it was said to.
var ErrMore = errors.New("the frame holds more")

// A Header is what begins a frame.
type Header struct {
	Block      int  // most bytes of a block, decoded
	Linked     bool // blocks refer to what is before them
	BlockSums  bool
	ContentSum bool
	bytes      int
}

// MaxHeader is the length of the longest header.
const MaxHeader = 19

// ParseHeader reads the header at the beginning of a frame, of which MaxHeader bytes are enough.
func ParseHeader(src []byte) (Header, error) {
	if len(src) < 7 {
		return Header{}, io.ErrUnexpectedEOF
	}
	if got := binary.LittleEndian.Uint32(src); got != magic {
		return Header{}, fmt.Errorf("bad magic number %#08x", got)
	}
	flags, size := src[4], int(src[5]>>4&7)
	h := Header{Linked: flags&independent == 0, BlockSums: flags&blockSums != 0, ContentSum: flags&contentSum != 0, bytes: 7}
	switch {
	case flags>>6 != version>>6 || size < smallest:
		return Header{}, errors.New("a version or block size that there is not")
	case flags&dictionaryID != 0:
		return Header{}, errors.New("a dictionary from elsewhere")
	}
	h.Block = 64 << 10 << (2 * (size - smallest))
	if flags&contentSize != 0 {
		h.bytes += 8
	}
	if len(src) < h.bytes {
		return Header{}, io.ErrUnexpectedEOF
	}
	if byte(sumOf(src[4:h.bytes-1])>>8) != src[h.bytes-1] {
		return Header{}, errors.New("the checksum of the frame's header is wrong")
	}
	return h, nil
}

// Holds returns what a Reader holds between two reads of a frame that decodes to size bytes.
func (h Header) Holds(size int64) int64 {
	held := int64(h.Block)
	if h.Linked {
		held += reach
	}
	return min(held, size)
}

// CanResume reports whether reading can go on at any block.
func (h Header) CanResume() bool { return !h.Linked && !h.ContentSum }
