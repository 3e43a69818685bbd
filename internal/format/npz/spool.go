package npz

import (
	"errors"
	"fmt"
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/kernel"
)

// A spool keeps rows until they are complete: chunks of rows, each with its columns back to back, in a hidden file that
// never appears. Small batches are gathered in memory first, so that a chunk is worth a seek.
type spool struct {
	staged *fsx.Staged
	schema *colstore.Schema
	prefix []int
	chunks []chunk
	end    int64

	mem      []byte // columns of capacity rows each
	capacity int
	rows     int // in mem
}

type chunk struct{ at, rows int64 }

const spoolChunkBytes = 1 << 20

func (w *writer) newSpool() (*spool, error) {
	staged, err := fsx.Stage(w.fsys, w.path, fsx.StageOptions{Replace: true})
	if err != nil {
		return nil, err
	}
	return &spool{staged: staged, schema: w.schema, prefix: w.prefix, capacity: max(1, spoolChunkBytes/w.schema.RowBytes())}, nil
}

// reserve makes the spool one chunk of rows that are written in any order.
func (s *spool) reserve(rows int64) { s.chunks = []chunk{{0, rows}} }

// place writes the rows of b where they belong in a reserved spool.
func (s *spool) place(row int64, b *colstore.Batch) error {
	for i, p := range s.prefix {
		at := int64(p)*s.chunks[0].rows + row*int64(s.schema.Field(i).Type.Size())
		if err := writeColumn(s.staged, b.At(i), at); err != nil {
			return err
		}
	}
	return nil
}

// write appends the rows of b.
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
		var err error
		if cols[i], err = colstore.NewColumn(s.schema.Field(i).Type, s.rows, s.mem[p*s.capacity:]); err != nil {
			return err
		}
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
		if err := writeColumn(s.staged, b.At(i), s.end+int64(p)*rows); err != nil {
			return err
		}
	}
	s.chunks = append(s.chunks, chunk{s.end, rows})
	s.end += rows * int64(s.schema.RowBytes())
	return nil
}

// column returns the values of column i in order.
func (s *spool) column(i int) io.Reader {
	return &columnReader{s: s, prefix: int64(s.prefix[i]), size: int64(s.schema.Field(i).Type.Size())}
}

// A columnReader reads one column of a spool.
type columnReader struct {
	s            *spool
	prefix, size int64
	chunk        int
	done         int64 // bytes of the chunk
}

// Read implements io.Reader.
func (r *columnReader) Read(p []byte) (int, error) {
	for r.chunk < len(r.s.chunks) {
		c := r.s.chunks[r.chunk]
		left := c.rows*r.size - r.done
		if left == 0 {
			r.chunk, r.done = r.chunk+1, 0
			continue
		}
		p = p[:min(int64(len(p)), left)]
		n, err := r.s.staged.ReadAt(p, c.at+r.prefix*c.rows+r.done)
		r.done += int64(n)
		if n == len(p) {
			err = nil
		} else if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: the hidden file with the rows was cut", colstore.ErrTruncated)
		}
		return n, err
	}
	return 0, io.EOF
}
