package feather

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

// A stream is a buffer of a body that is read from front to back.
type stream struct {
	f     *file
	codec meta.Codec
	at    int64 // of its bytes in the file
	bytes int64
	size  int64 // of what they decode to
	pos   int64 // in that
	left  int64 // bytes before pos that are still to be decoded, for nobody
	d     *decoder
}

// lengthBytes is the size of the length before the bytes of a buffer in a compressed body.
const lengthBytes = 8

// stream returns a buffer of a body.
//
// Errors: colstore.ErrFormat for one that does not lie in its body, or declares more than its bytes can hold.
func (f *file) stream(b *body, buf meta.Buffer) (*stream, error) {
	if buf.Offset < 0 || buf.Bytes < 0 || buf.Offset > b.bytes-buf.Bytes {
		return nil, fmt.Errorf("%w: a buffer of %d bytes at %d, in a body of %d", colstore.ErrFormat, buf.Bytes, buf.Offset, b.bytes)
	}
	s := &stream{f: f, codec: b.Codec, at: b.at + buf.Offset, bytes: buf.Bytes, size: buf.Bytes}
	if b.Codec == meta.Stored || buf.Bytes == 0 {
		s.codec = meta.Stored
		return s, nil
	}
	if buf.Bytes < lengthBytes {
		return nil, fmt.Errorf("%w: a compressed buffer of %d bytes", colstore.ErrFormat, buf.Bytes)
	}
	var head [lengthBytes]byte
	if err := f.readAt(head[:], s.at); err != nil {
		return nil, err
	}
	s.at, s.bytes = s.at+lengthBytes, s.bytes-lengthBytes
	s.size = int64(binary.LittleEndian.Uint64(head[:]))
	if s.size == -1 {
		s.codec, s.size = meta.Stored, s.bytes
		return s, nil
	}
	if s.size < 0 || s.size/densest[s.codec] > s.bytes {
		return nil, fmt.Errorf("%w: %d compressed bytes declare %d, more than they can hold", colstore.ErrFormat, s.bytes, s.size)
	}
	return s, nil
}

// densest are the most bytes that one of a codec can stand for: a run in LZ4, and in zstd a block of one byte repeated.
var densest = map[meta.Codec]int64{meta.LZ4Frame: 256, meta.Zstd: (128 << 10) / 3}

