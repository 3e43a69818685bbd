package feather

import (
	"context"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of a file.
type source struct {
	f     *file
	plan  *columnar.Plan
	at    []int // of the plan's inputs: the places of their values in the rows of lists, or format.UnfoldedWhole
	dicts *dictionaries
	views []bool // of the plan's inputs: whether the values are shown as they lie in the file
	costs costs
	// widths are the characters of the longest values of lists, by leaf.
	widths map[int]int
}

// Source returns the columns of p. Text without a declared width is read here: where each value ends, and the values
// themselves where one could be longer in characters than those before it.
func (f *file) Source(ctx context.Context, p format.Projection) (colstore.Source, error) {
	if f.closed.Load() {
		return nil, f.failed("read", "", colstore.ErrClosed)
	}
	words := columnar.Words{
		Op: "read", Path: f.path, Table: "file", Columns: "--columns", Types: "--dtype",
		Null: func(column string, row colstore.Pos) error { return format.NullFound(f.path, column, row) },
	}
	o := &columnar.Options{Types: p.Types, Nulls: f.nulls}
	wanted := p.Columns
	if wanted == nil {
		wanted = f.Names()
	}
	s := &source{f: f, dicts: &dictionaries{held: map[int]heldDictionary{}}, widths: map[int]int{}}
	columns := make([]columnar.Column, len(wanted))
	for i, name := range wanted {
		c, err := f.columns.Find(name)
		if err != nil {
			return nil, words.Failed(name, 0, err)
		}
		if columns[i], err = f.column(c); err != nil {
			return nil, words.Failed(name, 0, err)
		}
		s.at = append(s.at, c.At)
	}
	var err error
	s.plan, err = columnar.NewPlan(columns, o, words, func(c *columnar.Column, width bool) (columnar.Facts, error) {
		var facts columnar.Facts
		err := guard(func() (err error) {
			facts, err = s.survey(ctx, c, width)
			return err
		})
		return facts, err
	})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	s.findViews()
	return s, nil
}

// survey finds out about the rows of a column.
func (s *source) survey(ctx context.Context, c *columnar.Column, width bool) (columnar.Facts, error) {
	f, t := s.f, c.Type
	l := f.leaves[c.Place]
	if l.list != nil {
		return s.surveyLists(ctx, c, width)
	}
	facts := columnar.Facts{Rows: f.rows}
	if t.Kind == columnar.Null {
		facts.Nulls = f.rows
		return facts, nil
	}
	for i := range f.batches {
		facts.Nulls += f.batches[i].Nodes[l.place.node].Nulls
	}
	if facts.Rows == facts.Nulls || t.Kind == columnar.Nested || t.Kind == columnar.Other {
		return facts, nil
	}
	if err := f.checkBuffers(c); err != nil {
		return facts, err
	}
	count := f.hasNulls(l.above) // nulls, since those of a structure, or of a dictionary, are not told
	for i := range f.batches {
		if t.Index == nil {
			break
		}
		d, err := s.dicts.load(f, c, &f.batches[i])
		if err != nil {
			return facts, err
		}
		count = count || len(d.Buffers) > 0 && len(d.Buffers[0]) > 0
	}
	if !width && !count {
		return facts, nil
	}
	k := f.cursor(c, s.dicts, 0)
	behind := trail{f: f}
	defer behind.end()
	defer k.close()
	nulls := int64(0)
	facts.Width = c.Width()
	known := func(longest int64) bool { return longest <= int64(facts.Width) }
	const rows = 1 << 16
	for at := int64(0); at < f.rows; at += rows {
		if err := context.Cause(ctx); err != nil {
			return facts, err
		}
		err := k.rows(int(min(rows, f.rows-at)), nil, known, func(v *columnar.Values, _, rows int) (err error) {
			nulls += int64(v.Nulls(0, rows))
			if width {
				facts.Width, err = v.Width(c, facts.Width)
			}
			return err
		})
		if err != nil {
			return facts, shift(err, int(at))
		}
		behind.follow(k)
	}
	if count {
		facts.Nulls = nulls
	}
	return facts, nil
}

// checkBuffers refuses a column whose buffers are too small for its rows, before anybody makes room for these.
func (f *file) checkBuffers(c *columnar.Column) error {
	t, l := c.Type, f.leaves[c.Place]
	p := l.place
	if int64(t.ValueBytes()) > int64(f.limits.Page) {
		return fmt.Errorf("%w: values of %s, the limit is %s (limits.page)", colstore.ErrFormat, colstore.ByteSize(t.ValueBytes()), f.limits.Page)
	}
	for i := range f.batches {
		b := &f.batches[i]
		rows := l.starts[i+1] - l.starts[i]
		if b.Nodes[p.node].Nulls == rows {
			continue
		}
		s, err := f.stream(&b.body, b.Buffers[b.buffer(p)+1])
		if err != nil {
			return err
		}
		var need int64
		switch {
		case t.Index != nil:
			need = rows * int64(t.Index.Size)
		case t.Kind == columnar.Bool:
			need = (rows + 7) / 8
		case t.OffsetBytes() > 0:
			need = (rows + 1) * int64(t.OffsetBytes())
		case t.IsView():
			need = rows * columnar.ViewBytes
		case t.ValueBytes() > 0 && rows > math.MaxInt64/int64(t.ValueBytes()):
			need = math.MaxInt64
		default:
			need = rows * int64(t.ValueBytes())
		}
		if s.size < need {
			return fmt.Errorf("%w: a buffer of %d bytes for %d rows, which take %d", colstore.ErrFormat, s.size, rows, need)
		}
	}
	return nil
}

// Schema returns the columns as they are read.
func (s *source) Schema() *colstore.Schema { return s.plan.Schema }

// Rows returns the number of rows.
func (s *source) Rows() int64 { return s.f.rows }

// Close does nothing; the file is closed by its own Close.
func (s *source) Close() error { return nil }

// Freedom tells which dtypes a column could have been given that was found in its values: the width of text, and anything
// for a column without values.
func (s *source) Freedom(column string) format.Freedom {
	for i := range s.plan.Inputs {
		if in := &s.plan.Inputs[i]; in.Name == column {
			return in.Freedom
		}
	}
	return format.Fixed
}
