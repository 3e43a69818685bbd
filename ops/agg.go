package ops

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// An Agg is a reduction of a column to one value.
type Agg struct {
	Name   string // "sum", "mean", "min", "max", "count"
	Column string // the column; empty for count
	// New returns the empty state for values of dtype t from global row begin on.
	// Errors: colstore.ErrType if the dtype has no such reduction.
	New func(t colstore.DType, begin int64) (State, error)
}

// A State is the partial result of a reduction over a range of rows. It has a constant size.
type State interface {
	// Add folds values in, plain and of the dtype that the state was made for. They lie in one block of BlockRows source
	// rows; row is the global row of any of them.
	Add(row int64, values colstore.Column)
	// Merge folds in the state of later rows.
	Merge(next State)
	// Value returns the result.
	Value() colstore.Scalar
}

// Sum adds: bools and signed integers as int64, unsigned as uint64, both wrapping, floats as float64. NaN propagates.
func Sum(column string) Agg { return Agg{"sum", column, newSum} }

// Mean averages in float64; the sum of integers behind it does not wrap. It is NaN for no rows.
func Mean(column string) Agg { return Agg{"mean", column, newMean} }

// Min takes the least value, in the column's dtype. NaN and NaT propagate; it is a float64 NaN for no rows.
func Min(column string) Agg { return Agg{"min", column, newExtreme("min", false)} }

// Max takes the greatest value, as [Min] the least.
func Max(column string) Agg { return Agg{"max", column, newExtreme("max", true)} }

// Count counts rows.
func Count(column string) Agg {
	return Agg{"count", column, func(colstore.DType, int64) (State, error) { return new(count), nil }}
}

// AggByName returns the reduction of that name over a column.
//
// Errors: colstore.ErrOption, with the names there are.
func AggByName(name, column string) (Agg, error) {
	for _, f := range []func(string) Agg{Sum, Mean, Min, Max, Count} {
		if a := f(column); a.Name == name {
			return a, nil
		}
	}
	return Agg{}, fmt.Errorf("%w: no reduction %q%s", colstore.ErrOption, name, colstore.Suggest(name, []string{"sum", "mean", "min", "max", "count"}))
}

func noReduction(name string, t colstore.DType) error {
	return fmt.Errorf("%w: %s has no meaning for %s", colstore.ErrType, name, t.Name())
}

type count struct{ rows int64 }

func (c *count) Add(_ int64, values colstore.Column) { c.rows += int64(values.Rows()) }
func (c *count) Merge(next State)                    { c.rows += next.(*count).rows }
func (c *count) Value() colstore.Scalar              { return colstore.ScalarOf(c.rows) }

// total sums the values of a number column: integers in 128 bits, floats as a FloatSum.
type total struct {
	t      colstore.DType
	rows   int64
	floats *FloatSum
	hi     int64 // of a two's complement integer
	lo     uint64
	mean   bool
}

func newSum(t colstore.DType, begin int64) (State, error) { return newTotal("sum", t, begin, false) }

func newMean(t colstore.DType, begin int64) (State, error) { return newTotal("mean", t, begin, true) }

func newTotal(name string, t colstore.DType, begin int64, mean bool) (State, error) {
	if !t.IsNumber() {
		return nil, noReduction(name, t)
	}
	s := &total{t: t, mean: mean}
	if t.Kind() == colstore.KindFloat {
		s.floats = NewFloatSum(begin)
	}
	return s, nil
}

