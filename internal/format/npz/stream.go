package npz

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/mmap"
)

const (
	inputBytes = 8 << 10
	// What a stream holds: the decompressor's window and tables.
	deflateHolds = 40 << 10
	bzip2Holds   = 4 << 20
	discardBytes = 32 << 10
	// giveBackBytes is how much of a member stays in memory behind where it is read.
	giveBackBytes = 64 << 10
)

// A stream gives the bytes of a member in order, with their CRC.
type stream struct {
	m   *member
	r   io.Reader
	at  int64 // bytes given
	crc uint32

	in    *bytes.Reader // of the member's bytes in the mapped file; nil if they are read by calls
	file  *mmap.Mapping
	given int64 // bytes of in whose pages were given back
}

// inflaters are decompressors that nobody uses.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// stream returns the bytes of a member, which are read by calls: no cut of the file makes that fault.
func (f *file) stream(m *member) *stream {
	return newStream(m, bufio.NewReaderSize(io.NewSectionReader(f.f, m.dataAt, m.compressed), inputBytes))
}

// mapped returns the bytes of a member, which are read from the mapped file.
func (f *file) mapped(m *member) *stream {
	in := bytes.NewReader(f.m.Data()[m.dataAt : m.dataAt+m.compressed])
	s := newStream(m, in)
	s.in, s.file = in, f.m
	return s
}

func newStream(m *member, in io.Reader) *stream {
	s := &stream{m: m, r: in}
	switch m.method {
	case methodDeflate:
		z := inflaters.Get()
		_ = z.(flate.Resetter).Reset(in, nil) // never fails
		s.r = z.(io.Reader)
	case methodBzip2:
		s.r = bzip2.NewReader(in)
	}
	return s
}

// close gives the decompressor back.
func (s *stream) close() {
	if s == nil || s.r == nil {
		return
	}
	if s.m.method == methodDeflate {
		_ = s.r.(flate.Resetter).Reset(bytes.NewReader(nil), nil)
		inflaters.Put(s.r)
	}
	if s.in != nil {
		s.giveBack(s.m.compressed)
	}
	s.r = nil
}

// giveBack gives back the pages of the member before an offset.
func (s *stream) giveBack(end int64) {
	s.file.Advise(int(s.m.dataAt+s.given), int(end-s.given), mmap.DontNeed)
	s.given = end
}

// Read implements io.Reader. Damaged bytes are colstore.ErrFormat.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p[:n])
	s.at += int64(n)
	if s.in != nil {
		if end := s.m.compressed - int64(s.in.Len()); end-s.given >= giveBackBytes {
			s.giveBack(end)
		}
	}
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
