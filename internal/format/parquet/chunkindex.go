package parquet

import (
	"bytes"
	"cmp"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/half"
)

// A chunkIndex is the page index of a chunk whose pages are being written: of each first its bounds, then its place.
type chunkIndex struct {
	bounds meta.ColumnIndex
	places meta.OffsetIndex // offsets count from the chunk's first byte
	rows   int64            // of the pages so far
	// extremes are those of all pages as values of the dtype: the chunk's are among them.
	extremes  []byte
	boundless bool // some page has no bounds that could be given, so that the chunk has no column index
}

func (x *chunkIndex) reset() { *x = chunkIndex{extremes: x.extremes[:0]} }

// take returns the index; the next chunk begins another one.
func (x *chunkIndex) take() chunkIndex {
	out := *x
	out.extremes = nil
	return out
}

// add notes the bounds of the next page by the extremes of its values.
func (x *chunkIndex) add(p *plan, lo, hi []byte, rows, nulls int) {
	x.places = append(x.places, meta.PageLocation{FirstRow: x.rows})
	x.rows += int64(rows)
	x.extremes = append(append(x.extremes, lo...), hi...)
	var s meta.Statistics
	switch {
	case nulls == rows:
		s.Min, s.Max = []byte{}, []byte{}
	case lo == nil:
		// NaN is no bound, and a page of values must have some. These enclose whatever a reader holds NaN for.
		s.Min, s.Max = p.infinity(-1), p.infinity(1)
	default:
		p.bounds(lo, hi, &s)
	}
	x.boundless = x.boundless || s.Min == nil
	x.bounds.AllNull = append(x.bounds.AllNull, nulls == rows)
	x.bounds.Min, x.bounds.Max = append(x.bounds.Min, s.Min), append(x.bounds.Max, s.Max)
	x.bounds.Nulls = append(x.bounds.Nulls, int64(nulls))
}

// infinity returns an infinite float of the column's type.
func (p *plan) infinity(sign int) []byte {
	switch p.typ {
	case colstore.Float16:
		return cell(half.From64(math.Inf(sign)))
	case colstore.Float32:
		return cell(float32(math.Inf(sign)))
	default:
		return cell(math.Inf(sign))
	}
}

// place notes where the page begins whose bounds were added last.
func (x *chunkIndex) place(offset int64, size int) {
	l := &x.places[len(x.places)-1]
	l.Offset, l.Size = offset, int32(size)
}

// finish sets the bounds of the chunk and the order of its pages.
func (x *chunkIndex) finish(p *plan, s *meta.Statistics) {
	lo, hi := p.extremes(x.extremes)
	p.bounds(lo, hi, s)
	lo, hi = nil, nil
	up, down := true, true
	for i, null := range x.bounds.AllNull {
		if null {
			continue
		}
		if lo != nil {
			a, b := p.compare(x.bounds.Min[i], lo), p.compare(x.bounds.Max[i], hi)
			up, down = up && a >= 0 && b >= 0, down && a <= 0 && b <= 0
		}
		lo, hi = x.bounds.Min[i], x.bounds.Max[i]
	}
	switch {
	case up:
		x.bounds.Order = meta.Ascending
	case down:
		x.bounds.Order = meta.Descending
	}
}

// compare orders two bounds as the file gives them.
func (p *plan) compare(a, b []byte) int {
	switch p.typ.Kind() {
	case colstore.KindText, colstore.KindBytes, colstore.KindBool:
		return bytes.Compare(a, b)
	case colstore.KindFloat:
		switch p.typ.Size() {
		case 2:
			return cmp.Compare(half.To32(view[uint16](a)[0]), half.To32(view[uint16](b)[0]))
		case 4:
			return cmp.Compare(view[float32](a)[0], view[float32](b)[0])
		default:
			return cmp.Compare(view[float64](a)[0], view[float64](b)[0])
		}
	case colstore.KindUint:
		if p.width == 4 {
			return cmp.Compare(view[uint32](a)[0], view[uint32](b)[0])
		}
		return cmp.Compare(view[uint64](a)[0], view[uint64](b)[0])
	default:
		if p.width == 4 {
			return cmp.Compare(view[int32](a)[0], view[int32](b)[0])
		}
		return cmp.Compare(view[int64](a)[0], view[int64](b)[0])
	}
}

// append appends the page index of the chunk, which begins at an offset of the file, to the two parts that the file has at
// its end: the bounds of all chunks, then the places of all.
func (x *chunkIndex) append(bounds, places []byte, begin int64) (newBounds, newPlaces []byte) {
	if !x.boundless {
		bounds = x.bounds.Append(bounds)
	}
	for i := range x.places {
		x.places[i].Offset += begin
	}
	return bounds, x.places.Append(places)
}
