package cstore

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// stream is the layout of one record a write.
type stream struct {
	form
	buf   buffered
	cells []cell
}

func newStream(f form) *stream {
	return &stream{form: f, buf: buffered{w: f.out, end: f.at}}
}

func (s *stream) count() (records, rows int64) { return s.records, s.rows }

func (s *stream) discard() error { return nil }

func (s *stream) finish() (int64, error) { return s.buf.end, s.buf.flush() }

func (s *stream) write(b *colstore.Batch) error {
	rows := int64(b.Rows())
	width := int64(s.schema.RowBytes())
	body, ok := bodySize(rows, int(width))
	if !ok {
		return fmt.Errorf("%w: a record of %d rows of %d bytes", colstore.ErrValue, rows, width)
	}
	begin, done := s.buf.end, false
	defer func() {
		if !done {
			s.buf.rollback(begin)
		}
	}()
	if s.stats != nil {
		s.cells = s.stats.fold(s.cells, b)
	}
	var err error
	if body <= bufferBytes/4 {
		err = s.small(b, int(body))
	} else {
		err = s.large(b, int(body-rows*width))
	}
	if err != nil {
		return err
	}
	done = true
	if s.stats != nil {
		s.stats.put(s.records, s.cells)
	}
	s.records++
	s.rows += rows
	return nil
}

// small makes a record in the buffer.
func (s *stream) small(b *colstore.Batch, body int) error {
	p, err := s.buf.room(recordHeaderSize + body)
	if err != nil {
		return err
	}
	putRecordHeader(p, s.records, int64(b.Rows()))
	p = p[recordHeaderSize:]
	for i := range s.prefix {
		c := b.At(i)
		n := c.Rows() * c.Type().Size()
		kernel.Load(p[:n], c)
		p = p[n:]
	}
	clear(p)
	return nil
}

// large writes a record whose columns pass the buffer by.
func (s *stream) large(b *colstore.Batch, pad int) error {
	p, err := s.buf.room(recordHeaderSize)
	if err != nil {
		return err
	}
	putRecordHeader(p, s.records, int64(b.Rows()))
	for i := range s.prefix {
		if err := s.buf.appendColumn(b.At(i)); err != nil {
			return err
		}
	}
	p, err = s.buf.room(pad)
	clear(p)
	return err
}
