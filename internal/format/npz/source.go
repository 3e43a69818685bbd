package npz

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of an archive, all of the same length.
type source struct {
	f       *file
	schema  *colstore.Schema
	columns []column
	rows    int64
	closed  atomic.Bool
}

// A column is an array that is read as one.
type column struct {
	m *member
	array
}

// isView reports whether the column's values lie in the file as a batch has them.
func (c *column) isView() bool { return c.m.method == methodStored && !c.typ.BigEndian() }

// Source returns the columns of p, after reading the headers of their arrays.
func (f *file) Source(ctx context.Context, p format.Projection) (colstore.Source, error) {
	if f.closed.Load() {
		return nil, f.failed("read", "", colstore.ErrClosed)
	}
	names := p.Columns
	if names == nil {
		names = f.Names()
	}
	at := make(map[string]int, len(f.members))
	for i, m := range f.members {
		at[m.name] = i
	}
	s := &source{f: f}
	fields := make([]colstore.Field, len(names))
	for i, n := range names {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		j, ok := at[n]
		if !ok {
			err := colstore.NoColumn(n, f.Names())
			if e, ok := errors.AsType[*colstore.Error](err); ok {
				e.Op, e.Path = "read", f.path
			}
			return nil, err
		}
		c, err := f.column(&f.members[j])
		if err != nil {
			return nil, f.failed("read", n, err)
		}
		if i > 0 && c.rows != s.rows {
			return nil, f.failed("read", n, fmt.Errorf("%w: it has %d rows, column %q has %d; read those of one length (--columns)",
				colstore.ErrMismatch, c.rows, names[0], s.rows))
		}
		s.rows = c.rows
		s.columns = append(s.columns, c)
		fields[i] = colstore.Field{Name: n, Type: c.typ.Native()}
	}
	var err error
	if s.schema, err = colstore.NewSchema(fields...); err != nil {
		return nil, f.failed("read", "", err)
	}
	return s, nil
}

// column reads the header of an array.
func (f *file) column(m *member) (column, error) {
	if m.refused != nil {
		return column{}, m.refused
	}
	s := f.stream(m)
	defer s.close()
	a, err := readHeader(s, m.size)
	if err == nil {
		err = a.refused
	}
	return column{m, a}, err
}

// Schema returns the columns, in little-endian byte order.
func (s *source) Schema() *colstore.Schema { return s.schema }

// Rows returns the number of rows.
func (s *source) Rows() int64 { return s.rows }

// Close ends reading; the file stays open.
func (s *source) Close() error {
	s.closed.Store(true)
	return nil
}

// Warnings tells which members are no arrays.
func (s *source) Warnings() []string {
	if len(s.f.ignored) == 0 {
		return nil
	}
	const most = 5
	shown := make([]string, 0, most+1)
	for _, n := range s.f.ignored[:min(most, len(s.f.ignored))] {
		shown = append(shown, strconv.Quote(n))
	}
	if more := len(s.f.ignored) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return []string{s.f.path + ": members that are no arrays were left out: " + strings.Join(shown, ", ")}
}

// Cost returns what the streams of a scan hold, and the bytes of the columns that are no views. If all are, a second scan
// costs little.
func (s *source) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = s.schema.Names()
	}
	cost := colstore.Cost{Rescan: true}
	var again int
	var most int64
	for _, n := range columns {
		i, ok := s.schema.Index(n)
		if !ok {
			continue
		}
		c := &s.columns[i]
		if !c.isView() {
			cost.Row += c.typ.Size()
		}
		cost.Rescan = cost.Rescan && c.m.method == methodStored
		if c.m.isAgain() {
			again++
			most = max(most, c.m.holds())
		} else {
			cost.Fixed += c.m.holds()
		}
	}
	cost.Fixed += int64(min(again, maxThreads)) * most
	return cost
}

// holds returns what a stream of the member holds.
func (m *member) holds() int64 {
	switch m.method {
	case methodDeflate:
		return deflateHolds
	case methodBzip2:
		return bzip2Holds
	}
	return 0
}

// isAgain reports whether a compressed member is decompressed from its beginning whenever some of it is read: it is small,
// and keeping a decompressor for each of a thousand columns would take more memory than the file has.
func (m *member) isAgain() bool { return m.method != methodStored && m.size <= deflateHolds }
