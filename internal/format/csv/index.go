package csv

import (
	"sort"

	"github.com/colstore/colstore-go"
)

// An index holds where some of the rows begin, so that a scan need not start at the first.
type index struct {
	places []position // of ascending rows; the first is row 0
	every  int64      // bytes from one place to the next, at least
}

const (
	// indexBytes is how far apart places are at first: finding the cells of so much text costs well below a millisecond.
	indexBytes = 1 << 20
	// indexRows divides the rows of places, where rows are not longer than usual: reductions fold blocks of so many.
	indexRows = 4096
	// indexPlaces is how many places there are at most; beyond that every other one goes.
	indexPlaces = 1 << 16
)

func newIndex(first position) *index {
	return &index{places: []position{first}, every: indexBytes}
}

// add takes rows from a position on into account, which follow those before.
func (x *index) add(from position, starts *rowStarts) {
	for r := 0; r < len(starts.offsets); {
		last := x.places[len(x.places)-1]
		row := from.row + int64(r)
		offset := from.offset + int64(starts.offsets[r])
		far := offset-last.offset >= 4*x.every
		if row%indexRows != 0 && !far {
			// On to the next multiple, with a look at the distance every few rows.
			r += int(min(indexRows-row%indexRows, 64))
			continue
		}
		if row > 0 && (far || offset-last.offset >= x.every) {
			x.places = append(x.places, starts.place(from, r))
			x.thin()
		}
		r++
	}
}

// thin halves the places when there are too many.
func (x *index) thin() {
	if len(x.places) < indexPlaces {
		return
	}
	x.every *= 2
	kept := x.places[:0]
	for i := 0; i < len(x.places); i += 2 {
		kept = append(kept, x.places[i])
	}
	x.places = kept
}

// before returns the number of the last place at or before a row.
func (x *index) before(row int64) int {
	return sort.Search(len(x.places), func(i int) bool { return x.places[i].row > row }) - 1
}

// holds reports whether the rows of the input's block begin where they did when the index was made.
func (x *index) holds(in *input) bool {
	for i := x.before(in.at.row + int64(in.block.rows) - 1); i > 0 && x.places[i].row >= in.at.row; i-- {
		p := x.places[i]
		if p.offset != in.at.offset+int64(in.block.starts[p.row-in.at.row]) {
			return false
		}
	}
	return true
}

// splits returns ranges of all rows that begin at places and hold at most most rows where two places are not farther
// apart.
func (x *index) splits(rows, most int64) []colstore.Range {
	var out []colstore.Range
	begin := int64(0)
	for i := range x.places {
		end, next := rows, rows
		if i+1 < len(x.places) {
			end = x.places[i+1].row
		}
		if i+2 < len(x.places) {
			next = x.places[i+2].row
		}
		if end > begin && (end == rows || next-begin > most) {
			out = append(out, colstore.Range{Begin: begin, End: end})
			begin = end
		}
	}
	return out
}
