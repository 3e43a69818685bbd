package feather

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/source/format"
)

// inPlaceRows is how many rows the record batches of a file have, on average, whose columns are shown as they lie in it: each
// batch then ends where a record batch does.
const inPlaceRows = 4096

// findViews finds the columns whose values can be shown as they lie in the file: of a fixed width, the same bytes as in a
// batch, not compressed and without nulls.
func (s *source) findViews() {
	s.views = make([]bool, len(s.plan.Inputs))
	n := int64(len(s.f.batches))
	if n == 0 || n > 1 && s.f.rows/n < inPlaceRows {
		return
	}
	for i := range s.plan.Inputs {
		s.views[i] = s.at[i] == format.UnfoldedWhole && s.f.liesInPlace(&s.plan.Inputs[i])
	}
}

func (f *file) liesInPlace(in *columnar.Input) bool {
	l := f.leaves[in.Place]
	if !in.IsCopy() || l.list != nil || l.bad != nil {
		return false
	}
	p := l.place
	for i := range f.batches {
		b := &f.batches[i]
		for _, field := range l.around() {
			if b.Nodes[field.node].Nulls > 0 {
				return false
			}
		}
		buf := b.Buffers[b.buffer(p)+1]
		if b.Codec != meta.Stored || buf.Offset < 0 || buf.Bytes > b.bytes || buf.Offset > b.bytes-buf.Bytes ||
			buf.Bytes/int64(in.Type.ValueBytes()) < b.Rows {
			return false
		}
	}
	return true
}

// A shown column is one whose values lie in the file.
type shown struct {
	place  place
	typ    colstore.DType
	column int // of the batch
}

// offset returns where the value of a row of a record batch lies in the file.
func (c *shown) offset(b *batch, row int64) int64 {
	return b.at + b.Buffers[b.buffer(c.place)+1].Offset + (row-b.first)*int64(c.typ.Size())
}

// values returns the bytes of rows of one record batch.
func (c *shown) values(f *file, b *batch, at colstore.Range) []byte {
	begin, end := c.offset(b, at.Begin), c.offset(b, at.End)
	return f.m.Data()[begin:end:end]
}

// batchAt returns the record batch that holds a row.
func (f *file) batchAt(row int64) *batch {
	low, high := 0, len(f.batches)
	for high-low > 1 {
		if mid := (low + high) / 2; f.batches[mid].first <= row {
			low = mid
		} else {
			high = mid
		}
	}
	return &f.batches[low]
}

// giveBackPages gives back the pages of a released batch, with what others have mapped of those left behind: of the columns
// that are shown, and all that is left of record batches that end there. Their streams have given back what is large; what is
// small adds up over many record batches.
func (sc *scanner) giveBackPages(at colstore.Range) {
	if sc.behind == nil {
		return
	}
	f := sc.s.f
	left, reach := sc.behind.Release(at)
	begin := int64(-1) // of the bodies that end
	for row := left.Begin; row < left.End; {
		b := f.batchAt(row)
		end := min(left.End, b.end())
		if reach > 0 && end == b.end() {
			if begin < 0 {
				begin = max(0, b.at-int64(reach))
			}
			if end == left.End || f.batchAt(end).end() > left.End {
				f.m.Advise(int(begin), int(b.at+b.bytes-begin), mmap.DontNeed)
			}
			row = end
			continue
		}
		for i := range sc.shown {
			begin := max(b.at, sc.shown[i].offset(b, row)-int64(reach))
			f.m.Advise(int(begin), int(sc.shown[i].offset(b, end)-begin), mmap.DontNeed)
		}
		row = end
	}
}

// A trail is what a pass over one column leaves behind in the file.
type trail struct {
	f     *file
	given int64 // offset before which pages were given back
}

// trailBytes is how much of the file a pass leaves behind before it gives that back.
const trailBytes = 4 << 20

// follow gives back the pages before the record batch that the cursor is in.
func (t *trail) follow(k *cursor) {
	if k.b != nil && k.b.at-t.given >= trailBytes {
		t.giveBack(k.b.at)
	}
}

// end gives back the rest of the file.
func (t *trail) end() { t.giveBack(t.f.size) }

func (t *trail) giveBack(end int64) {
	t.f.m.Advise(int(t.given), int(end-t.given), mmap.DontNeed)
	t.given = end
}

// Splits returns the record batches, neighbours joined while they hold at most rows rows together. One that is larger is
// divided if it is not compressed: decoding starts at its beginning else.
func (s *source) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	most := int64(max(1, rows))
	for i := range s.f.batches {
		b := &s.f.batches[i]
		if n := len(out); n > 0 && b.end()-out[n-1].Begin <= most {
			out[n-1].End = b.end()
			continue
		}
		step := b.Rows
		if b.Codec == meta.Stored {
			step = min(step, most)
		}
		for at := b.first; at < b.end(); at += step {
			out = append(out, colstore.Range{Begin: at, End: min(at+step, b.end())})
		}
	}
	return out
}
