package feather

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather/lz4"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/internal/mmap"
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
	d     decoder
	given int64 // offset in the file before which pages were given back

	// thrifty lets go of what was decoded and not read after each read, to decode it again: where very many columns are
	// read, each some rows at a time.
	thrifty bool
	mark    lz4.Mark // from where that is possible
}

// A decoder decompresses the bytes of a stream, which lie in the mapped file.
type decoder interface {
	// fill fills p with what comes next.
	fill(p []byte) error
	// skip leaves out n bytes.
	skip(n int64) error
	// finish checks that nothing follows, with the checksum that the codec may have.
	finish() error
	// at returns how many of the compressed bytes have been read.
	at() int64
	// mark returns from where another decoder can go on, if not from the beginning alone.
	mark() (m lz4.Mark, ok bool)
	close()
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
		return s.short()
	}
	if n == 0 {
		return nil
	}
	if s.codec == meta.Stored {
		copy(p, s.stored(n))
		return nil
	}
	if err := s.start(); err != nil {
		return err
	}
	if err := s.catchUp(); err != nil {
		return s.damaged(err)
	}
	if err := s.d.fill(p); err != nil {
		return s.damaged(err)
	}
	s.pos += n
	if s.pos == s.size {
		if err := s.d.finish(); err != nil {
			return s.damaged(err)
		}
		s.close()
		return nil
	}
	s.giveBack(s.at + s.d.at())
	if s.thrifty {
		s.forget()
	}
	return nil
}

// forget lets go of the decoder where another can take its place.
func (s *stream) forget() {
	m, ok := s.d.mark()
	if !ok && s.size > againBytes {
		return
	}
	s.mark, s.left = m, s.pos-m.Bytes
	s.d.close()
	s.d = nil
}

// againBytes are the most that are decoded again because they were forgotten: what most encoders put into a block.
const againBytes = 64 << 10

// view returns the next n bytes as they lie in the file, if they do.
//
// Memory: valid as long as the file is open.
func (s *stream) view(n int) ([]byte, bool) {
	if s.codec != meta.Stored || int64(n) > s.size-s.pos {
		return nil, false
	}
	return s.stored(int64(n)), true
}

// stored returns the next n bytes of a buffer that is not compressed, of which there are so many.
func (s *stream) stored(n int64) []byte {
	begin := s.at + s.pos
	s.giveBack(begin)
	s.pos += n
	return s.f.m.Data()[begin : begin+n : begin+n]
}

// giveBackBytes is how much of a buffer stays in memory behind where it is read.
const giveBackBytes = 64 << 10

// giveBack gives back the pages of the buffer before an offset, if they are worth it. They come back if somebody looks.
func (s *stream) giveBack(end int64) {
	s.given = max(s.given, s.at)
	if end-s.given >= giveBackBytes {
		s.f.m.Advise(int(s.given), int(end-s.given), mmap.DontNeed)
		s.given = end
	}
}

func (s *stream) short() error {
	return fmt.Errorf("%w: a buffer of %d bytes ends before its rows do", colstore.ErrFormat, s.size)
}

// skip leaves out n bytes. They are decoded when something behind them is read, if ever.
func (s *stream) skip(n int64) error {
	if n < 0 || n > s.size-s.pos {
		return s.short()
	}
	s.pos += n
	s.left += n
	return nil
}

// catchUp decodes what was skipped.
func (s *stream) catchUp() error {
	if s.left == 0 {
		return nil
	}
	for s.left > 0 {
		n := min(s.left, 1<<20)
		if err := s.d.skip(n); err != nil {
			return err
		}
		s.left -= n
		s.giveBack(s.at + s.d.at())
	}
	return nil
}

// damaged says what an error of a decoder means.
func (s *stream) damaged(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: a buffer declares %d bytes and holds fewer", colstore.ErrFormat, s.size)
	case errors.Is(err, lz4.ErrMore):
		return fmt.Errorf("%w: a buffer declares %d bytes and holds more", colstore.ErrFormat, s.size)
	case errors.Is(err, colstore.ErrFormat):
		return err
	}
	return fmt.Errorf("%w: a compressed buffer is damaged: %w", colstore.ErrFormat, err)
}

// start gives the stream a decoder.
func (s *stream) start() (err error) {
	if s.d != nil {
		return nil
	}
	src := s.f.m.Data()[s.at : s.at+s.bytes : s.at+s.bytes]
	if s.codec == meta.LZ4Frame {
		s.d, err = newLZ4Decoder(src, s.size, s.mark)
	} else if err = s.checkWindow(); err == nil {
		s.d, err = newZstdDecoder(src, s.size, s.size <= s.zstdHolds())
	}
	if err != nil {
		s.d = nil
		return s.damaged(err)
	}
	return nil
}

// close gives the decoder back. The stream may go on, but not from where it was.
func (s *stream) close() {
	if s != nil && s.d != nil {
		s.d.close()
		s.d = nil
		s.giveBack(s.at + s.bytes)
	}
}

// holds returns the memory that decoding holds between two reads, also if the stream is thrifty: never more than the buffer
// decodes to.
func (s *stream) holds() (n, thrifty int64) {
	switch s.codec {
	case meta.LZ4Frame:
		head := make([]byte, min(s.bytes, lz4.MaxHeader))
		if s.f.readAt(head, s.at) != nil {
			return 0, 0
		}
		h, err := lz4.ParseHeader(head)
		if err != nil {
			return 0, 0
		}
		n = h.Holds(s.size)
		if h.CanResume() && h.Block <= againBytes {
			return n, 0
		}
	case meta.Zstd:
		n = min(s.size, s.zstdHolds())
	}
	if s.size <= againBytes {
		return n, 0
	}
	return n, n
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
