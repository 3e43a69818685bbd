package parquet

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/codec"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// Splits returns the row groups, neighbours joined while they hold at most rows rows together. A row group is one range
// even if it is larger: decoding starts at its beginning.
func (s *source) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	for _, g := range s.f.groups {
		if n := len(out); n > 0 && g.end()-out[n-1].Begin <= int64(rows) {
			out[n-1].End = g.end()
			continue
		}
		out = append(out, colstore.Range{Begin: g.first, End: g.end()})
	}
	return out
}

// Cost returns what a scan of columns holds: of each a decompressed page, a dictionary and the index of its pages in a row
// group, and the compressed bytes of the page that is being read, for two threads. Pages are measured by the headers of the column's largest chunk. The
// footer, which all scans share, is not in it.
func (s *source) Cost(columns []string) colstore.Cost {
	outputs := s.outputs
	if columns != nil {
		outputs = nil
		for _, n := range columns {
			if i, ok := s.schema.Index(n); ok {
				outputs = append(outputs, s.outputs[i])
			}
		}
	}
	var c colstore.Cost
	compressed := int64(readAhead)
	for _, l := range s.slots(outputs) {
		if l.mask >= 0 {
			c.Row++
		}
		if l.values >= 0 || !l.in.absent {
			c.Row += l.in.typ.Size()
		}
		if l.in.absent {
			continue
		}
		held, packed := l.in.pages(s.f)
		c.Fixed += held
		compressed = max(compressed, packed)
	}
	for _, x := range s.spreads(outputs) {
		c.Row += 8 // how many values the row has
		for _, k := range x.columns {
			if k.in != nil && k.values >= 0 {
				c.Row += k.in.typ.Size()
			}
			if k.mask >= 0 {
				c.Row++
			}
		}
		in := x.any()
		held, packed := in.pages(s.f)
		c.Fixed += held + spreadBytes + int64(in.typ.Size()) + blockLevels*32 + int64(len(x.columns))*64
		compressed = max(compressed, packed)
	}
	c.Fixed += 2 * compressed
	return c
}

// pages returns the bytes that decoding a column holds, and the largest compressed page.
func (in *input) pages(f *file) (held, compressed int64) {
	largest := -1
	for g := range f.groups {
		if largest < 0 || f.groups[g].Columns[in.col.leaf].Bytes > f.groups[largest].Columns[in.col.leaf].Bytes {
			largest = g
		}
	}
	if largest < 0 {
		return 0, 0
	}
	var page, dictionary int64
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	p := &pager{}
	err := p.open(f, in.col, largest)
	for err == nil && p.left > 0 {
		if err = p.advance(w); err != nil {
			break
		}
		compressed = max(compressed, int64(p.page.Compressed))
		if p.page.Type == meta.DictionaryPage {
			dictionary = int64(p.page.Size) + in.entries(int64(p.page.Values))
		} else {
			page = max(page, int64(p.page.Size))
		}
	}
	if err != nil {
		// The scan will say what is wrong.
		c := f.groups[largest].Columns[in.col.leaf]
		page, compressed = min(c.Bytes, int64(f.limits.Page)), min(c.Compressed, int64(f.limits.Page))
	}
	return page + dictionary + 2*codec.Spare + f.indexCost(&f.groups[largest].Columns[in.col.leaf]), compressed
}

// indexCost returns what the page index of a chunk takes while pages are left out by it.
func (f *file) indexCost(c *meta.Chunk) int64 {
	if c.Bounds.Length <= 0 || c.Bounds.Length > maxIndex || c.Places.Length <= 0 || c.Places.Length > maxIndex {
		return 0
	}
	return 4 * (int64(c.Bounds.Length) + int64(c.Places.Length))
}

// entries returns the bytes of a converted dictionary.
func (in *input) entries(n int64) int64 {
	size := n * int64(in.typ.Size())
	if in.col.physical == meta.ByteArray {
		if size > maxExpanded {
			size = 0
		}
		return size + 8*n
	}
	if in.col.form == formCopy {
		return 0
	}
	return size
}