func (s *total) Add(row int64, v colstore.Column) {
	s.rows += int64(v.Rows())
	switch s.t {
	case colstore.Float64:
		s.floats.Add(row, kernel.In[float64](v))
	case colstore.Float32:
		addFloats(s.floats, row, kernel.In[float32](v), kernel.Convert[float64, float32])
	case colstore.Float16:
		addFloats(s.floats, row, kernel.In[uint16](v), kernel.FromHalf[float64])
	case colstore.Bool:
		n := int64(0)
		for _, b := range kernel.In[uint8](v) {
			if b != 0 {
				n++
			}
		}
		s.addInt(n)
	case colstore.Int8:
		s.addInt(sumNarrow(kernel.In[int8](v)))
	case colstore.Int16:
		s.addInt(sumNarrow(kernel.In[int16](v)))
	case colstore.Int32:
		s.addInt(sumNarrow(kernel.In[int32](v)))
	case colstore.Uint8:
		s.addInt(sumNarrow(kernel.In[uint8](v)))
	case colstore.Uint16:
		s.addInt(sumNarrow(kernel.In[uint16](v)))
	case colstore.Uint32:
		s.addInt(sumNarrow(kernel.In[uint32](v)))
	case colstore.Int64:
		for _, x := range kernel.In[int64](v) {
			s.addInt(x)
		}
	case colstore.Uint64:
		for _, x := range kernel.In[uint64](v) {
			s.addWide(0, x)
		}
	}
}

func addFloats[T kernel.Number](s *FloatSum, row int64, values []T, widen func([]float64, []T)) {
	var buf [256]float64
	for len(values) > 0 {
		n := min(len(buf), len(values))
		widen(buf[:n], values[:n])
		s.Add(row, buf[:n])
		values = values[n:]
	}
}

// sumNarrow adds integers of at most 32 bits, of which an int64 holds 2³¹.
func sumNarrow[T int8 | int16 | int32 | uint8 | uint16 | uint32](values []T) int64 {
	n := int64(0)
	for _, v := range values {
		n += int64(v)
	}
	return n
}

func (s *total) addInt(v int64) { s.addWide(v>>63, uint64(v)) }

func (s *total) addWide(hi int64, lo uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + int64(carry)
}

func (s *total) Merge(next State) {
	n := next.(*total)
	s.rows += n.rows
	if s.floats != nil {
		s.floats.Merge(n.floats)
		return
	}
	s.addWide(n.hi, n.lo)
}

func (s *total) Value() colstore.Scalar {
	switch {
	case s.mean && s.rows == 0:
		return colstore.ScalarOf(math.NaN())
	case s.floats != nil && s.mean:
		return colstore.ScalarOf(s.floats.Value() / float64(s.rows))
	case s.floats != nil:
		return colstore.ScalarOf(s.floats.Value())
	case s.mean:
		sum := new(big.Int).Lsh(big.NewInt(s.hi), 64)
		sum.Add(sum, new(big.Int).SetUint64(s.lo))
		v, _ := new(big.Rat).SetFrac(sum, big.NewInt(s.rows)).Float64()
		return colstore.ScalarOf(v)
	case s.t.Kind() == colstore.KindUint:
		return colstore.ScalarOf(s.lo)
	default:
		return colstore.ScalarOf(int64(s.lo))
	}
}

// extreme keeps the least or the greatest value, in the form of a type that orders the column's.
type extreme struct {
	t       colstore.DType
	max     bool
	any     bool
	missing bool // a NaN or NaT was seen
	i       int64
	u       uint64
	f       float64
}

func newExtreme(name string, greatest bool) func(colstore.DType, int64) (State, error) {
	return func(t colstore.DType, _ int64) (State, error) {
		if t.IsString() {
			return nil, noReduction(name, t)
		}
		return &extreme{t: t, max: greatest}, nil
	}
}

