package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// Spare is how much capacity beyond its length a buffer should have for [Decoder.Decode] not to need one of its own.
const Spare = 64

// A Decoder decompresses pages. The zero Decoder is ready.
type Decoder struct {
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
	src    bytes.Reader
}

// Decode decompresses src into dst, which it fills.
//
// Errors: colstore.ErrFormat for bytes that are damaged or of another size than len(dst), colstore.ErrType for a
// codec that is not supported.
func (d *Decoder) Decode(c meta.Codec, dst, src []byte) error {
	n, err := d.decode(c, dst, src)
	switch {
	case err != nil:
		return err
	case n != len(dst):
		return fmt.Errorf("%w: %s gave %d bytes of the %d that the page declares", colstore.ErrFormat, c, n, len(dst))
	}
	return nil
}

func (d *Decoder) decode(c meta.Codec, dst, src []byte) (n int, err error) {
	switch c {
	case meta.Uncompressed:
		n = copy(dst, src)
		if len(src) > len(dst) {
			n = len(src)
		}
	case meta.Snappy:
		n, err = s2.DecodedLen(src)
		if err == nil && n == len(dst) {
			_, err = s2.Decode(dst, src)
		}
	case meta.Zstd:
		n, err = d.decodeZstd(dst, src)
	case meta.LZ4Raw:
		n, err = decodeLZ4(dst, src)
	case meta.LZ4:
		n, err = decodeHadoop(dst, src)
	case meta.Gzip:
		d.src.Reset(src)
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		if err = d.gzip.Reset(&d.src); err == nil {
			n, err = readAll(d.gzip, dst)
		}
	case meta.Brotli:
		d.src.Reset(src)
		if d.brotli == nil {
			d.brotli = brotli.NewReader(nil)
		}
		if err = d.brotli.Reset(&d.src); err == nil {
			n, err = readAll(d.brotli, dst)
		}
	default:
		return 0, fmt.Errorf("%w: pages compressed with %s are not supported; write the file again with zstd or snappy", colstore.ErrType, c)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: the %s data of a page are damaged: %w", colstore.ErrFormat, c, err)
	}
	return n, nil
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
	out, err := d.zstd.DecodeAll(src, dst[:0])
	if err == nil && len(out) == len(dst) && len(dst) > 0 && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return len(out), err
}

func decodeLZ4(dst, src []byte) (int, error) {
	if len(dst) == 0 && (len(src) == 0 || len(src) == 1 && src[0] == 0) {
		return 0, nil // one token without anything, which the library refuses
	}
	return lz4.UncompressBlock(src, dst)
}

// decodeHadoop decodes the framing that Hadoop put around LZ4 blocks: both sizes, big-endian, before each. Some writers
// left it out, so bytes that are no such frame are taken as one block.
func decodeHadoop(dst, src []byte) (int, error) {
	n, rest := 0, src
	for len(rest) > 8 {
		size, packed := binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])
		if uint64(size) > uint64(len(dst)-n) || uint64(packed) > uint64(len(rest)-8) {
			break
		}
		k, err := decodeLZ4(dst[n:n+int(size)], rest[8:8+packed])
		if err != nil || k != int(size) {
			break
		}
		n, rest = n+k, rest[8+packed:]
	}
	if n == len(dst) && len(rest) == 0 {
		return n, nil
	}
	return decodeLZ4(dst, src)
}

// readAll fills dst from r and returns how many bytes r had, one more than fit if there were more.
func readAll(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err == io.EOF || err == io.ErrUnexpectedEOF && n < len(dst) {
		return n, err
	}
	if err != nil {
		return n, err
	}
	var more [1]byte
	switch k, err := r.Read(more[:]); {
	case k > 0:
		return n + 1, nil
	case err == io.EOF || err == nil:
		return n, nil
	default:
		return n, err
	}
}
