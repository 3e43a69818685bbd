package ops

import (
	"fmt"
	"math"
	"strconv"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// Quantile is the value below which a fraction q of the values lies, from 0 to 1, as a float64, between values by linear
// interpolation as NumPy's quantile; between an infinity and a finite value it is that infinity, and NaN between two
// infinities. It is estimated in one pass by a [Sketch]: each value that it is interpolated from
// is taken to within [SketchError]. The quantiles of one column share a sketch. NaN propagates; it is NaN for no rows.
//
// New fails with colstore.ErrOption for another q.
func Quantile(column string, q float64) Agg {
	return quantileAgg("q"+strconv.FormatFloat(q, 'g', -1, 64), column, q)
}

// Median is the [Quantile] of one half.
func Median(column string) Agg { return quantileAgg("median", column, 0.5) }

func quantileAgg(name, column string, q float64) Agg {
	return Agg{
		Name: name, Args: []string{column}, Family: "quantiles", Bytes: sketchBytes,
		New: func(args []colstore.DType, _ int64) (State, error) {
			if !(q >= 0 && q <= 1) {
				return nil, badQuantile(q)
			}
			if !args[0].IsNumber() {
				return nil, noReduction(name, args[0])
			}
			return &sketchState{}, nil
		},
		Value: func(s State) Result {
			return Result{Scalar: colstore.ScalarOf(s.(*sketchState).Quantile(q))}
		},
	}
}

type sketchState struct{ Sketch }

// Add implements State.
func (s *sketchState) Add(_ int64, _ int, args []colstore.Column) { eachFloats(args[0], s.Sketch.Add) }

// AddRows implements [RowsAdder].
func (s *sketchState) AddRows(row int64, rows int, args []colstore.Column) { s.Add(row, rows, args) }

// Merge implements State.
func (s *sketchState) Merge(next State) { s.Sketch.Merge(&next.(*sketchState).Sketch) }

// A Sketch estimates quantiles of float64 values in bounded memory. Values are counted in buckets by sign, exponent and
// the first nine bits of the mantissa, and each bucket knows its least and greatest value. There is nothing random in it
// and counts add up, so the estimates depend on the values alone, not on their order or on how sketches were merged.
//
// A value of a given rank is told to within [SketchError] of itself, and exactly where the values of its bucket are equal
// or it is the first or last of them: so are the extremes, the integers below 1024, and columns of few different values.
//
// A sketch whose values spread over more than 85 powers of two, both signs counted, halves the number of buckets in each,
// which doubles the error, and again at 170 and so on: at most 1 MiB of buckets are held. The zero Sketch is empty.
type Sketch struct {
	rows  int64
	nan   bool
	level int                 // how often buckets were joined in pairs
	index [sketchPages]uint16 // by the first twelve bits of a value in order: its page's number and 1, or 0
	pages [][]bucket
}

// SketchError is the relative error of a value in a [Sketch]: 2^-9, which is 0.2 %.
const SketchError = 1.0 / (1 << sketchBits)

const (
	sketchBits  = 9
	sketchPages = 1 << 12 // signs and exponents
	bucketBytes = 24
	// fullPages is how many pages of level 0 a sketch may have; 1 MiB.
	fullPages   = 1 << 20 / (bucketBytes << sketchBits)
	sketchBytes = 1<<20 + 4*sketchPages
)

type bucket struct {
	n      int64
	lo, hi float64
}

// Add counts values.
func (s *Sketch) Add(values []float64) {
	s.rows += int64(len(values))
	shift := uint(52 - sketchBits + s.level)
	mask := uint64(1)<<(sketchBits-s.level) - 1
	for _, x := range values {
		if x != x {
			s.nan = true
			continue
		}
		u := orderedBits(x)
		at := s.index[u>>52]
		if at == 0 {
			at = s.open(int(u >> 52))
			shift = uint(52 - sketchBits + s.level)
			mask = uint64(1)<<(sketchBits-s.level) - 1
		}
		b := &s.pages[at-1][u>>shift&mask]
		if b.n == 0 {
			b.lo, b.hi = x, x
		} else if x < b.lo {
			b.lo = x
		} else if x > b.hi {
			b.hi = x
		}
		b.n++
	}
}

// orderedBits maps values to integers of the same order; -0 comes before 0.
func orderedBits(x float64) uint64 {
	u := math.Float64bits(x)
	return u ^ (uint64(int64(u)>>63) | 1<<63)
}

// open makes a page, and room for it first. It returns what index has of it.
func (s *Sketch) open(page int) uint16 {
	for len(s.pages)+1 > fullPages<<s.level && s.level < sketchBits {
		s.coarsen()
	}
	s.pages = append(s.pages, make([]bucket, 1<<(sketchBits-s.level)))
	s.index[page] = uint16(len(s.pages))
	return s.index[page]
}

// coarsen joins buckets in pairs.
func (s *Sketch) coarsen() {
	s.level++
	for i, old := range s.pages {
		joined := make([]bucket, len(old)/2)
		for j := range joined {
			joined[j] = old[2*j]
			joined[j].merge(old[2*j+1])
		}
		s.pages[i] = joined
	}
}

func (b *bucket) merge(o bucket) {
	switch {
	case o.n == 0:
	case b.n == 0:
		*b = o
	default:
		b.n += o.n
		b.lo, b.hi = min(b.lo, o.lo), max(b.hi, o.hi)
	}
}

// Merge counts the values of another sketch too; o may become coarser by it.
func (s *Sketch) Merge(o *Sketch) {
	s.rows += o.rows
	s.nan = s.nan || o.nan
	for i, at := range o.index {
		if at != 0 && s.index[i] == 0 {
			s.open(i)
		}
	}
	for s.level < o.level {
		s.coarsen()
	}
	for o.level < s.level {
		o.coarsen()
	}
	for i, at := range o.index {
		if at == 0 {
			continue
		}
		to := s.pages[s.index[i]-1]
		for j, b := range o.pages[at-1] {
			to[j].merge(b)
		}
	}
}

// Rows returns the number of values.
func (s *Sketch) Rows() int64 { return s.rows }

// Quantile estimates the q-quantile, for q from 0 to 1; it is NaN for no values, and if one is NaN.
func (s *Sketch) Quantile(q float64) float64 {
	if s.rows == 0 || s.nan {
		return kernel.NaN()
	}
	at := float64(q * float64(s.rows-1)) // the conversions forbid to fuse operations: see deviations
	rank := int64(at)
	part := at - float64(rank)
	a := s.value(rank)
	if part == 0 {
		return a
	}
	return between(a, s.value(rank+1), part)
}

// between returns the value at a part t, above 0 and below 1, of the way from a to b, which is no less. Beside an infinity
// it is that infinity, and NaN between both: nothing lies there.
func between(a, b, t float64) float64 {
	d := b - a
	switch {
	case a == b:
		return a
	case d-d == 0:
		return min(a+float64(t*d), b)
	case a < -math.MaxFloat64 && b > math.MaxFloat64:
		return kernel.NaN()
	case a < -math.MaxFloat64:
		return a
	case b > math.MaxFloat64:
		return b
	}
	return float64(a*(1-t)) + float64(b*t) // the difference overflows; the signs differ, so the sum does not
}

// value estimates the value of a rank from 0 on.
func (s *Sketch) value(rank int64) float64 {
	for _, at := range s.index {
		if at == 0 {
			continue
		}
		page := s.pages[at-1]
		for i := range page {
			b := &page[i]
			if rank >= b.n {
				rank -= b.n
				continue
			}
			if rank == 0 || b.lo == b.hi {
				return b.lo
			}
			return b.lo + float64((b.hi-b.lo)*(float64(rank)/float64(b.n-1)))
		}
	}
	return kernel.NaN() // no rank of a value
}

func badQuantile(q float64) error {
	return fmt.Errorf("%w: a quantile of %v; the fraction is from 0 to 1", colstore.ErrOption, q)
}