func (s *extreme) Add(_ int64, v colstore.Column) {
	if v.Rows() == 0 {
		return
	}
	switch s.t {
	case colstore.Bool, colstore.Uint8:
		s.addUint(bounds(kernel.In[uint8](v)))
	case colstore.Uint16:
		s.addUint(bounds(kernel.In[uint16](v)))
	case colstore.Uint32:
		s.addUint(bounds(kernel.In[uint32](v)))
	case colstore.Uint64:
		s.addUint(bounds(kernel.In[uint64](v)))
	case colstore.Int8:
		s.addInt(intBounds(kernel.In[int8](v)))
	case colstore.Int16:
		s.addInt(intBounds(kernel.In[int16](v)))
	case colstore.Int32:
		s.addInt(intBounds(kernel.In[int32](v)))
	case colstore.Float16:
		var buf [256]float64
		for in := kernel.In[uint16](v); len(in) > 0; {
			n := min(len(buf), len(in))
			kernel.FromHalf(buf[:n], in[:n])
			s.addFloats(buf[:n])
			in = in[n:]
		}
	case colstore.Float32:
		var buf [256]float64
		for in := kernel.In[float32](v); len(in) > 0; {
			n := min(len(buf), len(in))
			kernel.Convert(buf[:n], in[:n])
			s.addFloats(buf[:n])
			in = in[n:]
		}
	case colstore.Float64:
		s.addFloats(kernel.In[float64](v))
	default: // int64 and times
		lo, hi := intBounds(kernel.In[int64](v))
		if s.t.IsTime() && lo == colstore.NaT {
			s.missing = true
		}
		s.addInt(lo, hi)
	}
}

func bounds[T kernel.Unsigned](v []T) (lo, hi uint64) {
	a, b := kernel.MinMax(v)
	return uint64(a), uint64(b)
}

func intBounds[T kernel.Signed](v []T) (lo, hi int64) {
	a, b := kernel.MinMax(v)
	return int64(a), int64(b)
}

func (s *extreme) addUint(lo, hi uint64) {
	switch {
	case !s.any && s.max:
		s.u = hi
	case !s.any:
		s.u = lo
	case s.max:
		s.u = max(s.u, hi)
	default:
		s.u = min(s.u, lo)
	}
	s.any = true
}

func (s *extreme) addInt(lo, hi int64) {
	switch {
	case !s.any && s.max:
		s.i = hi
	case !s.any:
		s.i = lo
	case s.max:
		s.i = max(s.i, hi)
	default:
		s.i = min(s.i, lo)
	}
	s.any = true
}

func (s *extreme) addFloats(v []float64) {
	lo, hi, nan := math.Inf(1), math.Inf(-1), false
	for _, x := range v {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		nan = nan || x != x
	}
	s.missing = s.missing || nan
	switch {
	case !s.any && s.max:
		s.f = hi
	case !s.any:
		s.f = lo
	case s.max:
		s.f = max(s.f, hi)
	default:
		s.f = min(s.f, lo)
	}
	s.any = true
}

func (s *extreme) Merge(next State) {
	n := next.(*extreme)
	if !n.any {
		return
	}
	s.missing = s.missing || n.missing
	switch k := s.t.Kind(); {
	case k == colstore.KindFloat:
		if !s.any || s.max && n.f > s.f || !s.max && n.f < s.f {
			s.f = n.f
		}
		s.any = true
	case k == colstore.KindUint || k == colstore.KindBool:
		s.addUint(n.u, n.u)
	default:
		s.addInt(n.i, n.i)
	}
}

func (s *extreme) Value() colstore.Scalar {
	k := s.t.Kind()
	switch {
	case !s.any:
		return colstore.ScalarOf(math.NaN())
	case s.t.IsTime() && s.missing:
		return colstore.TimeScalar(s.t, colstore.NaT)
	case s.t.IsTime():
		return colstore.TimeScalar(s.t, s.i)
	}
	var v any
	switch k {
	case colstore.KindFloat:
		v = s.f
		if s.missing {
			v = math.NaN()
		}
	case colstore.KindBool:
		v = s.u != 0
	case colstore.KindUint:
		v = new(big.Int).SetUint64(s.u)
	default:
		v = big.NewInt(s.i)
	}
	c, err := Constant(v, s.t)
	if err != nil {
		panic(err) // it came from a value of the dtype
	}
	return c
}
