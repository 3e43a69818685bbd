package json

import (
	"sort"

	"github.com/colstore/colstore-go"
)

// A place is where a row begins, with the comma before it: all that is needed to start there.
type place struct {
	row    int64
	offset int64 // in the file
}

// places are where rows begin, evenly many apart, so that a scan need not start at the first.
type places struct {
	list  []place // the first is row 0
	every int64   // rows from one to the next
	most  int     // when there are so many, every other one goes
}

const (
	placeRows = 256
	// Rows of a file have their places once, those of a file that lies by columns have them for each column.
	mostOfRows   = 1 << 14
	mostOfColumn = 1 << 7
)

func newPlaces(first int64, most int) *places {
	return &places{list: []place{{0, first}}, every: placeRows, most: most}
}

// add takes a row into account, after all before it.
func (x *places) add(row, offset int64) {
	if row%x.every != 0 || row == 0 {
		return
	}
	x.list = append(x.list, place{row, offset})
	if len(x.list) < x.most {
		return
	}
	x.every *= 2
	kept := x.list[:0]
	for _, p := range x.list {
		if p.row%x.every == 0 {
			kept = append(kept, p)
		}
	}
	x.list = kept
}

// before returns the last place at or before a row.
func (x *places) before(row int64) place {
	return x.list[sort.Search(len(x.list), func(i int) bool { return x.list[i].row > row })-1]
}

// splits returns ranges of all rows that begin at places and hold at most most rows where two places are not farther
// apart.
func (x *places) splits(rows, most int64) []colstore.Range {
	var out []colstore.Range
	for begin := int64(0); begin < rows; {
		end := max((begin+most)/x.every*x.every, begin/x.every*x.every+x.every)
		if end = min(end, rows); begin+most >= rows {
			end = rows
		}
		out = append(out, colstore.Range{Begin: begin, End: end})
		begin = end
	}
	return out
}
