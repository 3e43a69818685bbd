package source

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/colstore/colstore-go"
)

// Mismatch says what becomes of columns in which the parts of a table differ.
type Mismatch uint8

// The ways.
const (
	// Strict: all parts have the same names with the same dtypes, in any order; the first part's order holds.
	Strict Mismatch = iota
	// Drop: the columns that every part has with one dtype are kept, in the first part's order.
	Drop
	// Union: the columns of any part are kept, in the order they first appear; in the rows of a part without a column its
	// values are missing: NaN, NaT, 0, false, "". Text is as wide as the widest; other dtypes that differ are an error.
	Union
)

// ParseMismatch reads "strict", "drop" or "union".
//
// Errors: colstore.ErrOption.
func ParseMismatch(s string) (Mismatch, error) {
	switch s {
	case "", "strict":
		return Strict, nil
	case "drop":
		return Drop, nil
	case "union":
		return Union, nil
	}
	return Strict, fmt.Errorf("%w: on mismatch %q; there is strict, drop, union", colstore.ErrOption, s)
}

// A Part is one source of a concatenation and its name in messages: a path.
type Part struct {
	Name   string
	Source colstore.Source
}

// Concat returns the parts one below the other as one source, which owns them: closing it closes them.
//
// Errors: colstore.ErrMismatch, naming the part and the column, when they do not fit; the parts are not closed then.
func Concat(mismatch Mismatch, parts ...Part) (colstore.Source, error) {
	return newConcat(mismatch, parts, joining{})
}

// newConcat is [Concat] of the parts of a table.
func newConcat(mismatch Mismatch, parts []Part, j joining) (*concat, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: no parts to concatenate", colstore.ErrValue)
	}
	for _, p := range parts {
		if p.Source == nil {
			return nil, &colstore.Error{Op: "open", Path: p.Name, Err: fmt.Errorf("%w: the part has no source", colstore.ErrValue)}
		}
	}
	if mismatch > Union {
		return nil, fmt.Errorf("%w: on mismatch %d; there is Strict, Drop, Union", colstore.ErrOption, mismatch)
	}
	c := &concat{starts: make([]int64, len(parts)+1), told: len(j.consts) > 0}
	var err error
	if c.parts, c.schema, c.dropped, err = join(mismatch, parts, j); err != nil {
		return nil, err
	}
	for i, p := range parts {
		n := p.Source.Rows()
		if n < 0 || c.starts[i] < 0 {
			c.starts[i+1] = -1 // from here on only reading tells
			continue
		}
		c.starts[i+1] = c.starts[i] + n
	}
	return c, nil
}

// concat is several sources as one.
type concat struct {
	parts   []Part
	starts  []int64 // global row each part begins at, and the end; -1 where it is not known
	schema  *colstore.Schema
	dropped []string
	told    bool     // some columns come of the parts' paths
	left    []string // warnings about columns that the files leave out
}

func (c *concat) Schema() *colstore.Schema { return c.schema }
func (c *concat) Rows() int64              { return c.starts[len(c.parts)] }

func (c *concat) Close() error {
	var err error
	for _, p := range c.parts {
		err = errors.Join(err, p.Source.Close())
	}
	return err
}

// Warnings tells which columns were dropped or left out, and what the parts have to tell.
func (c *concat) Warnings() []string {
	out := slices.Clone(c.left)
	if len(c.dropped) > 0 {
		out = append(out, droppedWarning(c.dropped))
	}
	for _, p := range c.parts {
		if w, ok := p.Source.(colstore.Warner); ok {
			out = append(out, w.Warnings()...)
		}
	}
	return out
}

// Splits returns the splits of the parts.
func (c *concat) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	for i, p := range c.parts {
		ranges := []colstore.Range{{Begin: 0, End: p.Source.Rows()}}
		if s, ok := p.Source.(colstore.Splitter); ok {
			ranges = s.Splits(rows)
		}
		for _, r := range ranges {
			if r.Rows() > 0 {
				out = append(out, colstore.Range{Begin: c.starts[i] + r.Begin, End: c.starts[i] + r.End})
			}
		}
	}
	return out
}

// Cost is the dearest part's: they are read one after the other, but for those at a border.
func (c *concat) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = c.schema.Names()
	}
	all := colstore.Cost{Rescan: true}
	for _, p := range c.parts {
		var one colstore.Cost
		if k, ok := p.Source.(colstore.Coster); ok {
			one = k.Cost(columns)
		}
		all.Fixed = max(all.Fixed, one.Fixed)
		all.Row = max(all.Row, one.Row)
		all.Rescan = all.Rescan && one.Rescan
	}
	return all
}

