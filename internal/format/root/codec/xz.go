package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"

	"github.com/colstore/colstore-go"
)

// The container of xz is read here and only the LZMA2 data by the library, whose own reader allocates the dictionary
// that a block asks for: 8 MiB for a block of 30 KiB at the usual level, up to 4 GiB in a hostile one. No dictionary is
// ever needed that is larger than what is decompressed.

const (
	xzMagic       = "\xfd7zXZ\x00"
	xzFooter      = "YZ"
	xzHeaderBytes = 12 // magic, flags, CRC32
	xzFilterLZMA2 = 0x21
	xzHasPacked   = 0x40 // flags of a block
	xzHasSize     = 0x80
)

var errXZ = errors.New("not an xz stream of one LZMA2 block")

// xzChecks are the bytes of the checksum behind a block, by the kind that the stream's flags name.
var xzChecks = map[byte]int{0: 0, 1: 4, 4: 8, 10: 32}

// decodeXZ decompresses an xz stream of one block, which is what ROOT writes.
//
// Source: The .xz File Format 1.1.0, sections 2 to 4.
func decodeXZ(dst, src []byte) (int, error) {
	if len(src) < xzHeaderBytes+8 || string(src[:6]) != xzMagic || src[6] != 0 ||
		binary.LittleEndian.Uint32(src[8:]) != crc32.ChecksumIEEE(src[6:8]) {
		return 0, errXZ
	}
	kind := src[7]
	sumBytes, known := xzChecks[kind]
	block := src[xzHeaderBytes:]
	size := 4 * (int(block[0]) + 1) // of the block's header, its CRC32 included
	if !known || block[0] == 0 || size > len(block) ||
		binary.LittleEndian.Uint32(block[size-4:]) != crc32.ChecksumIEEE(block[:size-4]) || !isPlainLZMA2(block[1:size-4]) {
		return 0, errXZ
	}
	in := bytes.NewReader(block[size:])
	r, err := lzma.Reader2Config{DictCap: max(lzma.MinDictCap, len(dst))}.NewReader2(in)
	if err != nil {
		return 0, err
	}
	n, err := fill(dst, r)
	if err != nil {
		return n, err
	}
	// The data are padded to a multiple of 4, then come their checksum, the index and the footer.
	rest := block[len(block)-in.Len():]
	pad := -(len(block) - in.Len()) & 3
	if len(rest) < pad+sumBytes {
		return n, io.ErrUnexpectedEOF
	}
	if err := checkXZ(kind, dst, rest[pad:pad+sumBytes]); err != nil {
		return n, err
	}
	rest = rest[pad+sumBytes:]
	if len(rest) < xzHeaderBytes || rest[0] != 0 || string(rest[len(rest)-2:]) != xzFooter {
		return n, errXZ
	}
	return n, nil
}

// isPlainLZMA2 reports whether a block's header, from its flags on, has that filter alone.
func isPlainLZMA2(h []byte) bool {
	flags := h[0]
	h = h[1:]
	if flags&^byte(xzHasPacked|xzHasSize) != 0 { // one filter, nothing that is reserved
		return false
	}
	for _, bit := range []byte{xzHasPacked, xzHasSize} {
		if flags&bit != 0 {
			_, n := binary.Uvarint(h)
			if n <= 0 {
				return false
			}
			h = h[n:]
		}
	}
	return len(h) >= 3 && h[0] == xzFilterLZMA2 && h[1] == 1
}

// checkXZ compares the checksum of decompressed bytes. SHA-256, which ROOT does not write, is not computed.
func checkXZ(kind byte, data, want []byte) error {
	var got, stored uint64
	switch kind {
	case 1:
		got, stored = uint64(crc32.ChecksumIEEE(data)), uint64(binary.LittleEndian.Uint32(want))
	case 4:
		got, stored = crc64.Checksum(data, crc64.MakeTable(crc64.ECMA)), binary.LittleEndian.Uint64(want)
	}
	if got != stored {
		return fmt.Errorf("%w: CRC %x, computed %x", colstore.ErrChecksum, stored, got)
	}
	return nil
}
