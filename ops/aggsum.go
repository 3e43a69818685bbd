package ops

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// The levels of the family of sums.
const (
	levelSum = iota
	levelMoments
)

// Sum adds: bools and signed integers as int64, unsigned as uint64, both wrapping, floats as float64. NaN propagates.
func Sum(column string) Agg { return sumAgg("sum", column, levelSum, (*sums).sum) }

// Mean averages in float64; the sum of integers behind it does not wrap. It is NaN for no rows.
func Mean(column string) Agg {
	return sumAgg("mean", column, levelSum, func(s *sums) colstore.Scalar { return colstore.ScalarOf(s.mean()) })
}

// Var is the variance in float64: the squared deviations from the mean, divided by n − ddof for n rows. It is NaN where
// that is not positive, and if a value is NaN or infinite.
func Var(column string, ddof int) Agg {
	return sumAgg("var", column, levelMoments, func(s *sums) colstore.Scalar { return colstore.ScalarOf(s.moments.variance(ddof)) })
}

// Std is the standard deviation, the square root of [Var].
func Std(column string, ddof int) Agg {
	return sumAgg("std", column, levelMoments, func(s *sums) colstore.Scalar {
		return colstore.ScalarOf(math.Sqrt(s.moments.variance(ddof)))
	})
}

func sumAgg(name, column string, level int, value func(*sums) colstore.Scalar) Agg {
	return Agg{
		Name: name, Args: []string{column}, Family: "sum", Level: level, Bytes: int64(level) * momentsBytes,
		New: func(args []colstore.DType, begin int64) (State, error) {
			if !args[0].IsNumber() {
				return nil, noReduction(name, args[0])
			}
			return newSums(args[0], begin, level), nil
		},
		Value: func(s State) Result { return Result{Scalar: value(s.(*sums))} },
	}
}

// sums are the sums of the values of a number column and, at levelMoments, of their squares: what sum, mean, var and std
// are made of. The sum of floats has the same bits at both levels.
type sums struct {
	t       colstore.DType
	rows    int64
	floats  *FloatSum // of floats at levelSum
	moments *moments  // at levelMoments
	hi      int64     // of a two's complement integer: the sum of bools and integers
	lo      uint64
}

func newSums(t colstore.DType, begin int64, level int) *sums {
	s := &sums{t: t}
	if level == levelMoments {
		s.moments = newMoments(begin)
	} else if t.Kind() == colstore.KindFloat {
		s.floats = NewFloatSum(begin)
	}
	return s
}

// Add implements State.
func (s *sums) Add(row int64, rows int, args []colstore.Column) {
	s.rows += int64(rows)
	v := args[0]
	if s.t.Kind() != colstore.KindFloat {
		s.addInts(v)
	}
	switch {
	case s.moments != nil && s.t == colstore.Float64:
		s.moments.add(row, kernel.In[float64](v))
	case s.moments != nil && s.t == colstore.Float32:
		addMoments(s.moments, row, kernel.In[float32](v))
	case s.moments != nil && rows > 0:
		toFloats(s.moments.room(row, rows), v)
	case s.t == colstore.Float64:
		addValues(s.floats, row, kernel.In[float64](v))
	case s.t == colstore.Float32:
		addValues(s.floats, row, kernel.In[float32](v))
	case s.floats != nil:
		eachFloats(v, func(part []float64) { s.floats.Add(row, part) })
	}
}

// AddRows implements [RowsAdder].
func (s *sums) AddRows(row int64, rows int, args []colstore.Column) {
	switch v := args[0]; {
	case s.t.Kind() != colstore.KindFloat && s.moments == nil:
		s.Add(row, rows, args)
	case s.t == colstore.Float64 && s.moments == nil:
		s.rows += int64(rows)
		addRows(s.floats, row, kernel.In[float64](v))
	case s.t == colstore.Float32 && s.moments == nil:
		s.rows += int64(rows)
		addRows(s.floats, row, kernel.In[float32](v))
	case s.t == colstore.Float64:
		s.rows += int64(rows)
		addMomentRows(s.moments, row, kernel.In[float64](v))
	case s.t == colstore.Float32:
		s.rows += int64(rows)
		addMomentRows(s.moments, row, kernel.In[float32](v))
	default:
		var part [1]colstore.Column
		for at := 0; at < rows; {
			n := min(rows-at, int(BlockRows-row%BlockRows))
			part[0] = v.Slice(at, at+n, 1)
			s.Add(row, n, part[:])
			row, at = row+int64(n), at+n
		}
	}
}

