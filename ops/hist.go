package ops

import (
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
)

// An Axis is Bins bins of equal width from Low to High. As in NumPy, a bin includes its lower edge, and the last one its
// upper edge too.
type Axis struct {
	Bins      int
	Low, High float64
}

// MaxCells is the largest number of bins of a histogram, of both axes together.
const MaxCells = 1 << 18

// Validate checks an axis.
//
// Errors: colstore.ErrOption for no bin or too many, edges that are not finite or not increasing, and bins that are
// narrower than what a float64 can tell apart.
func (a Axis) Validate() error {
	switch width := a.High - a.Low; {
	case a.Bins < 1 || a.Bins > MaxCells:
		return fmt.Errorf("%w: %d bins; there are 1 to %d", colstore.ErrOption, a.Bins, MaxCells)
	case a.Low == a.High:
		return fmt.Errorf("%w: a range from %v to %v has no width; give one that has", colstore.ErrOption, a.Low, a.High)
	case !(a.Low < a.High):
		return fmt.Errorf("%w: a range from %v to %v; the first is to be less than the second", colstore.ErrOption, a.Low, a.High)
	case width-width != 0:
		return fmt.Errorf("%w: a range from %v to %v is too wide for a float64; give a narrower one", colstore.ErrOption, a.Low, a.High)
	}
	for i := range a.Bins {
		if a.Edge(i) >= a.Edge(i+1) {
			return fmt.Errorf("%w: the range from %v to %v is too narrow for %d bins", colstore.ErrOption, a.Low, a.High, a.Bins)
		}
	}
	return nil
}

// Edge returns edge i, from 0 to Bins: that of NumPy's linspace.
func (a Axis) Edge(i int) float64 {
	if i == a.Bins {
		return a.High
	}
	step := (a.High - a.Low) / float64(a.Bins)
	return a.Low + float64(float64(i)*step)
}

// Edges returns all edges, Bins + 1 of them.
func (a Axis) Edges() []float64 {
	out := make([]float64, a.Bins+1)
	for i := range out {
		out[i] = a.Edge(i)
	}
	return out
}

// Center returns the middle of bin i, from 0 on.
func (a Axis) Center(i int) float64 { return float64(a.Edge(i)/2) + float64(a.Edge(i+1)/2) }

// AxisAround returns an axis for finite values from lo to hi: a range of width 0 is widened by one half on both sides, as
// in NumPy, and no values at all, lo being NaN, give 0 to 1.
func AxisAround(bins int, lo, hi float64) Axis {
	switch {
	case lo != lo || hi != hi:
		return Axis{bins, 0, 1}
	case lo == hi:
		return Axis{bins, lo - 0.5, hi + 0.5} // of no width for numbers beyond 2^53, which Validate refuses
	}
	return Axis{bins, lo, hi}
}

// A Hist is a histogram of one column, or of two. Its cells are the bins and those below and above: cell 0 of an axis is
// the underflow, 1 to Bins are the bins, Bins + 1 is the overflow.
type Hist struct {
	X Axis
	Y Axis // Bins is 0 for a histogram of one column

	Counts []int64 // rows, by cell; x runs fastest, see Cell
	// SumW and SumW2 are the sums of the weights and of their squares, by cell: exact sums, rounded once. Without weights
	// they are the counts.
	SumW, SumW2 []float64
	Weighted    bool

	Entries int64 // rows in any cell, under- and overflow included
	NaN     int64 // rows in none, since a value was NaN
}

// Is2D reports whether it is of two columns.
func (h *Hist) Is2D() bool { return h.Y.Bins > 0 }

// Cell returns the index of a cell by those on both axes; iy is 0 for a histogram of one column.
func (h *Hist) Cell(ix, iy int) int { return iy*(h.X.Bins+2) + ix }

// HistOptions are what a histogram may have beyond its axes.
type HistOptions struct {
	Weight string // column of weights; empty: every row counts as 1
}

// Hist1D counts the values of a number column in the bins of an axis. Rows with NaN are counted apart.
//
// New fails with colstore.ErrOption for a bad axis and with colstore.ErrType for columns that are no numbers.
func Hist1D(x string, axis Axis, o *HistOptions) Agg {
	return histAgg([]string{x}, []Axis{axis}, o)
}

// Hist2D counts pairs of values of two number columns, as [Hist1D] those of one.
func Hist2D(x, y string, xAxis, yAxis Axis, o *HistOptions) Agg {
	return histAgg([]string{x, y}, []Axis{xAxis, yAxis}, o)
}

