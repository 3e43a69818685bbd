package parquet

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// maxIndex bounds each part of the page index of a chunk. A larger one costs more than it saves, and is not read.
const maxIndex = 1 << 20

// A pageIndex is the page index of one chunk, if it has one that holds together.
type pageIndex struct {
	places meta.OffsetIndex
	bounds *meta.ColumnIndex
	rows   int64 // of the row group
}

// region reads a part of the page index. It lasts until the next use of w.
func (f *file) region(r meta.Region, w *workspace) ([]byte, error) {
	if r.Length <= 0 || r.Length > maxIndex || r.Offset < int64(len(magic)) || r.Offset > f.end-int64(r.Length) {
		return nil, fmt.Errorf("%w: no page index", colstore.ErrFormat)
	}
	raw, err := w.bytes(f, r.Offset, int64(r.Length), f.end)
	if err != nil {
		return nil, err
	}
	return raw[:r.Length], nil
}

// offsetIndex returns the places of a chunk's data pages, nil if the file does not give them or contradicts itself in them:
// then the pages are found one after the other.
func (f *file) offsetIndex(c *meta.Chunk, rows int64, w *workspace) meta.OffsetIndex {
	raw, err := f.region(c.Places, w)
	if err != nil || c.Elsewhere || c.Encrypted || c.Values != rows {
		return nil
	}
	places, err := meta.ParseOffsetIndex(raw)
	if err != nil || len(places) == 0 || places.Check(c, rows) != nil {
		return nil
	}
	return places
}

// pageIndex returns the page index of a chunk, nil if there is none that holds together: an index saves work, and what is
// wrong with it is no reason not to read the file.
func (f *file) pageIndex(c *meta.Chunk, rows int64, w *workspace) *pageIndex {
	x := &pageIndex{places: f.offsetIndex(c, rows, w), rows: rows}
	raw, err := f.region(c.Bounds, w)
	if err != nil || x.places == nil {
		return nil
	}
	if x.bounds, err = meta.ParseColumnIndex(bytes.Clone(raw), len(x.places)); err != nil {
		return nil
	}
	if x.bounds.Nulls == nil {
		return x
	}
	sum := int64(0)
	for i, n := range x.bounds.Nulls {
		if n < 0 || n > x.end(i)-x.places[i].FirstRow || x.bounds.AllNull[i] != (n == x.end(i)-x.places[i].FirstRow) {
			return nil
		}
		sum += n
	}
	if n := c.Statistics.Nulls; n >= 0 && n != sum {
		return nil
	}
	return x
}

// end returns the row after those of a page.
func (x *pageIndex) end(page int) int64 { return x.places.End(page, x.rows) }

// statistics returns those of a page.
func (x *pageIndex) statistics(page int, chunk *meta.Statistics) meta.Statistics {
	s := meta.Statistics{Min: x.bounds.Min[page], Max: x.bounds.Max[page], Nulls: -1}
	switch {
	case x.bounds.Nulls != nil:
		s.Nulls = x.bounds.Nulls[page]
	case chunk.Nulls == 0:
		s.Nulls = 0
	}
	return s
}

// pageBounds leaves out pages of a row group. Pages of different columns end at different rows, so the group is taken in
// stretches in which no page ends of the columns that the skipper asks about.
type pageBounds struct {
	s       *source
	g       group
	w       *workspace
	names   []string
	indexes []*pageIndex // of the columns of those names; nil without one
}

// asked notes a column that the skipper asks about, and returns its place.
func (p *pageBounds) asked(name string) int {
	i := slices.Index(p.names, name)
	if i < 0 {
		i = len(p.names)
		p.names = append(p.names, name)
	}
	return i
}

// index returns the page index of the column at a place, nil if there is none.
func (p *pageBounds) index(i int) *pageIndex {
	for len(p.indexes) <= i {
		var x *pageIndex
		if j, ok := p.s.schema.Index(p.names[len(p.indexes)]); ok {
			if in := &p.s.inputs[p.s.outputs[j].input]; !in.absent {
				x = p.s.f.pageIndex(&p.g.Columns[in.col.leaf], p.g.Rows, p.w)
			}
		}
		p.indexes = append(p.indexes, x)
	}
	return p.indexes[i]
}

