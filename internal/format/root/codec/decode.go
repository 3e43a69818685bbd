package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/inflate"
)

// HeaderSize is the bytes of a block's header.
const HeaderSize = 9

// XZ is the method whose decoder allocates as much as a block declares.
const XZ = "XZ"

// MaxBlock is the most bytes that a header can declare.
const MaxBlock = 1<<24 - 1

// A Header is what precedes the bytes of a block.
type Header struct {
	Method string // two letters
	Packed int    // bytes that follow the header
	Size   int    // bytes that they decompress to
}

// ParseHeader reads the first HeaderSize bytes of b.
//
// Errors: colstore.ErrFormat for fewer bytes, an unknown method and an empty block.
func ParseHeader(b []byte) (Header, error) {
	if len(b) < HeaderSize {
		return Header{}, fmt.Errorf("%w: a compressed block of %d bytes has no header", colstore.ErrFormat, len(b))
	}
	h := Header{
		Method: string(b[:2]),
		Packed: int(b[3]) | int(b[4])<<8 | int(b[5])<<16,
		Size:   int(b[6]) | int(b[7])<<8 | int(b[8])<<16,
	}
	switch h.Method {
	case "ZL", XZ, "L4", "ZS":
	case "CS":
		return h, fmt.Errorf("%w: a block in the compression of ROOT before 2002 (CS), which is not supported; write the file again", colstore.ErrFormat)
	default:
		return h, fmt.Errorf("%w: a block of the unknown compression %q", colstore.ErrFormat, h.Method)
	}
	if h.Packed == 0 || h.Size == 0 {
		return h, fmt.Errorf("%w: a block declares %d bytes that become %d", colstore.ErrFormat, h.Packed, h.Size)
	}
	return h, nil
}

// A Decoder decompresses blocks. The zero Decoder is ready. It keeps what the libraries below it allocate, and is not
// safe for concurrent use.
type Decoder struct {
	deflate inflate.Decoder
	zstd    *zstd.Decoder
}

// Decode decompresses src, the bytes behind a block's header, into dst.
//
// Shapes: len(src) == h.Packed; len(dst) == h.Size.
// Memory: dst must not overlap src.
// Errors: colstore.ErrFormat for bytes that are damaged or of another size, colstore.ErrChecksum.
func (d *Decoder) Decode(h Header, dst, src []byte) error {
	n, err := d.decode(h.Method, dst, src)
	switch {
	case err != nil:
		return fmt.Errorf("%w: the %s data of a block are damaged: %w", colstore.ErrFormat, methods[h.Method], err)
	case n != len(dst):
		return fmt.Errorf("%w: a block gave %d bytes of the %d that it declares", colstore.ErrFormat, n, len(dst))
	}
	return nil
}

var methods = map[string]string{"ZL": "zlib", XZ: "xz", "L4": "LZ4", "ZS": "zstd"}

func (d *Decoder) decode(method string, dst, src []byte) (int, error) {
	switch method {
	case "ZL":
		return d.inflate(dst, src)
	case XZ:
		return decodeXZ(dst, src)
	case "L4":
		return decodeLZ4(dst, src)
	default:
		return d.decodeZstd(dst, src)
	}
}

const (
	zlibHeader  = 2
	zlibTrailer = 4
	zlibDeflate = 8      // in the low bits of the first byte
	zlibDict    = 1 << 5 // in the second
)

// inflate decompresses a zlib stream.
//
// Source: RFC 1950.
func (d *Decoder) inflate(dst, src []byte) (int, error) {
	if len(src) < zlibHeader || src[0]&15 != zlibDeflate || binary.BigEndian.Uint16(src)%31 != 0 || src[1]&zlibDict != 0 {
		return 0, errors.New("no zlib header")
	}
	n, in, err := d.deflate.Inflate(dst, src[zlibHeader:])
	if err != nil {
		return n, err
	}
	rest := src[zlibHeader+in:]
	if len(rest) != zlibTrailer {
		return n, fmt.Errorf("%d bytes behind them, where a checksum should be", len(rest))
	}
	if want, got := binary.BigEndian.Uint32(rest), adler32.Checksum(dst[:n]); want != got {
		return n, fmt.Errorf("%w: Adler-32 %08x, computed %08x", colstore.ErrChecksum, want, got)
	}
	return n, nil
}

// fill reads dst from r, which must end there: only then has it checked its checksum.
func fill(dst []byte, r io.Reader) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	var more [1]byte
	switch k, err := r.Read(more[:]); {
	case k > 0:
		return n, fmt.Errorf("more than %d bytes", n)
	case err == io.EOF:
		return n, nil
	case err == nil:
		return n, io.ErrNoProgress
	default:
		return n, err
	}
}

// sumBytes is the checksum before the data of an LZ4 block.
const sumBytes = 8

func decodeLZ4(dst, src []byte) (int, error) {
	if len(src) < sumBytes {
		return 0, io.ErrUnexpectedEOF
	}
	want, packed := binary.BigEndian.Uint64(src), src[sumBytes:]
	if sum := xxhash.Sum64(packed); sum != want {
		return 0, fmt.Errorf("%w: xxh64 %016x, computed %016x", colstore.ErrChecksum, want, sum)
	}
	return lz4.UncompressBlock(packed, dst)
}

func (d *Decoder) decodeZstd(dst, src []byte) (int, error) {
	if d.zstd == nil {
		var err error
		// The cap of what is decoded is that of the buffer given, whatever a frame declares.
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
		if err != nil {
			return 0, err
		}
	}
	out, err := d.zstd.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) == len(dst) && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return len(out), err
}
