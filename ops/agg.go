package ops

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// An Agg is an aggregate: it folds the rows of one or several columns to a [Result].
type Agg struct {
	Name string   // "sum", "std", "hist"
	Args []string // the columns it folds; none for a count of rows

	// New returns the empty state for arguments of the dtypes args from global row begin on.
	//
	// Errors: colstore.ErrType if the dtypes have no such reduction.
	New func(args []colstore.DType, begin int64) (State, error)
	// Value reads the result off a state. It does not change the state.
	Value func(State) Result

	// Aggregates of one family over the same Args are read off one state: that of the highest Level among them. An empty
	// Family shares with nobody.
	Family string
	Level  int

	// Bytes is what a state may come to hold beyond a few pages.
	Bytes int64
}

// A State is the partial result of aggregates over a range of rows. Its size does not grow with the rows.
type State interface {
	// Add folds in rows rows of the arguments: plain columns of the dtypes that the state was made for. They lie in one
	// block of BlockRows source rows; row is the global row of any of them.
	Add(row int64, rows int, args []colstore.Column)
	// Merge folds in the state of later rows, which is not used after that.
	Merge(next State)
}

// A RowsAdder is a [State] that takes whole ranges of rows at once, of many blocks.
type RowsAdder interface {
	// AddRows folds in the arguments of every one of the rows row to row+rows of the source: Add would of the same rows.
	AddRows(row int64, rows int, args []colstore.Column)
}

// A Recycler is a [State] with memory that another may use.
type Recycler interface {
	// Recycle ends the use of the state: no method of it may be called after. What [Agg.Value] returned for it stays.
	Recycle()
}

// A Result is what an aggregate gives: one value or one histogram.
type Result struct {
	colstore.Scalar       // the value; invalid for a histogram
	Hist            *Hist // the histogram; nil for a value
}

// Float returns a number as a float64: of a bool 0 or 1, of a datetime or timedelta the ticks, and NaN for NaT and for a
// histogram.
func (r Result) Float() float64 { return floatOfScalar(r.Scalar) }

// Count counts rows; those of no column in particular for an empty name.
func Count(column string) Agg {
	a := Agg{
		Name: "count", Family: "count",
		New:   func([]colstore.DType, int64) (State, error) { return new(count), nil },
		Value: func(s State) Result { return Result{Scalar: colstore.ScalarOf(s.(*count).rows)} },
	}
	if column != "" {
		a.Args = []string{column}
	}
	return a
}

type count struct{ rows int64 }

func (c *count) Add(_ int64, rows int, _ []colstore.Column)     { c.rows += int64(rows) }
func (c *count) AddRows(_ int64, rows int, _ []colstore.Column) { c.rows += int64(rows) }
func (c *count) Merge(next State)                               { c.rows += next.(*count).rows }

// aggNames are the names that AggByName knows beside those of quantiles.
var aggNames = []string{"sum", "mean", "min", "max", "std", "var", "count", "median"}

// AggByName returns the reduction of that name over a column: sum, mean, min, max, std, var, count, median, or a quantile
// as q and its fraction: q0.25. ddof is for std and var, see [Var].
//
// Errors: colstore.ErrOption, with the names there are.
func AggByName(name, column string, ddof int) (Agg, error) {
	switch name {
	case "sum":
		return Sum(column), nil
	case "mean":
		return Mean(column), nil
	case "min":
		return Min(column), nil
	case "max":
		return Max(column), nil
	case "std":
		return Std(column, ddof), nil
	case "var":
		return Var(column, ddof), nil
	case "count":
		return Count(column), nil
	case "median":
		return Median(column), nil
	}
	if digits, ok := strings.CutPrefix(name, "q"); ok {
		if q, err := strconv.ParseFloat(digits, 64); err == nil && q >= 0 && q <= 1 {
			a := Quantile(column, q)
			a.Name = name
			return a, nil
		}
	}
	return Agg{}, fmt.Errorf("%w: no reduction %q%s (a quantile is q and a fraction from 0 to 1: q0.25)",
		colstore.ErrOption, name, colstore.Suggest(name, aggNames))
}

func noReduction(name string, t colstore.DType) error {
	return fmt.Errorf("%w: %s has no meaning for %s", colstore.ErrType, name, t.Name())
}
