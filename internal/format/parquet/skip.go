package parquet

import (
	"sort"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// kept returns the rows of a scan that are left when row groups and pages are left out, as ranges in order. Neighbours are
// one range.
func (s *source) kept(rows colstore.Range, outputs []output, o colstore.Scan) []colstore.Range {
	if o.Skip == nil || rows.Rows() == 0 {
		return []colstore.Range{rows}
	}
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	var out []colstore.Range
	keep := func(at colstore.Range) {
		if n := len(out); n > 0 && out[n-1].End == at.Begin {
			out[n-1].End = at.End
		} else {
			out = append(out, at)
		}
	}
	groups := s.f.groups
	for _, g := range groups[sort.Search(len(groups), func(i int) bool { return groups[i].end() > rows.Begin }):] {
		at := colstore.Range{Begin: max(rows.Begin, g.first), End: min(rows.End, g.end())}
		if at.Begin >= at.End {
			break
		}
		if !s.nullsAreFine(outputs, g) {
			o.Skipped.Group(at, g.first, false)
			keep(at)
			continue
		}
		p := &pageBounds{s: s, g: g, w: w}
		skip := o.Skip.Skip(at, func(name string) (colstore.Bounds, bool) {
			p.asked(name)
			return s.bounds(name, g)
		})
		if o.Skipped.Group(at, g.first, skip); !skip {
			p.kept(at, o, keep)
		}
	}
	return out
}

// nullsAreFine reports whether reading a group cannot meet a null that is an error: one that is skipped would be missed.
func (s *source) nullsAreFine(outputs []output, g group) bool {
	for _, o := range outputs {
		in := &s.inputs[o.input]
		if !in.absent && in.fill == nil && in.col.maxDef > 0 && g.Columns[in.col.leaf].Statistics.Nulls != 0 {
			return false
		}
	}
	return true
}

// bounds returns what the statistics of a row group tell of a column as it is read.
func (s *source) bounds(name string, g group) (b colstore.Bounds, ok bool) {
	i, there := s.schema.Index(name)
	if !there {
		return b, false
	}
	out := s.outputs[i]
	return s.boundsOf(out, &g.Columns[s.inputs[out.input].col.leaf].Statistics, g.Rows)
}

// boundsOf returns what statistics of some rows of a column tell of it as it is read.
//
// They say nothing of NaN, which may be in every column of floats. A null becomes NaN or NaT, or a value that need not lie
// within the bounds.
//
// Source: parquet-format, "Statistics" and "ColumnOrder" of parquet.thrift.
func (s *source) boundsOf(out output, stats *meta.Statistics, rows int64) (b colstore.Bounds, ok bool) {
	in := &s.inputs[out.input]
	if in.absent || in.col.orderless || in.col.list != nil {
		return b, false
	}
	if out.mask {
		return maskBounds(stats.Nulls, rows)
	}
	lo, hi := stats.Min, stats.Max
	switch {
	case lo == nil && hi == nil:
		if lo, hi = stats.OldMin, stats.OldMax; !in.col.isSigned() {
			return b, false // their writers took the values for signed, whatever they are
		}
	case !s.f.footer.HasTypeOrder(in.col.leaf) && !in.col.isSigned():
		return b, false
	}
	isFloat := in.typ.Kind() == colstore.KindFloat
	b.NaN = isFloat
	if in.col.maxDef > 0 && stats.Nulls != 0 {
		if in.fill == nil || !isFloat && !in.typ.IsTime() || !isMissing(in.typ, in.fill) {
			return b, false
		}
		b.NaN = true
	}
	if b.Lo, ok = in.bound(lo); !ok {
		return b, false
	}
	b.Hi, ok = in.bound(hi)
	return b, ok
}

// maskBounds are those of which values were there.
func maskBounds(nulls, rows int64) (b colstore.Bounds, ok bool) {
	switch nulls {
	case 0:
		b.Lo = colstore.ScalarOf(true).Cell()
	case rows:
		b.Lo = colstore.ScalarOf(false).Cell()
	default:
		return b, false
	}
	b.Hi = b.Lo
	return b, true
}

// isSigned reports whether the order of the column's values is that of signed numbers, on which writers always agreed.
func (c *column) isSigned() bool {
	switch c.physical {
	case meta.Boolean:
		return true
	case meta.Int32, meta.Int64:
		return c.typ.Kind() == colstore.KindInt || c.typ.IsTime()
	}
	return false
}

// isMissing reports whether the bytes of a float or time are NaN or NaT.
func isMissing(t colstore.DType, raw []byte) bool {
	switch t {
	case colstore.Float16:
		return view[uint16](raw)[0]&0x7fff > 0x7c00
	case colstore.Float32:
		v := view[float32](raw)[0]
		return v != v
	case colstore.Float64:
		v := view[float64](raw)[0]
		return v != v
	}
	return view[int64](raw)[0] == colstore.NaT
}

// bound returns a bound of the file as a value of the dtype the column is read as. Text and bytes are cut to its width:
// no value is wider, so what is cut off decides nothing.
func (in *input) bound(raw []byte) (v colstore.Column, ok bool) {
	c := in.col
	value := make([]byte, in.typ.Size())
	switch {
	case raw == nil:
		return v, false
	case c.form == formText:
		ok = cutText(view[uint32](value), raw)
	case c.form == formBytes:
		copy(value, raw)
		ok = true
	case c.form == formBool:
		if ok = len(raw) == 1 && raw[0] <= 1; ok {
			value[0] = raw[0]
		}
	case len(raw) == c.width:
		ok = c.convert(value, raw) == nil
	}
	if !ok {
		return v, false
	}
	v, err := colstore.NewColumn(in.typ, 1, value)
	return v, err == nil
}

// cutText decodes as much UTF-8 as there is room for.
func cutText(points []uint32, s []byte) bool {
	for i := 0; i < len(points) && len(s) > 0; i++ {
		r, size := utf8.DecodeRune(s)
		if r == utf8.RuneError && size <= 1 {
			return false
		}
		points[i] = uint32(r)
		s = s[size:]
	}
	return true
}
