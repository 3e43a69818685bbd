package cstore

import (
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/kernel"
)

// A spool keeps rows of an unknown number until they are complete: chunks of rows, each with its columns back to back,
// in a hidden file that never appears. Small batches are gathered in memory first, so that a chunk is worth a seek.
type spool struct {
	staged *fsx.Staged
	schema *colstore.Schema
	prefix []int
	chunks []spoolChunk
	end    int64

	mem      []byte // columns of capacity rows each
	capacity int
	rows     int // in mem
}

type spoolChunk struct{ at, rows int64 }

const spoolChunkBytes = 1 << 20

func newSpool(w *Writer) (*spool, error) {
	staged, err := fsx.Stage(w.fsys, w.path, fsx.StageOptions{Replace: true})
	if err != nil {
		return nil, err
	}
	return &spool{staged: staged, schema: w.schema, prefix: w.prefix, capacity: max(1, spoolChunkBytes/w.schema.RowBytes())}, nil
}

func (s *spool) write(b *colstore.Batch) error {
	if b.Rows() >= s.capacity {
		if err := s.flush(); err != nil {
			return err
		}
		return s.append(b)
	}
	if s.mem == nil {
		s.mem = make([]byte, s.capacity*s.schema.RowBytes())
	}
	for done := 0; done < b.Rows(); {
		n := min(b.Rows()-done, s.capacity-s.rows)
		for i, p := range s.prefix {
			size := s.schema.Field(i).Type.Size()
			kernel.Load(s.mem[p*s.capacity+s.rows*size:][:n*size], b.At(i).Slice(done, done+n, 1))
		}
		done += n
		if s.rows += n; s.rows == s.capacity {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush moves the gathered rows to the file.
func (s *spool) flush() error {
	if s.rows == 0 {
		return nil
	}
	cols := make([]colstore.Column, len(s.prefix))
	for i, p := range s.prefix {
		t := s.schema.Field(i).Type
		cols[i] = colstore.RawColumn(t, s.rows, t.Size(), unsafe.Pointer(unsafe.SliceData(s.mem[p*s.capacity:])))
	}
	b, err := colstore.NewBatch(s.schema, cols...)
	if err != nil {
		return err
	}
	s.rows = 0
	return s.append(b)
}

func (s *spool) append(b *colstore.Batch) error {
	rows := int64(b.Rows())
	for i, p := range s.prefix {
		if err := writeColumnAt(s.staged, b.At(i), s.end+int64(p)*rows); err != nil {
			return err
		}
	}
	s.chunks = append(s.chunks, spoolChunk{s.end, rows})
	s.end += rows * int64(s.schema.RowBytes())
	return nil
}

// copyTo writes the rows as the one record of w, whose number of rows is known by now.
func (s *spool) copyTo(w *Writer) error {
	if err := s.flush(); err != nil {
		return err
	}
	for i, p := range s.prefix {
		size := int64(s.schema.Field(i).Type.Size())
		to := w.blockAt(0) + recordHeaderSize + int64(p)*w.rows
		for _, c := range s.chunks {
			if err := copyRange(w.staged, to, s.staged, c.at+int64(p)*c.rows, c.rows*size); err != nil {
				return err
			}
			to += c.rows * size
		}
	}
	return nil
}
