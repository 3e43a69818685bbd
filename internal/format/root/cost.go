package root

import (
	"maps"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/codec"
)

// Splits returns ranges that begin where most of the branches begin a basket, neighbours joined while they hold at most
// rows rows together. If there is no such row, baskets of the branch that has the fewest are the ranges.
func (s *source) Splits(rows int) []colstore.Range {
	if s.f.rows == 0 {
		return nil
	}
	var out []colstore.Range
	borders := append(s.borders(), s.f.rows)
	for i, begin := range borders[:len(borders)-1] {
		end := borders[i+1]
		if n := len(out); n > 0 && end-out[n-1].Begin <= int64(rows) {
			out[n-1].End = end
			continue
		}
		out = append(out, colstore.Range{Begin: begin, End: end})
	}
	return out
}

// borders returns the rows where decoding can start at little cost, the first row among them.
func (s *source) borders() []int64 {
	starts := map[int64]int{}
	fewest := -1
	for i := range s.inputs {
		baskets := s.inputs[i].branch.baskets
		for _, k := range baskets {
			starts[k.rows.Begin]++
		}
		if fewest < 0 || len(baskets) < len(s.inputs[fewest].branch.baskets) {
			fewest = i
		}
	}
	if fewest < 0 {
		return []int64{0}
	}
	maps.DeleteFunc(starts, func(_ int64, n int) bool { return 2*n < len(s.inputs) })
	if len(starts) > 1 {
		return slices.Sorted(maps.Keys(starts))
	}
	var out []int64
	for _, k := range s.inputs[fewest].branch.baskets {
		out = append(out, k.rows.Begin)
	}
	return out
}

// Cost returns what a scan of columns holds: of each branch a decompressed block, of lists a basket and where its entries
// end, and for two threads a compressed block.
func (s *source) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = s.schema.Names()
	}
	var c colstore.Cost
	packed := int64(aheadBytes)
	seen := map[int]bool{}
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	for _, n := range columns {
		i, ok := s.schema.Index(n)
		if !ok {
			continue
		}
		c.Row += s.schema.Field(i).Type.Size()
		o := s.outputs[i]
		if seen[o.input] {
			continue
		}
		seen[o.input] = true
		in := &s.inputs[o.input]
		held, most := s.f.holds(in.branch, in.list != nil, w)
		c.Fixed, packed = c.Fixed+held, max(packed, most)
		if in.counter != nil {
			held, most = s.f.holds(in.counter, false, w)
			c.Fixed, packed = c.Fixed+held, max(packed, most)
		}
	}
	c.Fixed += 2 * packed
	return c
}

// holds returns the bytes that decoding a branch holds, and its largest compressed block.
func (f *file) holds(b *branch, whole bool, w *workspace) (held, packed int64) {
	var most, rows int64
	largest := -1
	for i, k := range b.baskets {
		if k.inner != nil {
			continue
		}
		if largest < 0 || k.bytes > b.baskets[largest].bytes {
			largest = i
		}
		rows = max(rows, k.rows.Rows())
	}
	if largest < 0 {
		return 0, 0
	}
	k := &b.baskets[largest]
	most = k.bytes
	stored := false
	packed = min(k.bytes, codec.MaxBlock)
	if h, err := f.head(k, w); err == nil { // the scan will say what is wrong
		most, stored = h.ObjectBytes, h.IsStored()
		if method, err := w.peek(f, k.seek+int64(h.KeyBytes), min(h.Packed(), 2), 2); err == nil && string(method) == codec.XZ {
			packed += min(most, codec.MaxBlock) // its dictionary
		}
	}
	switch most = max(most, rows*int64(b.stride)); {
	case whole:
		return most + 24*rows, packed
	case stored:
		return min(most, aheadBytes) + int64(b.stride), 0
	}
	return min(most, codec.MaxBlock) + int64(b.stride), packed
}
