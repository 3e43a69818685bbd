package parquet

import "github.com/colstore/colstore-go/internal/format/parquet/meta"

// places are where the pages of the chunk that is being read lie, once that was wanted.
type places struct {
	tried bool
	of    meta.OffsetIndex // nil if the pages must be found one after the other
}

// leap goes on to the next page of the chunk or, by the offset index, straight to the one that skip more rows lead to. It
// returns how many rows were passed over.
//
// The first page is never passed over, since it may be the dictionary. A page that is not what the index says ends the
// trust in it: the chunk is walked on from where it was.
func (r *columnReader) leap(skip int64, w *workspace) (passed int64, err error) {
	p := &r.pager
	if skip == 0 || !r.leaps || p.next == p.chunk.Start() {
		return 0, p.advance(w)
	}
	g := r.f.groups[p.group]
	if !r.places.tried {
		r.places = places{true, r.f.offsetIndex(p.chunk, g.Rows, w)}
	}
	i := r.places.of.Page(r.row - g.first + skip)
	if i < 0 || r.places.of[i].Offset <= p.next {
		return 0, p.advance(w)
	}
	before, to := *p, r.places.of[i]
	p.next, p.left = to.Offset, p.chunk.Values-to.FirstRow
	if p.advance(w) == nil && p.page.Type != meta.DictionaryPage && p.next == to.Offset+int64(to.Size) &&
		int64(p.page.Values) == r.places.of.End(i, g.Rows)-to.FirstRow {
		passed = g.first + to.FirstRow - r.row
		r.row += passed
		return passed, nil
	}
	*p, r.places.of = before, nil
	return 0, p.advance(w)
}