func histAgg(args []string, axes []Axis, o *HistOptions) Agg {
	cells, cellBytes := 1, 8
	for _, a := range axes {
		cells *= max(0, min(a.Bins, MaxCells)) + 2
	}
	weighted := o != nil && o.Weight != ""
	if weighted {
		args = append(args, o.Weight)
		cellBytes += 2 * 8 * usualWords
	}
	return Agg{
		Name: "hist", Args: args, Bytes: int64(cells) * int64(cellBytes),
		New: func(types []colstore.DType, _ int64) (State, error) {
			bins := 1
			for _, a := range axes {
				if err := a.Validate(); err != nil {
					return nil, err
				}
				if bins *= a.Bins; bins > MaxCells {
					return nil, fmt.Errorf("%w: %d bins on both axes together; a histogram has at most %d", colstore.ErrOption, bins, MaxCells)
				}
			}
			for i, t := range types {
				if !t.IsNumber() {
					return nil, &colstore.Error{Column: args[i], Err: noHist(t)}
				}
			}
			s := &histState{x: newBinner(axes[0]), counts: make([]int64, cells)}
			if len(axes) == 2 {
				s.y = newBinner(axes[1])
			}
			if weighted {
				s.w, s.w2 = newExactSums(cells), newExactSums(cells)
			}
			return s, nil
		},
		Value: func(s State) Result { return Result{Hist: s.(*histState).hist()} },
	}
}

func noHist(t colstore.DType) error {
	return fmt.Errorf("%w: a histogram is of numbers, not of %s; cast it", colstore.ErrType, t.Name())
}

// binner finds the cell of a value on an axis.
type binner struct {
	Axis
	edges []float64
	scale float64 // bins per width, infinite for bins so narrow that only their width is a float64
	step  float64 // width of a bin
}

func newBinner(a Axis) *binner {
	width := a.High - a.Low
	return &binner{a, a.Edges(), float64(a.Bins) / width, width / float64(a.Bins)}
}

// cell returns the cell of a value that is no NaN.
func (b *binner) cell(x float64) int {
	switch {
	case x < b.Low:
		return 0
	case x > b.High:
		return b.Bins + 1
	}
	at := (x - b.Low) * b.scale
	if b.scale > math.MaxFloat64 {
		at = (x - b.Low) / b.step
	}
	i := int(min(at, float64(b.Bins-1)))
	// The edges decide; the quotient is off by a rounding.
	for i > 0 && x < b.edges[i] {
		i--
	}
	for i+1 < b.Bins && x >= b.edges[i+1] {
		i++
	}
	return i + 1
}

// histState fills a histogram.
type histState struct {
	x, y   *binner // y is nil for one column
	counts []int64
	nan    int64
	w, w2  *exactSums // nil without weights

	buf [3][floatsPart]float64
}

// Add implements State.
func (s *histState) Add(_ int64, rows int, args []colstore.Column) {
	for at := 0; at < rows; at += floatsPart {
		n := min(floatsPart, rows-at)
		var v [3][]float64
		for i, c := range args {
			v[i] = s.buf[i][:n]
			toFloats(v[i], c.Slice(at, at+n, 1))
		}
		var y, w []float64
		switch {
		case s.y != nil:
			y, w = v[1], v[2]
		default:
			w = v[1]
		}
		s.fill(v[0], y, w)
	}
}

func (s *histState) fill(x, y, w []float64) {
	stride := s.x.Bins + 2
	for i, v := range x {
		if v != v || y != nil && y[i] != y[i] {
			s.nan++
			continue
		}
		cell := s.x.cell(v)
		if y != nil {
			cell += stride * s.y.cell(y[i])
		}
		s.counts[cell]++
		if w != nil {
			s.w.add(cell, w[i])
			s.w2.add(cell, w[i]*w[i])
		}
	}
}

// AddRows implements [RowsAdder].
func (s *histState) AddRows(row int64, rows int, args []colstore.Column) { s.Add(row, rows, args) }

// Merge implements State.
func (s *histState) Merge(next State) {
	n := next.(*histState)
	for i, c := range n.counts {
		s.counts[i] += c
	}
	s.nan += n.nan
	if s.w != nil {
		s.w.merge(n.w, n.counts)
		s.w2.merge(n.w2, n.counts)
	}
}

func (s *histState) hist() *Hist {
	h := &Hist{
		X: s.x.Axis, Counts: append([]int64(nil), s.counts...), NaN: s.nan, Weighted: s.w != nil,
		SumW: make([]float64, len(s.counts)), SumW2: make([]float64, len(s.counts)),
	}
	if s.y != nil {
		h.Y = s.y.Axis
	}
	for i, c := range s.counts {
		h.Entries += c
		if s.w == nil {
			h.SumW[i], h.SumW2[i] = float64(c), float64(c)
		} else {
			h.SumW[i], h.SumW2[i] = s.w.value(i), s.w2.value(i)
		}
	}
	return h
}
