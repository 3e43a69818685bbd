package source

import (
	"fmt"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
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

// list is rows in any order.
type list []int64

func (l list) len() int64 { return int64(len(l)) }

func (l list) fill(dst []int64, begin int64) { copy(dst, l[begin:]) }

// marked is the rows whose bit is set: of a mask, or of a predicate. It takes a bit a row of the source, where a list
// would take 64 for every row it shows.
type marked struct {
	words []uint64
	ranks []int64 // set bits before every rankWords-th word
	skip  int64   // set bits that are left out before the first row
	n     int64
}

const rankWords = 8

func newMarked(words []uint64) *marked {
	m := &marked{words: words}
	for i, w := range words {
		if i%rankWords == 0 {
			m.ranks = append(m.ranks, m.n)
		}
		m.n += int64(bits.OnesCount64(w))
	}
	return m
}

func (m *marked) len() int64 { return m.n }

func (m *marked) fill(dst []int64, begin int64) {
	if len(dst) == 0 {
		return
	}
	begin += m.skip
	// The last group of words that begins at or before the wanted row.
	lo, hi := 0, len(m.ranks)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; m.ranks[mid] <= begin {
			lo = mid
		} else {
			hi = mid
		}
	}
	skip := begin - m.ranks[lo]
	n := 0
	for w := lo * rankWords; ; w++ {
		word := m.words[w]
		if c := int64(bits.OnesCount64(word)); skip >= c {
			skip -= c
			continue
		}
		for ; word != 0; word &= word - 1 {
			if skip > 0 {
				skip--
				continue
			}
			dst[n] = int64(w)*64 + int64(bits.TrailingZeros64(word))
			if n++; n == len(dst) {
				return
			}
		}
	}
}

// pick returns the rows that a selection, which is not lazy, takes of a view.
//
// Errors: colstore.ErrRange for a row that the view does not have, colstore.ErrValue for a step of 0.
func pick(of rowset, s Selection) (rowset, error) {
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
		words := make([]uint64, kernel.Words(len(s.mask)))
		for i, keep := range s.mask {
			if keep {
				words[i/64] |= 1 << (i % 64)
			}
		}
		return throughMarks(of, words), nil
	}
	return through(of, s.slice(n)), nil
}

// inside returns row i of n, counted from the end if it is negative.
func inside(i, n int64) (int64, error) {
	if i < -n || i >= n {
		return 0, fmt.Errorf("%w: row %d of %d", colstore.ErrRange, i, n)
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
			return &marked{of.words, of.ranks, of.skip + s.first, s.n}
		}
	case list:
		if s.step == 1 {
			return of[s.first : s.first+s.n]
		}
	}
	rows := make([]int64, s.n)
	s.fill(rows, 0)
	return throughList(of, rows)
}

// throughList returns the rows of a view behind a list of its rows, which it takes over.
func throughList(of rowset, rows []int64) rowset {
	switch of := of.(type) {
	case run:
		for i, r := range rows {
			rows[i] = of.first + r*of.step
		}
	case list:
		for i, r := range rows {
			rows[i] = of[r]
		}
	default:
		for i, r := range rows {
			of.fill(rows[i:i+1], r)
		}
	}
	return list(rows)
}

// throughMarks returns the rows of a view whose bit is set.
func throughMarks(of rowset, words []uint64) rowset {
	m := newMarked(words)
	if r, ok := of.(run); ok && r.first == 0 && r.step == 1 {
		return m
	}
	rows := make([]int64, m.n)
	m.fill(rows, 0)
	return throughList(of, rows)
}
