package ops

import (
	"math"
	"math/big"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// Min takes the least value, in the column's dtype. NaN and NaT propagate; it is a float64 NaN for no rows.
func Min(column string) Agg { return extremeAgg("min", column, (*extremes).min) }

// Max takes the greatest value, as [Min] the least.
func Max(column string) Agg { return extremeAgg("max", column, (*extremes).max) }

func extremeAgg(name, column string, value func(*extremes) colstore.Scalar) Agg {
	return Agg{
		Name: name, Args: []string{column}, Family: "extremes",
		New: func(args []colstore.DType, _ int64) (State, error) {
			if args[0].IsString() {
				return nil, noReduction(name, args[0])
			}
			return &extremes{t: args[0], lo: math.Inf(1), hi: math.Inf(-1)}, nil
		},
		Value: func(s State) Result { return Result{Scalar: value(s.(*extremes))} },
	}
}

// extremes keeps the least and the greatest value, in the form of a type that orders the column's.
type extremes struct {
	t        colstore.DType
	any      bool
	missing  bool // a NaN or NaT was seen
	ilo, ihi int64
	ulo, uhi uint64
	lo, hi   float64
}

// Add implements State.
func (s *extremes) Add(_ int64, rows int, args []colstore.Column) {
	if rows == 0 {
		return
	}
	v := args[0]
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
	case colstore.Float64:
		addFloats(s, kernel.In[float64](v))
	case colstore.Float32:
		addFloats(s, kernel.In[float32](v))
	case colstore.Float16:
		eachFloats(v, func(part []float64) { addFloats(s, part) })
	default: // int64 and times
		lo, hi := intBounds(kernel.In[int64](v))
		s.missing = s.missing || s.t.IsTime() && lo == colstore.NaT
		s.addInt(lo, hi)
	}
	s.any = true
}

func bounds[T kernel.Unsigned](v []T) (lo, hi uint64) {
	a, b := kernel.MinMax(v)
	return uint64(a), uint64(b)
}

func intBounds[T kernel.Signed](v []T) (lo, hi int64) {
	a, b := kernel.MinMax(v)
	return int64(a), int64(b)
}

func (s *extremes) addUint(lo, hi uint64) {
	if !s.any {
		s.ulo, s.uhi = lo, hi
		return
	}
	s.ulo, s.uhi = min(s.ulo, lo), max(s.uhi, hi)
}

func (s *extremes) addInt(lo, hi int64) {
	if !s.any {
		s.ilo, s.ihi = lo, hi
		return
	}
	s.ilo, s.ihi = min(s.ilo, lo), max(s.ihi, hi)
}

// AddRows implements [RowsAdder].
func (s *extremes) AddRows(row int64, rows int, args []colstore.Column) { s.Add(row, rows, args) }

// addFloats keeps the first of equal values: of -0 and 0 the one in the earlier row.
func addFloats[T kernel.Float](s *extremes, v []T) {
	lo, hi, nan := kernel.Extremes(v)
	s.missing = s.missing || nan
	if x := float64(lo); x < s.lo {
		s.lo = x
	}
	if x := float64(hi); x > s.hi {
		s.hi = x
	}
}

// Merge implements State.
func (s *extremes) Merge(next State) {
	n := next.(*extremes)
	if !n.any {
		return
	}
	s.missing = s.missing || n.missing
	s.addUint(n.ulo, n.uhi)
	s.addInt(n.ilo, n.ihi)
	if n.lo < s.lo {
		s.lo = n.lo
	}
	if n.hi > s.hi {
		s.hi = n.hi
	}
	s.any = true
}

func (s *extremes) min() colstore.Scalar { return s.value(s.ilo, s.ulo, s.lo) }
func (s *extremes) max() colstore.Scalar { return s.value(s.ihi, s.uhi, s.hi) }

// value returns the one of i, u and f that the dtype is kept in.
func (s *extremes) value(i int64, u uint64, f float64) colstore.Scalar {
	switch {
	case !s.any:
		return colstore.ScalarOf(kernel.NaN())
	case s.t.IsTime() && s.missing:
		return colstore.TimeScalar(s.t, colstore.NaT)
	case s.t.IsTime():
		return colstore.TimeScalar(s.t, i)
	}
	var v any
	switch s.t.Kind() {
	case colstore.KindFloat:
		v = f
		if s.missing {
			v = kernel.NaN()
		}
	case colstore.KindBool:
		v = u != 0
	case colstore.KindUint:
		v = new(big.Int).SetUint64(u)
	default:
		v = big.NewInt(i)
	}
	c, err := Constant(v, s.t)
	if err != nil {
		panic(err) // it came from a value of the dtype
	}
	return c
}
