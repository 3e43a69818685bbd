package csv

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of a file. Without an index it is read from the beginning, and its rows are not known.
type source struct {
	file    *file
	schema  *colstore.Schema
	columns []column // in the schema's order
	survey           // rows is -1, and there is no index, if the file has not been read as a whole
	inputs  sync.Pool
	closed  atomic.Bool
}

// A column is one of a source.
type column struct {
	name     string
	typ      colstore.DType
	cell     int // the number of the file's column
	decode   decoder
	found    bool // the dtype was found, not declared
	empty    bool // it has no cell that is not missing
	negative bool // it has a whole number below 0
	mask     bool // the values tell which cells of the file's column are there
}

// indexed is a source that can be read from many rows on.
type indexed struct{ *source }

// Source returns columns of the file. If the dtype of one is not declared, all of the file is read. If that was done
// before, the number of rows is known, and where they begin, also where all dtypes are declared.
func (t *file) Source(ctx context.Context, p format.Projection) (colstore.Source, error) {
	fail := func(err error) (colstore.Source, error) {
		if e, ok := errors.AsType[*colstore.Error](err); ok {
			e.Op, e.Path = "read", t.path
			return nil, err
		}
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
			return nil, err
		}
		return nil, &colstore.Error{Op: "read", Path: t.path, Err: err}
	}
	picked, err := t.pick(p.Columns)
	if err != nil {
		return fail(err)
	}
	s := &source{file: t, survey: survey{rows: -1, longest: t.sizes.text}}
	findings := make([]finding, len(picked))
	var guesses []guess
	for i, c := range picked {
		declared := p.Types[t.names[c]].Native()
		if !declared.Valid() {
			guesses = append(guesses, newGuess(c, declared))
			continue
		}
		f := &findings[i]
		f.typ = declared
		if f.mode, f.fill, err = fillFor(t.names[c], declared, t.nulls); err != nil {
			return fail(err)
		}
	}
	known := t.known.Load()
	if len(guesses) > 0 {
		if known, err = t.infer(ctx, guesses, t.threads); err != nil {
			return fail(err)
		}
		t.known.Store(known)
	}
	if known != nil {
		s.survey = *known
	}
	next := 0
	for i, c := range picked {
		name, found := t.names[c], !findings[i].typ.Valid()
		if found {
			if findings[i], err = guesses[next].finish(name, s.rows, t.nulls); err != nil {
				return fail(err)
			}
			next++
		}
		s.add(name, c, findings[i], found)
	}
	fields := make([]colstore.Field, len(s.columns))
	for i, c := range s.columns {
		fields[i] = colstore.Field{Name: c.name, Type: c.typ}
	}
	if s.schema, err = colstore.NewSchema(fields...); err != nil {
		return fail(err)
	}
	if s.index != nil {
		return indexed{s}, nil
	}
	return s, nil
}

// pick returns the numbers of the columns asked for.
func (t *file) pick(names []string) ([]int, error) {
	at := make(map[string]int, len(t.names))
	for i, n := range t.names {
		at[n] = i
	}
	if names == nil {
		names = t.names
	}
	picked := make([]int, len(names))
	seen := make(map[string]bool, len(names))
	for i, n := range names {
		c, ok := at[n]
		switch {
		case !ok:
			return nil, &colstore.Error{Column: n, Err: fmt.Errorf("%w%s", colstore.ErrNoColumn, colstore.Suggest(n, t.names))}
		case seen[n]:
			return nil, &colstore.Error{Column: n, Err: fmt.Errorf("%w: it is asked for twice", colstore.ErrDuplicate)}
		}
		picked[i], seen[n] = c, true
	}
	return picked, nil
}

// add appends a column, and the one that tells which of its cells are there if its dtype has no value for the others.
func (s *source) add(name string, cell int, f finding, found bool) {
	s.columns = append(s.columns, column{
		name: name, typ: f.typ, cell: cell, decode: newDecoder(f.typ, f.fill, found), found: found, empty: f.empty, negative: f.negative,
	})
	if f.mode == format.NullMask {
		s.columns = append(s.columns, column{name: name + format.MaskSuffix, typ: colstore.Bool, cell: cell, mask: true})
	}
}

// Schema returns the columns.
func (s *source) Schema() *colstore.Schema { return s.schema }

// Rows returns the number of rows, or -1 if the file was not read for its dtypes.
func (s *source) Rows() int64 { return s.rows }

// Close ends reading; the file stays open.
func (s *source) Close() error {
	s.closed.Store(true)
	return nil
}

// Freedom tells which dtypes a column could have been given that was found in its cells.
func (s *source) Freedom(name string) format.Freedom {
	i, ok := s.schema.Index(name)
	switch {
	case !ok || !s.columns[i].found:
		return format.Fixed
	case s.columns[i].empty:
		return format.Anything
	case s.columns[i].typ.IsString():
		return format.Wider
	case s.columns[i].typ == colstore.Int64 && !s.columns[i].negative:
		return format.Natural
	case s.columns[i].typ == colstore.Int64 || s.columns[i].typ == colstore.Uint64:
		return format.Float
	}
	return format.Fixed
}

// Cost returns the block that a scan holds. A row that is longer than the block, which only reading tells where there
// is no index, makes it hold more.
func (s *source) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = s.schema.Names()
	}
	row := 0
	for _, n := range columns {
		if i, ok := s.schema.Index(n); ok {
			row += s.schema.Field(i).Type.Size()
		}
	}
	return colstore.Cost{Fixed: int64(s.longest + slack + s.file.sizes.bytes(len(s.file.names))), Row: row}
}

// Splits returns ranges that begin where the index has a place.
func (s indexed) Splits(rows int) []colstore.Range {
	return s.index.splits(s.rows, int64(max(rows, 1)))
}

// Scan reads the rows asked for. A scan of an indexed source starts at the last place before them.
func (s *source) Scan(ctx context.Context, q colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		sc, err := s.newScan(q)
		if err != nil {
			yield(nil, s.failed(err))
			return
		}
		defer sc.close()
		for {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			b, err := sc.batch()
			if err != nil {
				yield(nil, s.failed(err))
				return
			}
			if b == nil {
				return
			}
			if !b.Lend(yield) {
				return
			}
		}
	}
}

// failed adds what was done to an error that does not tell.
func (s *source) failed(err error) error {
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok {
		return &colstore.Error{Op: "read", Path: s.file.path, Err: err}
	}
	if e.Path == "" {
		e.Op, e.Path = "read", s.file.path
	}
	return err
}
