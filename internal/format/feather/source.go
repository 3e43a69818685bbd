package feather

import (
	"context"
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of a file.
type source struct {
	f     *file
	plan  *columnar.Plan
	at    []int // of the plan's inputs: the places of their values in the rows of lists, or format.UnfoldedWhole
	dicts *dictionaries
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

// isStored reports whether no body is compressed, so that reading can start at any row.
func (s *source) isStored() bool {
	for i := range s.f.batches {
		if s.f.batches[i].Codec != meta.Stored {
			return false
		}
	}
	return true
}

// Splits returns the record batches, neighbours joined while they hold at most rows rows together. A compressed batch is
// one range even if it is larger: decoding starts at its beginning.
func (s *source) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	if s.isStored() {
		step := int64(max(1, rows))
		for at := int64(0); at < s.f.rows; at += step {
			out = append(out, colstore.Range{Begin: at, End: min(at+step, s.f.rows)})
		}
		return out
	}
	for i := range s.f.batches {
		b := &s.f.batches[i]
		if n := len(out); n > 0 && b.end()-out[n-1].Begin <= int64(rows) {
			out[n-1].End = b.end()
			continue
		}
		out = append(out, colstore.Range{Begin: b.first, End: b.end()})
	}
	return out
}

// Cost returns what a scan of columns holds: the windows of their streams, text and headers under way, dictionaries, and
// the buffers of views.
func (s *source) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = s.plan.Schema.Names()
	}
	var cost colstore.Cost
	values, lists := map[int]bool{}, map[int]bool{} // that are in the cost, by leaf
	for _, n := range columns {
		i, ok := s.plan.Schema.Index(n)
		if !ok {
			continue
		}
		cost.Row += s.plan.Schema.Field(i).Type.Size()
		input := s.plan.Outputs[i].Input
		in := &s.plan.Inputs[input]
		// The columns of a list are read together.
		if !lists[in.Place] && s.f.leaves[in.Place].list != nil {
			lists[in.Place] = true
			cost.Fixed += s.holdsLists(in)
		}
		if !values[in.Place] && s.at[input] != format.UnfoldedCount {
			values[in.Place] = true
			cost.Fixed += s.holds(&in.Column)
		}
	}
	return cost
}

// holds returns what a cursor of a column holds.
func (s *source) holds(c *columnar.Column) int64 {
	t, p := c.Type, s.f.leaves[c.Place].place
	held := int64(stepRows)
	switch {
	case t.Kind == columnar.Null:
		return held
	case t.OffsetBytes() > 0 && t.Index == nil:
		held += stepBytes + 2*stepRows*int64(t.OffsetBytes())
	default:
		held += stepRows * columnar.ViewBytes
	}
	var views, window int64
	for i := range s.f.batches {
		b := &s.f.batches[i]
		first := b.buffer(p)
		n := 2
		if t.OffsetBytes() > 0 && t.Index == nil {
			n = 3
		}
		var sum int64
		for _, buf := range b.Buffers[first : first+n] {
			if st, err := s.f.stream(&b.body, buf); err == nil {
				sum += st.holds()
			}
		}
		window = max(window, sum)
		if t.IsView() && t.Index == nil {
			var all, most int64
			for _, buf := range b.Buffers[first+2 : first+2+int(b.Variadic[p.view])] {
				if st, err := s.f.stream(&b.body, buf); err == nil {
					all, most = all+st.size, max(most, st.size)
				}
			}
			views = max(views, min(all, viewBytes+2*most))
		}
	}
	held += window + views
	s.dicts.mu.Lock()
	defer s.dicts.mu.Unlock()
	if h, ok := s.dicts.held[c.Place]; ok {
		for _, b := range h.values.Buffers {
			held += int64(len(b))
		}
	}
	return held
}