// kept calls keep for the rows of a group that are left, of those at at.
func (p *pageBounds) kept(at colstore.Range, o colstore.Scan, keep func(colstore.Range)) {
	var left []colstore.Range
	out := int64(0)
	for next := at.Begin; next < at.End; {
		rows := colstore.Range{Begin: next, End: p.border(next, at.End)}
		if rows == at && !p.some() {
			keep(at)
			return
		}
		next = rows.End
		if o.Skip.Skip(rows, func(name string) (colstore.Bounds, bool) { return p.bounds(name, rows) }) {
			out += rows.Rows()
			continue
		}
		if n := len(left); n > 0 && left[n-1].End == rows.Begin {
			left[n-1].End = rows.End
		} else {
			left = append(left, rows)
		}
	}
	for _, rows := range left {
		keep(rows)
	}
	if o.Skipped != nil {
		p.count(o.Skipped, at, left, out)
	}
}

// some reports whether any column that was asked about has a page index.
func (p *pageBounds) some() bool {
	for i := range p.names {
		if p.index(i) != nil {
			return true
		}
	}
	return false
}

// border returns the first row after row at which a page ends, at most end.
func (p *pageBounds) border(row, end int64) int64 {
	for i := range p.names {
		if x := p.index(i); x != nil {
			at := row - p.g.first
			end = min(end, p.g.first+x.end(x.places.Page(at)))
		}
	}
	return end
}

// bounds returns what is known of a column in rows: by the page they lie in, else by the row group. A column that is asked
// about for the first time may have several pages there.
func (p *pageBounds) bounds(name string, rows colstore.Range) (colstore.Bounds, bool) {
	x := p.index(p.asked(name))
	if x == nil {
		return p.s.bounds(name, p.g)
	}
	page := x.places.Page(rows.Begin - p.g.first)
	if x.end(page) < rows.End-p.g.first {
		return p.s.bounds(name, p.g)
	}
	j, _ := p.s.schema.Index(name)
	out := p.s.outputs[j]
	in := &p.s.inputs[out.input]
	stats := x.statistics(page, &p.g.Columns[in.col.leaf].Statistics)
	if x.bounds.AllNull[page] {
		return in.nullBounds(out)
	}
	b, ok := p.s.boundsOf(out, &stats, x.end(page)-x.places[page].FirstRow)
	if !ok {
		return p.s.bounds(name, p.g)
	}
	return b, ok
}

// nullBounds returns the bounds of rows that have no value: those of what a null becomes. NaN and NaT lie beside any bounds,
// such as zero.
func (in *input) nullBounds(out output) (b colstore.Bounds, ok bool) {
	switch {
	case out.mask:
		b.Lo = colstore.ScalarOf(false).Cell()
	case in.fill == nil:
		return b, false
	default:
		value := in.fill
		if (in.typ.Kind() == colstore.KindFloat || in.typ.IsTime()) && isMissing(in.typ, value) {
			value, b.NaN = make([]byte, in.typ.Size()), true
		}
		var err error
		if b.Lo, err = colstore.NewColumn(in.typ, 1, value); err != nil {
			return b, false
		}
	}
	b.Hi = b.Lo
	return b, true
}

// count tells how many pages of the columns that were asked about have no row left.
func (p *pageBounds) count(to *colstore.Skipped, at colstore.Range, left []colstore.Range, rows int64) {
	out, of := int64(0), int64(0)
	for _, x := range p.indexes {
		if x == nil {
			continue
		}
		next := left
		for i, l := range x.places {
			page := colstore.Range{Begin: max(at.Begin, p.g.first+l.FirstRow), End: min(at.End, p.g.first+x.end(i))}
			if page.Begin >= page.End {
				continue
			}
			for len(next) > 0 && next[0].End <= page.Begin {
				next = next[1:]
			}
			of++
			if len(next) == 0 || next[0].Begin >= page.End {
				out++
			}
		}
	}
	to.Pages(out, of, rows)
}