// addInts adds bools and integers.
func (s *sums) addInts(v colstore.Column) {
	switch s.t {
	case colstore.Bool:
		s.addWide(0, uint64(kernel.CountTrue(kernel.In[uint8](v))))
	case colstore.Int8:
		s.addWide(kernel.SumIntegers(kernel.In[int8](v)))
	case colstore.Int16:
		s.addWide(kernel.SumIntegers(kernel.In[int16](v)))
	case colstore.Int32:
		s.addWide(kernel.SumIntegers(kernel.In[int32](v)))
	case colstore.Int64:
		s.addWide(kernel.SumIntegers(kernel.In[int64](v)))
	case colstore.Uint8:
		s.addWide(kernel.SumIntegers(kernel.In[uint8](v)))
	case colstore.Uint16:
		s.addWide(kernel.SumIntegers(kernel.In[uint16](v)))
	case colstore.Uint32:
		s.addWide(kernel.SumIntegers(kernel.In[uint32](v)))
	case colstore.Uint64:
		s.addWide(kernel.SumIntegers(kernel.In[uint64](v)))
	}
}

func (s *sums) addWide(hi int64, lo uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + int64(carry)
}

// Merge implements State.
func (s *sums) Merge(next State) {
	n := next.(*sums)
	s.rows += n.rows
	s.addWide(n.hi, n.lo)
	if s.floats != nil {
		s.floats.Merge(n.floats)
	}
	if s.moments != nil {
		s.moments.merge(n.moments)
	}
}

// Recycle implements [Recycler].
func (s *sums) Recycle() {
	if s.moments != nil {
		s.moments.recycle()
	}
}

// floatSum returns the sum of floats before it is rounded.
func (s *sums) floatSum() exact {
	if s.moments != nil {
		return s.moments.total()
	}
	return s.floats.exact()
}

func (s *sums) sum() colstore.Scalar {
	switch s.t.Kind() {
	case colstore.KindFloat:
		total := s.floatSum()
		return colstore.ScalarOf(total.value())
	case colstore.KindUint:
		return colstore.ScalarOf(s.lo)
	default:
		return colstore.ScalarOf(int64(s.lo))
	}
}

func (s *sums) mean() float64 {
	switch {
	case s.rows == 0:
		return kernel.NaN()
	case s.t.Kind() == colstore.KindFloat:
		total := s.floatSum()
		return total.mean(s.rows)
	}
	sum := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	sum.Add(sum, new(big.Int).SetUint64(s.lo))
	v, _ := new(big.Rat).SetFrac(sum, big.NewInt(s.rows)).Float64()
	return v
}

// toFloats converts the values of a plain number column; a bool becomes 0 or 1. len(dst) is the rows.
func toFloats(dst []float64, v colstore.Column) {
	switch v.Type() {
	case colstore.Bool:
		for i, b := range kernel.In[uint8](v) {
			dst[i] = 0
			if b != 0 {
				dst[i] = 1
			}
		}
	case colstore.Int8:
		kernel.Convert(dst, kernel.In[int8](v))
	case colstore.Int16:
		kernel.Convert(dst, kernel.In[int16](v))
	case colstore.Int32:
		kernel.Convert(dst, kernel.In[int32](v))
	case colstore.Int64:
		kernel.Convert(dst, kernel.In[int64](v))
	case colstore.Uint8:
		kernel.Convert(dst, kernel.In[uint8](v))
	case colstore.Uint16:
		kernel.Convert(dst, kernel.In[uint16](v))
	case colstore.Uint32:
		kernel.Convert(dst, kernel.In[uint32](v))
	case colstore.Uint64:
		kernel.Convert(dst, kernel.In[uint64](v))
	case colstore.Float16:
		kernel.FromHalf(dst, kernel.In[uint16](v))
	case colstore.Float32:
		kernel.Convert(dst, kernel.In[float32](v))
	case colstore.Float64:
		copy(dst, kernel.In[float64](v))
	default:
		panic(fmt.Sprintf("ops: %s is no number", v.Type()))
	}
}

// floatsPart is how many values eachFloats gives at a time.
const floatsPart = 512

// eachFloats calls do with the values of a plain number column as float64, part by part; a part is good until do returns.
func eachFloats(v colstore.Column, do func([]float64)) {
	if v.Type() == colstore.Float64 {
		do(kernel.In[float64](v))
		return
	}
	var buf [floatsPart]float64
	for at := 0; at < v.Rows(); {
		n := min(len(buf), v.Rows()-at)
		toFloats(buf[:n], v.Slice(at, at+n, 1))
		do(buf[:n])
		at += n
	}
}

// floatOfScalar returns a value as a float64, NaN if it is none.
func floatOfScalar(s colstore.Scalar) float64 {
	if !s.Valid() {
		return kernel.NaN()
	}
	c := s.Cell()
	if c.Type().IsTime() {
		tick := kernel.In[int64](c)[0]
		if tick == colstore.NaT {
			return kernel.NaN()
		}
		return float64(tick)
	}
	if !c.Type().IsNumber() {
		return kernel.NaN()
	}
	var out [1]float64
	toFloats(out[:], c)
	return out[0]
}
