package codec

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// A Method is a codec with its level.
type Method struct {
	Codec meta.Codec
	Level int
}

// methods are the codecs that can be written. Those with a last level of 0 have none.
var methods = []struct {
	name                   string
	codec                  meta.Codec
	first, last, byDefault int
}{
	{"none", meta.Uncompressed, 0, 0, 0},
	{"snappy", meta.Snappy, 0, 0, 0},
	{"zstd", meta.Zstd, 1, 22, 3},
	{"gzip", meta.Gzip, 1, 9, 6},
	{"brotli", meta.Brotli, 0, 11, 4},
	{"lz4_raw", meta.LZ4Raw, 0, 0, 0},
}

// Methods is what [ParseMethod] takes, for messages and help.
const Methods = "none, snappy, zstd, zstd:1 to zstd:22, gzip:1 to gzip:9, brotli:0 to brotli:11, lz4_raw"

// ParseMethod reads "zstd" or "zstd:5".
//
// Errors: colstore.ErrValue.
func ParseMethod(s string) (Method, error) {
	name, level, leveled := strings.Cut(strings.ToLower(s), ":")
	for _, m := range methods {
		if m.name != name {
			continue
		}
		if !leveled {
			return Method{m.codec, m.byDefault}, nil
		}
		v, err := strconv.Atoi(level)
		if err == nil && m.last > 0 && v >= m.first && v <= m.last {
			return Method{m.codec, v}, nil
		}
	}
	return Method{}, fmt.Errorf("%w: %q is none of %s", colstore.ErrValue, s, Methods)
}

// An Encoder compresses pages by one method.
type Encoder struct {
	m      Method
	zstd   *zstd.Encoder
	gzip   *gzip.Writer
	brotli *brotli.Writer
	lz4    lz4.Compressor
	out    bytes.Buffer
}

// NewEncoder returns an encoder.
func NewEncoder(m Method) (*Encoder, error) {
	e := &Encoder{m: m}
	var err error
	switch m.Codec {
	case meta.Zstd:
		e.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(m.Level)), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(zstdWindow), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true))
	case meta.Gzip:
		e.gzip, err = gzip.NewWriterLevel(nil, m.Level)
	case meta.Brotli:
		e.brotli = brotli.NewWriterLevel(nil, m.Level)
	}
	return e, err
}

// zstdWindow is the reach of zstd: about a page, since pages are compressed apart.
const zstdWindow = 1 << 20

// Append appends src, compressed, to dst.
func (e *Encoder) Append(dst, src []byte) ([]byte, error) {
	switch e.m.Codec {
	case meta.Snappy:
		at := len(dst)
		dst = grow(dst, s2.MaxEncodedLen(len(src)))
		return dst[:at+len(s2.EncodeSnappy(dst[at:cap(dst)], src))], nil
	case meta.Zstd:
		return e.zstd.EncodeAll(src, dst), nil
	case meta.LZ4Raw:
		at := len(dst)
		if len(src) == 0 {
			return append(dst, 0), nil
		}
		// With room for the worst case compression cannot fail: what does not shrink becomes literals.
		dst = grow(dst, lz4.CompressBlockBound(len(src)))
		n, err := e.lz4.CompressBlock(src, dst[at:cap(dst)])
		if err == nil && n == 0 {
			err = fmt.Errorf("%w: lz4 made nothing of %d bytes", colstore.ErrValue, len(src))
		}
		return dst[:at+n], err
	case meta.Gzip:
		e.out.Reset()
		e.gzip.Reset(&e.out)
		return e.flush(dst, src, e.gzip)
	case meta.Brotli:
		e.out.Reset()
		e.brotli.Reset(&e.out)
		return e.flush(dst, src, e.brotli)
	default:
		return append(dst, src...), nil
	}
}

func (e *Encoder) flush(dst, src []byte, w interface {
	Write([]byte) (int, error)
	Close() error
},
) ([]byte, error) {
	if _, err := w.Write(src); err != nil {
		return dst, err
	}
	if err := w.Close(); err != nil {
		return dst, err
	}
	return append(dst, e.out.Bytes()...), nil
}

// grow makes room for n more bytes.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(b, make([]byte, n)...)[:len(b)]
}
