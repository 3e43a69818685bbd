package npz

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/colstore/colstore-go"
)

const (
	inputBytes = 8 << 10
	// What a stream holds: the input, and the decompressor's window and tables.
	deflateHolds = 64 << 10
	bzip2Holds   = 4 << 20
	discardBytes = 32 << 10
)

// A stream gives the bytes of a compressed member in order, with their CRC.
type stream struct {
	m   *member
	r   io.Reader
	at  int64 // bytes given
	crc uint32
}

func (f *file) stream(m *member) *stream {
	in := bufio.NewReaderSize(f.section(m), inputBytes)
	s := &stream{m: m}
	switch m.method {
	case methodDeflate:
		s.r = flate.NewReader(in)
	case methodBzip2:
		s.r = bzip2.NewReader(in)
	default:
		s.r = in
	}
	return s
}

// Read implements io.Reader. Damaged bytes are colstore.ErrFormat.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p[:n])
	s.at += int64(n)
	return n, s.explain(err)
}

// fill reads len(p) bytes.
//
// Errors: colstore.ErrTruncated when there are fewer, colstore.ErrFormat for damaged ones.
func (s *stream) fill(p []byte) error {
	_, err := io.ReadFull(s, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return s.short()
	}
	return err
}

func (s *stream) short() error {
	return fmt.Errorf("%w: the member ends after %d of %d bytes", colstore.ErrTruncated, s.at, s.m.size)
}

// skip passes n bytes over.
func (s *stream) skip(n int64) error {
	buf := make([]byte, min(n, discardBytes))
	for n > 0 {
		p := buf[:min(n, discardBytes)]
		if err := s.fill(p); err != nil {
			return err
		}
		n -= int64(len(p))
	}
	return nil
}

// explain says what an error of the decompressor means. io.EOF is the end of the member, and stays.
func (s *stream) explain(err error) error {
	var corrupt flate.CorruptInputError
	var structural bzip2.StructuralError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF): // the compressed bytes end
		return s.short()
	case errors.As(err, &corrupt), errors.As(err, &structural):
		return fmt.Errorf("%w: the member's compressed bytes are damaged after %d of %d bytes: %w", colstore.ErrFormat, s.at, s.m.size, err)
	}
	return err
}

// finish checks that the member ends here, and its CRC.
func (s *stream) finish() error {
	var one [1]byte
	crc := s.crc
	switch n, err := io.ReadFull(s, one[:]); {
	case n > 0:
		return fmt.Errorf("%w: the member has more than the %d bytes that it declares", colstore.ErrFormat, s.m.size)
	case err != io.EOF:
		return err
	}
	return s.m.checkCRC(crc)
}

func (m *member) checkCRC(computed uint32) error {
	if computed != m.crc {
		return fmt.Errorf("%w: the archive has %08x for the member, its bytes give %08x", colstore.ErrChecksum, m.crc, computed)
	}
	return nil
}