// read fills p with what comes next.
func (s *stream) read(p []byte) error {
	n := int64(len(p))
	if n > s.size-s.pos {
		return fmt.Errorf("%w: a buffer of %d bytes ends before its rows do", colstore.ErrFormat, s.size)
	}
	if n == 0 {
		return nil
	}
	if s.codec == meta.Stored {
		err := s.f.readAt(p, s.at+s.pos)
		s.pos += n
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	if err := s.catchUp(); err != nil {
		return s.damaged(err)
	}
	if _, err := io.ReadFull(s.d, p); err != nil {
		return s.damaged(err)
	}
	if s.pos += n; s.pos == s.size {
		return s.finish()
	}
	return nil
}

// skip leaves out n bytes. They are decoded when something behind them is read, if ever.
func (s *stream) skip(n int64) error {
	if n < 0 || n > s.size-s.pos {
		return fmt.Errorf("%w: a buffer of %d bytes ends before its rows do", colstore.ErrFormat, s.size)
	}
	s.pos += n
	s.left += n
	return nil
}

// catchUp decodes what was skipped.
func (s *stream) catchUp() error {
	var room [8 << 10]byte
	for s.left > 0 {
		n, err := io.ReadFull(s.d, room[:min(s.left, int64(len(room)))])
		s.left -= int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// finish checks that nothing follows, with the checksum that the codec may have.
func (s *stream) finish() error {
	var more [1]byte
	n, err := io.ReadFull(s.d, more[:])
	switch {
	case n > 0:
		return fmt.Errorf("%w: a buffer declares %d bytes and holds more", colstore.ErrFormat, s.size)
	case !errors.Is(err, io.EOF):
		return s.damaged(err)
	}
	s.close()
	return nil
}

func (s *stream) damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: a buffer declares %d bytes and holds fewer", colstore.ErrFormat, s.size)
	}
	if errors.Is(err, colstore.ErrFormat) {
		return err
	}
	return fmt.Errorf("%w: a compressed buffer is damaged: %w", colstore.ErrFormat, err)
}

// start gives the stream a decoder.
func (s *stream) start() error {
	if s.d != nil {
		return nil
	}
	if err := s.checkWindow(); err != nil {
		return err
	}
	s.d = decoders[s.codec].Get().(*decoder)
	s.d.in.Reset(io.NewSectionReader(s.f.f, s.at, s.bytes))
	var err error
	if s.d.zstd != nil {
		err = s.d.zstd.Reset(s.d.in)
	} else {
		s.d.lz4.Reset(s.d.in)
	}
	if err != nil {
		return s.damaged(err)
	}
	return nil
}

// close gives the decoder back. The stream may go on, but not from where it was.
func (s *stream) close() {
	if s != nil && s.d != nil {
		s.d.in.Reset(nil)
		decoders[s.codec].Put(s.d)
		s.d = nil
	}
}

// A decoder decompresses a stream. One of its readers is not nil.
type decoder struct {
	in   *bufio.Reader
	zstd *zstd.Decoder
	lz4  *lz4.Reader
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.zstd != nil {
		return d.zstd.Read(p)
	}
	return d.lz4.Read(p)
}

const (
	inBytes   = 64 << 10
	maxWindow = 64 << 20 // of zstd, the largest that a decoder makes
	// freeWindow is the window that a small buffer may declare: what encoders use that do not know how much will come.
	freeWindow = 8 << 20
)

var decoders = map[meta.Codec]*sync.Pool{
	meta.LZ4Frame: {New: func() any {
		return &decoder{in: bufio.NewReaderSize(nil, inBytes), lz4: lz4.NewReader(nil)}
	}},
	meta.Zstd: {New: func() any {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			panic(err) // the options are ones that there are
		}
		return &decoder{in: bufio.NewReaderSize(nil, inBytes), zstd: z}
	}},
}

// holds returns the memory that decoding takes.
func (s *stream) holds() int64 {
	switch s.codec {
	case meta.LZ4Frame:
		return 2*s.lz4Block() + 128<<10 + inBytes
	case meta.Zstd:
		window, _ := s.zstdWindow()
		return window + 512<<10 + inBytes
	}
	return 0
}

// lz4Block returns the size of the blocks of a frame.
func (s *stream) lz4Block() int64 {
	var head [6]byte
	if s.bytes < int64(len(head)) || s.f.readAt(head[:], s.at) != nil {
		return 0
	}
	const smallest = 4 // number of the size 64 KiB; each following is four times as large
	number := max(smallest, int(head[5]>>4&7))
	return 64 << 10 << (2 * (number - smallest))
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

// all decodes a buffer whole, into room if that is large enough.
//
// Errors: colstore.ErrFormat, also for one beyond the limits.
func (f *file) all(b *body, buf meta.Buffer, room []byte) ([]byte, error) {
	s, err := f.stream(b, buf)
	if err != nil {
		return nil, err
	}
	if s.codec != meta.Stored {
		if err := f.limits.Check(s.bytes, s.size); err != nil {
			return nil, err
		}
	} else if s.size > int64(f.limits.Page) {
		return nil, fmt.Errorf("%w: a buffer of %s, the limit is %s (limits.page)", colstore.ErrFormat, colstore.ByteSize(s.size), f.limits.Page)
	}
	defer s.close()
	if int64(cap(room)) < s.size {
		room = make([]byte, s.size)
	}
	room = room[:s.size]
	return room, s.read(room)
}
