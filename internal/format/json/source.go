package json

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of a file.
type source struct {
	file    *file
	schema  *colstore.Schema
	columns []column // in the schema's order
	rows    int64
	closed  atomic.Bool
}

// A column is one of a source.
type column struct {
	name   string
	typ    colstore.DType
	number int // of the file's column
	leaf   *leaf
	at     int // the place of the values in a list, or what else format.Unfold says
	decode decoder
	fill   colstore.Scalar // the value of a list's nulls
	found  bool            // the dtype was found, not declared
	empty  bool            // it has no value that is not null
	nulls  bool            // some values are null
	mask   bool            // the values tell which of the file's column are there
}

// Source returns columns of the file, which has been read as a whole already.
func (t *file) Source(_ context.Context, p format.Projection) (colstore.Source, error) {
	s := &source{file: t, rows: t.survey.rows}
	asked := p.Columns
	if asked == nil {
		asked = t.Names()
	}
	first := -1
	if t.stretch != nil {
		s.rows = t.stretch[0].rows
	}
	for _, name := range asked {
		u, err := t.columns.Find(name)
		if err != nil {
			return nil, t.failed("read", err)
		}
		l := t.leaves[u.Field.Leaf]
		c := l.number
		if t.stretch != nil {
			if first < 0 {
				first, s.rows = c, t.stretch[c].rows
			}
			if err := t.aligned(first, c); err != nil {
				return nil, t.failed("read", err)
			}
		}
		f, err := t.find(u, p.Types[name].Native())
		if err != nil {
			return nil, t.failed("read", err)
		}
		s.add(name, u.At, l, f)
	}
	fields := make([]colstore.Field, len(s.columns))
	for i, c := range s.columns {
		fields[i] = colstore.Field{Name: c.name, Type: c.typ}
	}
	var err error
	if s.schema, err = colstore.NewSchema(fields...); err != nil {
		return nil, t.failed("read", err)
	}
	return s, nil
}

// aligned makes sure that two columns of a file that lies by columns have the same rows.
func (t *file) aligned(a, b int) error {
	x, y := &t.stretch[a], &t.stretch[b]
	fail := func(why string) error {
		return &colstore.Error{Column: t.names.list[b], Err: fmt.Errorf("%w: %s", colstore.ErrMismatch, why)}
	}
	switch {
	case x.rows != y.rows:
		return fail(fmt.Sprintf("it has %d values, column %q has %d; read those of one length (--columns)", y.rows, text.Clip(t.names.list[a]), x.rows))
	case x.around.keyed && y.around.keyed && x.labels != y.labels:
		return fail(fmt.Sprintf("its rows have other labels than those of column %q, or another order; write the file as records", text.Clip(t.names.list[a])))
	}
	return nil
}

// find returns what becomes of a column, for which a dtype may be declared.
func (t *file) find(u *format.UnfoldedColumn, declared colstore.DType) (finding, error) {
	l := t.leaves[u.Field.Leaf]
	switch {
	case l.refuse != nil:
		return finding{}, l.guess.at(u.Name, l.refuse)
	case u.At == format.UnfoldedCount:
		return l.countOf(u.Name, t.nulls)
	}
	if declared.Kind() == colstore.KindInvalid && l.rows == nil && len(l.route) == 0 {
		declared = t.typed[u.Name].Native()
	}
	return l.guess.find(u.Name, declared, t.nulls)
}

// add appends a column, and the one that tells which of its values are there if the policy for nulls wants that.
func (s *source) add(name string, at int, l *leaf, f finding) {
	c := column{name: name, typ: f.typ, number: l.number, leaf: l, at: at, fill: f.fill, found: f.found, empty: f.empty, nulls: l.guess != nil && l.guess.absent >= 0}
	switch at {
	case format.UnfoldedCount:
	case format.UnfoldedWhole:
		c.decode = newDecoder(f.typ, f.fill)
	default:
		c.decode = newDecoder(f.typ, format.Missing(f.typ))
	}
	s.columns = append(s.columns, c)
	if f.mode == format.NullMask {
		c.name, c.typ, c.mask = name+format.MaskSuffix, colstore.Bool, true
		s.columns = append(s.columns, c)
	}
}

// Schema returns the columns.
func (s *source) Schema() *colstore.Schema { return s.schema }

// Rows returns the number of rows.
func (s *source) Rows() int64 { return s.rows }

// Close ends reading; the file stays open.
func (s *source) Close() error {
	s.closed.Store(true)
	return nil
}

// Freedom tells which dtypes a column could have been given that was found in its values. Whole numbers beyond 2^53 are not
// made floats because of other files.
func (s *source) Freedom(name string) format.Freedom {
	i, ok := s.schema.Index(name)
	exact, natural := false, false
	if ok {
		g := s.columns[i].leaf.guess
		exact, natural = !g.has(hasInexact), s.columns[i].typ == colstore.Int64 && !g.has(hasNegative)
	}
	switch {
	case !ok || !s.columns[i].found || s.columns[i].at == format.UnfoldedCount:
		return format.Fixed
	case s.columns[i].empty && s.columns[i].at >= 0 && s.columns[i].leaf.guess.absent < 0:
		return format.Unused
	case s.columns[i].empty:
		return format.Anything
	case s.columns[i].typ.IsString():
		return format.Wider
	case natural && exact:
		return format.Natural
	case natural:
		return format.Unsigned
	case (s.columns[i].typ == colstore.Int64 || s.columns[i].typ == colstore.Uint64) && exact:
		return format.Float
	}
	return format.Fixed
}

// Cost returns the windows and blocks that a scan holds: one, or one a column if the file lies by columns.
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
	n := len(columns)
	if s.file.stretch == nil {
		return colstore.Cost{Fixed: int64(s.file.longest + slack + s.file.sizes.blockBytes(n)), Row: row}
	}
	// A value that is longer than the window of its column makes that grow: there is room for one of them.
	part := s.file.sizes.share(n)
	return colstore.Cost{Fixed: int64(n)*int64(part.text+slack+part.blockBytes(1)) + int64(s.file.longest), Row: row}
}

// Splits returns ranges that begin where the first pass noted the place of a row.
func (s *source) Splits(rows int) []colstore.Range {
	index := s.file.index
	if s.file.stretch != nil {
		number := 0
		if len(s.columns) > 0 {
			number = s.columns[0].number
		}
		index = s.file.stretch[number].index
	}
	return index.splits(s.rows, int64(max(rows, 1)))
}

// Scan reads the rows asked for, from the last place before them that the first pass noted.
func (s *source) Scan(ctx context.Context, q colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		sc, err := s.newScan(q)
		if err != nil {
			yield(nil, s.file.failed("read", err))
			return
		}
		for {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			b, err := sc.batch()
			if errors.Is(err, errDone) {
				return
			}
			if err != nil {
				yield(nil, s.file.failed("read", err))
				return
			}
			if !b.Lend(yield) {
				return
			}
		}
	}
}
