package source

import (
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
)

// A rowset is the rows of a source that a view shows, in the view's order.
type rowset interface {
	// len returns the number of rows of the view.
	len() int64
	// fill sets dst to the source's rows behind the view's rows from begin on.
	fill(dst []int64, begin int64)
}

// run is rows that lie a constant step apart, which may be negative: all rows, one, a slice, a slice of a slice.
type run struct{ first, step, n int64 }

func (r run) len() int64 { return r.n }

func (r run) fill(dst []int64, begin int64) {
	row := r.first + begin*r.step
	for i := range dst {
		dst[i] = row
		row += r.step
	}
}

// part returns rows begin to end of the run.
func (r run) part(begin, end int64) run { return run{r.first + begin*r.step, r.step, end - begin} }

// list is rows in any order. Numbers below 0 count from the end; whether the source has a row is found out when it is read,
// which costs no pass of its own.
type list struct {
	rows  []int64
	total int64 // rows of the source
}

func (l list) len() int64 { return int64(len(l.rows)) }

func (l list) fill(dst []int64, begin int64) {
	copy(dst, l.rows[begin:])
	for i, r := range dst {
		if r < 0 {
			dst[i] = r + l.total
		}
	}
}

// check finds the first number that is no row of the source.
//
// Errors: colstore.ErrRange.
func (l list) check() error {
	for _, r := range l.rows {
		if r < -l.total || r >= l.total {
			return outside(r, l.total)
		}
	}
	return nil
}

func outside(row, total int64) error {
	return fmt.Errorf("%w: row %d of %d", colstore.ErrRange, row, total)
}

// verify reports the error of rows that have not been checked.
func verify(rows rowset) error {
	if l, ok := rows.(list); ok {
		return l.check()
	}
	return nil
}

// pick returns the rows that a selection, which is not lazy, takes of a view of a source of total rows.
//
// Errors: colstore.ErrRange for a row that the view does not have, but for a list of rows of a whole source, which is
// checked when it is read; colstore.ErrValue for a step of 0.
func pick(of rowset, s Selection, total int64) (rowset, error) {
	n := of.len()
	if err := s.Err(); err != nil {
		return nil, err
	}
	switch s.kind {
	case selectRow:
		i, err := inside(s.begin, n)
		if err != nil {
			return nil, err
		}
		return through(of, run{i, 1, 1}), nil
	case selectRows:
		if of == rowset(run{0, 1, total}) {
			return list{s.rows, total}, nil
		}
		rows := make([]int64, len(s.rows))
		for i, r := range s.rows {
			var err error
			if rows[i], err = inside(r, n); err != nil {
				return nil, err
			}
		}
		return throughList(of, rows), nil
	case selectMask:
		if int64(len(s.mask)) != n {
			return nil, fmt.Errorf("%w: a mask of %d for %d rows", colstore.ErrRange, len(s.mask), n)
		}
		return throughMarks(of, maskWords(s.mask)), nil
	}
	return through(of, s.slice(n)), nil
}

// inside returns row i of n, counted from the end if it is negative.
func inside(i, n int64) (int64, error) {
	if i < -n || i >= n {
		return 0, outside(i, n)
	}
	if i < 0 {
		i += n
	}
	return i, nil
}

// slice returns the rows of a slice over n rows, by Python's rules.
func (s Selection) slice(n int64) run {
	step := s.step
	if step == 0 {
		step = 1
	}
	least, most := int64(0), n // where a bound may lie
	begin, end := least, most
	if step < 0 {
		least, most = -1, n-1
		begin, end = most, least
	}
	clip := func(v int64) int64 {
		if v < 0 {
			v += n
		}
		return min(max(v, least), most)
	}
	if s.open[0] {
		begin = clip(s.begin)
	}
	if s.open[1] {
		end = clip(s.end)
	}
	switch {
	case step > 0 && end > begin:
		return run{begin, step, (end-begin-1)/step + 1}
	case step < 0 && begin > end:
		// -step overflows for the least integer, which takes the first row alone.
		return run{begin, step, int64(uint64(begin-end-1)/uint64(-step)) + 1}
	}
	return run{0, 1, 0}
}

// through returns the rows of a view that a slice of it takes.
func through(of rowset, s run) rowset {
	switch of := of.(type) {
	case run:
		if s.n <= 1 {
			return run{of.first + s.first*of.step, 1, s.n} // a step beyond all rows must not be multiplied
		}
		return run{of.first + s.first*of.step, of.step * s.step, s.n}
	case *marked:
		if s.step == 1 {
			part := *of
			part.skip, part.n = of.skip+s.first, s.n
			return &part
		}
	case list:
		if s.step == 1 {
			return list{of.rows[s.first : s.first+s.n], of.total}
		}
	}
	rows := make([]int64, s.n)
	s.fill(rows, 0)
	return throughList(of, rows)
}

// throughList returns the rows of a view behind a list of its rows, which it takes over.
func throughList(of rowset, rows []int64) rowset {
	total := int64(math.MaxInt64) // what is unknown here is found out by whoever reads; no number below 0 is left
	switch of := of.(type) {
	case run:
		for i, r := range rows {
			rows[i] = of.first + r*of.step
		}
	case list:
		total = of.total
		for i, r := range rows {
			rows[i] = of.rows[r]
		}
	default:
		for i, r := range rows {
			of.fill(rows[i:i+1], r)
		}
	}
	return list{rows, total}
}

// throughMarks returns the rows of a view whose bit is set.
func throughMarks(of rowset, words []uint64) rowset {
	switch of := of.(type) {
	case run:
		if of.step == 1 {
			return newMarked(words, of.first)
		}
	case *marked:
		return newMarked(of.among(words), of.base)
	}
	m := newMarked(words, 0)
	rows := make([]int64, m.n)
	m.fill(rows, 0)
	return throughList(of, rows)
}
