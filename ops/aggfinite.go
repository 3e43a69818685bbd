package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// FiniteMin is the least finite value of a number column as a float64, NaN if there is none: what the range of a
// histogram begins at.
func FiniteMin(column string) Agg {
	return finiteAgg("finite min", column, func(s *finite) float64 { return s.lo })
}

// FiniteMax is the greatest finite value, as [FiniteMin] the least.
func FiniteMax(column string) Agg {
	return finiteAgg("finite max", column, func(s *finite) float64 { return s.hi })
}

func finiteAgg(name, column string, value func(*finite) float64) Agg {
	return Agg{
		Name: name, Args: []string{column}, Family: "finite",
		New: func(args []colstore.DType, _ int64) (State, error) {
			if !args[0].IsNumber() {
				return nil, noHist(args[0])
			}
			return &finite{kernel.NaN(), kernel.NaN()}, nil
		},
		Value: func(s State) Result { return Result{Scalar: colstore.ScalarOf(value(s.(*finite)))} },
	}
}

type finite struct{ lo, hi float64 }

// Add implements State.
func (s *finite) Add(_ int64, _ int, args []colstore.Column) {
	eachFloats(args[0], func(v []float64) {
		for _, x := range v {
			if x-x == 0 {
				s.extend(x, x)
			}
		}
	})
}

func (s *finite) extend(lo, hi float64) {
	if !(s.lo <= lo) {
		s.lo = lo
	}
	if !(s.hi >= hi) {
		s.hi = hi
	}
}

// AddRows implements [RowsAdder].
func (s *finite) AddRows(row int64, rows int, args []colstore.Column) { s.Add(row, rows, args) }

// Merge implements State.
func (s *finite) Merge(next State) {
	if n := next.(*finite); n.lo == n.lo {
		s.extend(n.lo, n.hi)
	}
}
