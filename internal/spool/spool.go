package spool

import (
	"errors"
	"fmt"
	"io"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// A Spool keeps rows: chunks of them, each with its columns back to back, in a hidden file that never appears. Small batches
// are gathered in memory first, so that a chunk is worth a seek.
type Spool struct {
	staged *fsx.Staged
	schema *colstore.Schema
	prefix []int // bytes of a row before each column
	chunks []chunk
	end    int64
	gather Gather
	before mark
}

// chunk is rows whose columns lie back to back; only the first ones may count.
type chunk struct{ at, rows, used int64 }

// mark is what a spool held before a write.
type mark struct {
	chunks int
	end    int64
	rows   int // in memory
}

// Holds returns the bytes of memory that a spool of rows of schema s takes.
func Holds(s *colstore.Schema) int64 { return int64(max(gatherBytes, s.RowBytes()) + PieceBytes) }

// New starts a spool in a hidden file beside path. Abort ends it, and must be called.
//
// Errors: those of the file system, naming path.
func New(fsys fsx.FS, path string, s *colstore.Schema) (*Spool, error) {
	staged, err := fsx.Stage(fsys, path, fsx.StageOptions{Replace: true, Discard: true})
	if err != nil {
		return nil, err
	}
	g := NewGather(s, GatherRows(s))
	return &Spool{staged: staged, schema: s, prefix: g.prefix, gather: g}, nil
}

// Abort removes the hidden file.
func (s *Spool) Abort() error { return s.staged.Abort() }

// Reset empties the spool for other rows.
func (s *Spool) Reset() error {
	s.chunks, s.end, s.before = nil, 0, mark{}
	s.gather.Keep(0)
	return s.staged.Truncate(0)
}

// Reserve makes the spool one chunk of rows that are written in any order.
func (s *Spool) Reserve(rows int64) { s.chunks = []chunk{{0, rows, rows}} }

// WriteAt writes the rows of b where they belong in a reserved spool.
func (s *Spool) WriteAt(row int64, b *colstore.Batch) error {
	for i, p := range s.prefix {
		at := int64(p)*s.chunks[0].rows + row*int64(s.schema.Field(i).Type.Size())
		if err := WriteColumn(s.staged, b.At(i), at); err != nil {
			return err
		}
	}
	return nil
}

// Write appends the rows of b. After an error the spool holds what it held before.
func (s *Spool) Write(b *colstore.Batch) error {
	if !s.gather.Fits(b) {
		if err := s.Flush(); err != nil {
			return err
		}
	}
	s.before = mark{len(s.chunks), s.end, s.gather.Rows()}
	if s.gather.Fits(b) {
		s.gather.Add(b)
		return nil
	}
	return s.append(b)
}

// Undo drops the rows of the last Write, whether they have been flushed since or not.
func (s *Spool) Undo() {
	if b := s.before; b.rows > 0 && len(s.chunks) > b.chunks {
		// The rows that were in memory before it are in one chunk with its own.
		s.chunks = s.chunks[:b.chunks+1]
		s.chunks[b.chunks].used = int64(b.rows)
		s.gather.Keep(0)
		return
	}
	s.chunks, s.end = s.chunks[:s.before.chunks], s.before.end
	s.gather.Keep(s.before.rows)
}

// Flush moves the gathered rows to the file. After an error they are still in memory.
func (s *Spool) Flush() error {
	if s.gather.Rows() == 0 {
		return nil
	}
	b, err := s.gather.Batch()
	if err != nil {
		return err
	}
	if err := s.append(b); err != nil {
		return err
	}
	s.gather.Keep(0)
	return nil
}

func (s *Spool) append(b *colstore.Batch) error {
	rows := int64(b.Rows())
	for i, p := range s.prefix {
		if err := WriteColumn(s.staged, b.At(i), s.end+int64(p)*rows); err != nil {
			return err
		}
	}
	s.chunks = append(s.chunks, chunk{s.end, rows, rows})
	s.end += rows * int64(s.schema.RowBytes())
	return nil
}

// Column returns the values of column i in order.
func (s *Spool) Column(i int) io.Reader {
	return &columnReader{s: s, prefix: int64(s.prefix[i]), size: int64(s.schema.Field(i).Type.Size())}
}

// A columnReader reads one column of a spool.
type columnReader struct {
	s            *Spool
	prefix, size int64
	chunk        int
	done         int64 // bytes of the chunk
}

// Read implements io.Reader.
func (r *columnReader) Read(p []byte) (int, error) {
	for r.chunk < len(r.s.chunks) {
		c := r.s.chunks[r.chunk]
		left := c.used*r.size - r.done
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
