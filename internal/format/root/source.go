package root

import (
	"context"
	"errors"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of a tree.
type source struct {
	f        *file
	schema   *colstore.Schema
	outputs  []output // of the schema
	inputs   []input
	warnings []string
}

// An input is a branch as it is read.
type input struct {
	branch *branch
	list   *column // the only column of a branch of lists or of strings
	// counter is the branch of the list's counter, nil if there is none.
	counter *branch
	// readers are kept between scans, with their buffers: scans are often short, one a split.
	readers *sync.Pool
}

// An output is where the values of a field of the schema are in an input.
type output struct {
	input  int
	typ    colstore.DType
	offset int  // in an entry; of a list, which value of a row
	counts bool // how many values the rows of a list have
	isText bool
	// missing is what a row of a list that is shorter has, big-endian as the others.
	missing []byte
}

// Source returns the columns of p. Of lists that are exploded the counters are read here, to find the longest.
func (f *file) Source(ctx context.Context, p format.Projection) (colstore.Source, error) {
	if f.closed.Load() {
		return nil, f.failed("read", "", colstore.ErrClosed)
	}
	columns := p.Columns
	if columns == nil && f.jagged.Mode == format.JaggedError {
		columns = f.Names()
	}
	names, warnings, err := f.Select(columns)
	if err != nil {
		return nil, err
	}
	s := &source{f: f, warnings: warnings}
	b := &builder{s: s, named: p.Columns != nil, types: p.Types, at: map[*meta.Branch]int{}}
	for _, n := range names {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := guard(func() error { return b.add(ctx, n) }); err != nil {
			if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
				return nil, err
			}
			return nil, f.failed("read", n, err)
		}
	}
	if s.schema, err = colstore.NewSchema(b.fields...); err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); ok && errors.Is(err, colstore.ErrDuplicate) {
			e.Err = b.alike(e.Column)
		}
		return nil, f.failed("read", "", err)
	}
	return s, nil
}

// newList returns a cursor at the first row of a list's branch.
func (in *input) newList(f *file) *listCursor {
	c := &listCursor{f: f, b: in.branch, size: in.list.typ.Size(), isText: in.list.form == formText}
	if in.counter != nil {
		c.counter = &counter{cursor: cursor{f: f, b: in.counter}, column: in.list.counter}
	}
	return c
}

// Freedom tells that text could have been wider: its width was found in its values.
func (s *source) Freedom(column string) format.Freedom {
	if i, ok := s.schema.Index(column); ok && s.outputs[i].isText {
		return format.Wider
	}
	return format.Fixed
}

// Schema returns the columns as they are read.
func (s *source) Schema() *colstore.Schema { return s.schema }

// Rows returns the number of rows.
func (s *source) Rows() int64 { return s.f.rows }

// Warnings names the columns that were asked for and left out.
func (s *source) Warnings() []string { return s.warnings }

// Close does nothing; the file is closed by its own Close.
func (s *source) Close() error { return nil }
