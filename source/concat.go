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

// togetherRows is the most rows of small parts that one split has. What a split costs, states to merge and a slot to wait
// for, is worth the work of some thousand rows.
const togetherRows = 1 << 14

// Splits returns the splits of the parts. Parts that follow each other and have few rows share one, if none of them holds
// memory of its own while it is read.
func (c *concat) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	together := int64(min(rows, togetherRows))
	open := false // the last split has room for the next part
	for i, p := range c.parts {
		n := p.Source.Rows()
		if n == 0 {
			continue
		}
		small := n > 0 && n < together && costOf(p.Source).Rescan
		if last := len(out) - 1; small && open && out[last].Rows()+n <= together {
			out[last].End += n
			continue
		}
		ranges := []colstore.Range{{Begin: 0, End: n}}
		if s, ok := p.Source.(colstore.Splitter); ok && !small {
			ranges = s.Splits(rows)
		}
		for _, r := range ranges {
			if r.Rows() > 0 {
				out = append(out, colstore.Range{Begin: c.starts[i] + r.Begin, End: c.starts[i] + r.End})
			}
		}
		open = small
	}
	return out
}

func costOf(s colstore.Source) colstore.Cost {
	if k, ok := s.(colstore.Coster); ok {
		return k.Cost(nil)
	}
	return colstore.Cost{}
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

// maxMapped is the most parts that are shown at once: Linux maps some 65,000 files.
const maxMapped = 1 << 14

// Map shows the parts, if all of them lie in memory.
func (c *concat) Map(columns []string) ([]*colstore.Batch, error) {
	return c.mapParts(columns, 0, len(c.parts), nil)
}

// mapRows implements rowsMapper.
func (c *concat) mapRows(columns []string, rows colstore.Range, read rowset) ([]*colstore.Batch, error) {
	if c.Rows() < 0 || rows.End <= rows.Begin {
		return c.Map(columns)
	}
	return c.mapParts(columns, c.partOf(rows.Begin), c.partOf(rows.End-1)+1, read)
}

// mapParts shows the parts from first to end. Those that hold none of the rows to be read, nil for all, need not be whole.
func (c *concat) mapParts(columns []string, first, end int, read rowset) ([]*colstore.Batch, error) {
	if end-first > maxMapped {
		return nil, fmt.Errorf("%w: %d files are too many to be mapped at once; read a copy, or open fewer", colstore.ErrNotViewable, end-first)
	}
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
	var used []bool // by part; nil as long as it does not matter
	for i, p := range c.parts[first:end] {
		m, ok := p.Source.(colstore.Mapper)
		if !ok {
			return fail(&colstore.Error{Op: "map", Path: p.Name, Err: fmt.Errorf("%w: the rows do not lie in memory", colstore.ErrNotViewable)})
		}
		part, err := m.Map(columns)
		if err != nil && read != nil && !errors.Is(err, colstore.ErrNotViewable) {
			if used == nil {
				used = c.used(read)
			}
			if !used[first+i] {
				part, err = c.standIn(columns, p.Source.Rows())
			}
		}
		if err != nil {
			return fail(err)
		}
		begin := c.starts[first+i]
		if begin == 0 && out == nil {
			out = part
			continue
		}
		for _, b := range part {
			out = append(out, b.WithBegin(begin+b.Begin()))
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
			for b, err := range countedScan(ctx, p.Source, part, begin, len(c.parts)) {
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

// countedScan is a scan of one of so many parts, whose rows begin at row begin of the whole. What is left out of it is
// counted as of a file.
func countedScan(ctx context.Context, src colstore.Source, s colstore.Scan, begin int64, parts int) iter.Seq2[*colstore.Batch, error] {
	to := s.Skipped
	if s.Skip == nil || to == nil || parts == 1 {
		return src.Scan(ctx, s)
	}
	return func(yield func(*colstore.Batch, error) bool) {
		s.Skipped = new(colstore.Skipped)
		file := colstore.Range{Begin: begin, End: begin + src.Rows()}
		at := file
		if s.Rows != (colstore.Range{}) {
			at = colstore.Range{Begin: begin + s.Rows.Begin, End: begin + s.Rows.End}
		}
		defer func() { to.File(file, at, s.Skipped) }()
		for b, err := range src.Scan(ctx, s) {
			if !yield(b, err) {
				return
			}
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
