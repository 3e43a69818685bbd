package feather

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather/lz4"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

// An lz4Decoder decodes a buffer in LZ4.
type lz4Decoder struct{ r lz4.Reader }

var lz4Decoders = sync.Pool{New: func() any { return &lz4Decoder{} }}

func newLZ4Decoder(src []byte, size int64, from lz4.Mark) (decoder, error) {
	d := lz4Decoders.Get().(*lz4Decoder)
	return d, d.r.Resume(src, size, from)
}

func (d *lz4Decoder) fill(p []byte) error { return d.r.Fill(p) }
func (d *lz4Decoder) skip(n int64) error  { return d.r.Skip(n) }
func (d *lz4Decoder) finish() error       { return d.r.Finish() }
func (d *lz4Decoder) at() int64           { return int64(d.r.At()) }

func (d *lz4Decoder) mark() (lz4.Mark, bool) { return d.r.Mark() }

func (d *lz4Decoder) close() {
	d.r.Close()
	lz4Decoders.Put(d)
}

// newZstdDecoder decodes a buffer in zstd. One that decodes to less than a decoder takes while it waits for the next read
// is decoded whole.
func newZstdDecoder(src []byte, size int64, whole bool) (decoder, error) {
	if whole {
		return &zstdWhole{src: src, size: int(size)}, nil
	}
	d := zstdStreams.Get().(*zstdStream)
	d.in.Reset(src)
	d.size = int64(len(src))
	return d, d.z.Reset(&d.in)
}

const (
	maxWindow = 64 << 20 // of zstd, the largest that a decoder makes
	// freeWindow is the window that a small buffer may declare: what encoders use that do not know how much will come.
	freeWindow = 8 << 20
	// zstdTables is what a decoder takes beside its window, about: blocks that are read and decoded, tables.
	zstdTables = 512 << 10
)

func newZstd(o ...zstd.DOption) *zstd.Decoder {
	z, err := zstd.NewReader(nil, append(o, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))...)
	if err != nil {
		panic(err) // the options are ones that there are
	}
	return z
}

var (
	zstdStreams = sync.Pool{New: func() any { return &zstdStream{z: newZstd()} }}
	zstdWholes  = sync.Pool{New: func() any { return newZstd(zstd.WithDecodeAllCapLimit(true)) }}
)

// A zstdStream decodes a buffer bit by bit.
type zstdStream struct {
	z    *zstd.Decoder
	in   bytes.Reader
	size int64 // of the compressed bytes
}

func (d *zstdStream) fill(p []byte) error {
	_, err := io.ReadFull(d.z, p)
	return err
}

func (d *zstdStream) skip(n int64) error {
	_, err := io.CopyN(io.Discard, d.z, n)
	return err
}

func (d *zstdStream) finish() error {
	var more [1]byte
	n, err := io.ReadFull(d.z, more[:])
	switch {
	case n > 0:
		return errMore
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

func (d *zstdStream) at() int64              { return d.size - int64(d.in.Len()) }
func (d *zstdStream) mark() (lz4.Mark, bool) { return lz4.Mark{}, false }

func (d *zstdStream) close() {
	d.in.Reset(nil)
	zstdStreams.Put(d)
}

// errMore is returned for a buffer that holds more than it declares.
var errMore = lz4.ErrMore

// A zstdWhole decodes a buffer in one go.
type zstdWhole struct {
	src   []byte
	size  int
	data  []byte // what was decoded, unless it went to where it was wanted
	given int    // of that
}

func (d *zstdWhole) fill(p []byte) error {
	if d.data == nil && len(p) == d.size {
		return d.decode(p)
	}
	if err := d.skip(0); err != nil {
		return err
	}
	d.given += copy(p, d.data[d.given:])
	return nil
}

func (d *zstdWhole) skip(n int64) error {
	d.given += int(n)
	if d.data != nil {
		return nil
	}
	if room, ok := rooms.Get().(*[]byte); ok && cap(*room) >= d.size {
		d.data = (*room)[:d.size]
	} else {
		d.data = make([]byte, d.size)
	}
	return d.decode(d.data)
}

var rooms sync.Pool // of *[]byte

// decode decodes the buffer into room, which is as large as that is said to be.
func (d *zstdWhole) decode(room []byte) error {
	z := zstdWholes.Get().(*zstd.Decoder)
	defer zstdWholes.Put(z)
	out, err := z.DecodeAll(d.src, room[:0:len(room)])
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return errMore
	case err != nil:
		return err
	case len(out) < len(room):
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (d *zstdWhole) finish() error          { return nil }
func (d *zstdWhole) at() int64              { return 0 }
func (d *zstdWhole) mark() (lz4.Mark, bool) { return lz4.Mark{}, false }

func (d *zstdWhole) close() {
	if d.data != nil {
		room := d.data
		rooms.Put(&room)
		d.data = nil
	}
}

// zstdHolds returns what a decoder takes while it waits for the next read.
func (s *stream) zstdHolds() int64 {
	window, _ := s.zstdWindow()
	return window + zstdTables
}

// zstdWindow returns the window that the first frame asks for.
func (s *stream) zstdWindow() (int64, error) {
	head := make([]byte, min(s.bytes, zstd.HeaderMaxSize))
	if err := s.f.readAt(head, s.at); err != nil {
		return 0, err
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil {
		return 0, s.damaged(err)
	}
	window := h.WindowSize
	if h.SingleSegment {
		window = h.FrameContentSize
	}
	return int64(min(window, 1<<62)), nil
}

// checkWindow refuses a window beyond reason: a decoder would make it before it sees a byte.
func (s *stream) checkWindow() error {
	if s.codec != meta.Zstd {
		return nil
	}
	window, err := s.zstdWindow()
	if err != nil {
		return err
	}
	if window > maxWindow || window > freeWindow && window/2 > s.size {
		return fmt.Errorf("%w: a compressed buffer of %d bytes asks for a window of %s", colstore.ErrFormat, s.bytes, colstore.ByteSize(window))
	}
	return nil
}