// Locate returns the part that a row lies in, by its name.
func (c *concat) Locate(row int64) (path string, at int64) {
	if len(c.parts) == 1 {
		return c.parts[0].Name, row
	}
	i := c.partOf(row)
	if i == len(c.parts) || c.starts[i+1] < 0 {
		return "", row
	}
	return c.parts[i].Name, row - c.starts[i]
}

// partOf returns the part that a row lies in, or the first one of which only reading tells how many rows it has; their number
// if there is neither.
func (c *concat) partOf(row int64) int {
	return sort.Search(len(c.parts), func(i int) bool { return c.starts[i+1] < 0 || row < c.starts[i+1] })
}

// Parts returns the sources of the parts.
func (c *concat) Parts() []colstore.Source {
	out := make([]colstore.Source, len(c.parts))
	for i, p := range c.parts {
		out[i] = p.Source
	}
	return out
}

// Map shows the parts, if all of them lie in memory.
func (c *concat) Map(columns []string) ([]*colstore.Batch, error) {
	if columns == nil {
		columns = c.schema.Names()
	}
	var out []*colstore.Batch
	fail := func(err error) ([]*colstore.Batch, error) {
		for _, b := range out {
			b.Release()
		}
		return nil, err
	}
	for i, p := range c.parts {
		m, ok := p.Source.(colstore.Mapper)
		if !ok {
			return fail(&colstore.Error{Op: "map", Path: p.Name, Err: fmt.Errorf("%w: the rows do not lie in memory", colstore.ErrNotViewable)})
		}
		part, err := m.Map(columns)
		if err != nil {
			return fail(err)
		}
		for _, b := range part {
			out = append(out, b.WithBegin(c.starts[i]+b.Begin()))
		}
	}
	return out, nil
}

// Scan yields the batches of the parts in order, with global row numbers. A range of rows needs parts whose rows are known.
func (c *concat) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if s.Columns == nil {
			s.Columns = c.schema.Names()
		}
		rows, counted := s.Rows, c.Rows() >= 0
		if rows != (colstore.Range{}) && !counted && len(c.parts) > 1 {
			yield(nil, fmt.Errorf("%w: rows %d to %d of inputs whose rows are not counted", colstore.ErrRange, rows.Begin, rows.End))
			return
		}
		if rows.End == 0 {
			rows.End = c.Rows()
		}
		if counted && (rows.Begin < 0 || rows.Begin > rows.End || rows.End > c.Rows()) {
			yield(nil, fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, rows.Begin, rows.End, c.Rows()))
			return
		}
		first := 0
		if counted {
			first = c.partOf(rows.Begin)
		}
		begin := int64(0)
		for i := first; i < len(c.parts); i++ {
			p, part := c.parts[i], s
			if counted {
				begin = c.starts[i]
				part.Rows = colstore.Range{Begin: max(0, rows.Begin-begin), End: min(c.starts[i+1], rows.End) - begin}
				if begin >= rows.End {
					return
				}
				if part.Rows.Begin >= part.Rows.End {
					continue
				}
			}
			part.Skip = nil
			if s.Skip != nil && p.Source.Rows() >= 0 { // else the last batch tells where the next part begins
				part.Skip = shifted{s.Skip, begin}
			}
			end := begin + max(0, p.Source.Rows())
			for b, err := range p.Source.Scan(ctx, part) {
				if err != nil {
					yield(nil, firstNull(ctx, p.Source, part, err))
					return
				}
				b = b.WithBegin(begin + b.Begin())
				end = max(end, b.Begin()+int64(b.Rows()))
				if !yield(b, nil) {
					return
				}
			}
			begin = end
		}
	}
}

// LeftOut returns how many of a table's files a skipper leaves out by what their paths tell, and how many there are of
// which a path tells something; 0 of 0 if src is no table, or one without such columns.
func LeftOut(src colstore.Source, skip colstore.Skipper) (out, of int) {
	if t, ok := src.(interface {
		leftOut(colstore.Skipper) (out, of int)
	}); ok {
		return t.leftOut(skip)
	}
	return 0, 0
}

func (c *concat) leftOut(skip colstore.Skipper) (out, of int) {
	if !c.told {
		return 0, 0
	}
	for i, p := range c.parts {
		if a, ok := p.Source.(*adapted); ok && a.skipped(colstore.Scan{Skip: shifted{skip, c.starts[i]}}) {
			out++
		}
	}
	return out, len(c.parts)
}

// shifted is a skipper for a part whose first row is row begin of the whole.
type shifted struct {
	colstore.Skipper
	begin int64
}

func (s shifted) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	return s.Skipper.Skip(colstore.Range{Begin: s.begin + rows.Begin, End: s.begin + rows.End}, bounds)
}
