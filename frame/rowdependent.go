package frame

import (
	"github.com/colstore/colstore-go"
)

// What an expression cannot be, though NumPy has a function of that name: what to do instead.
const (
	useReduce = "it is one value of all rows; use Frame.Reduce, or colstore stats"
	useSort   = "sort the output with the program that reads it"
	useNext   = "compute it in the program that reads the output"
	useCount  = "it counts or groups rows; use Frame.Reduce on a frame with a cut for each group"
)

var rowDependent = map[string]string{
	"sum": useReduce, "mean": useReduce, "average": useReduce, "std": useReduce, "var": useReduce, "count": useReduce,
	"prod": useReduce, "median": useReduce, "quantile": useReduce, "percentile": useReduce, "ptp": useReduce, "any": useReduce, "all": useReduce,
	"nansum": useReduce, "nanmean": useReduce, "nanmin": useReduce, "nanmax": useReduce, "nanstd": useReduce, "nanvar": useReduce,
	"argmin": useReduce, "argmax": useReduce, "cov": useReduce, "corrcoef": useReduce, "first": useReduce, "last": useReduce,
	"min":  useReduce + "; the lesser of two values is minimum(a, b)",
	"max":  useReduce + "; the greater of two values is maximum(a, b)",
	"amin": useReduce, "amax": useReduce,
	"sort": useSort, "argsort": useSort, "rank": useSort, "lexsort": useSort, "partition": useSort,
	"cumsum": useNext, "cumprod": useNext, "cummax": useNext, "cummin": useNext, "cumulative_sum": useNext, "cumulative_prod": useNext,
	"shift": useNext, "lag": useNext, "lead": useNext, "diff": useNext, "ediff1d": useNext, "gradient": useNext, "roll": useNext,
	"rolling": useNext, "ewm": useNext, "ffill": useNext, "bfill": useNext, "pct_change": useNext, "interp": useNext, "convolve": useNext,
	"searchsorted": useNext, "flip": useNext, "trapezoid": useNext,
	"unique": useCount, "value_counts": useCount, "bincount": useCount, "histogram": useCount, "groupby": useCount, "nunique": useCount,
	"duplicated": useCount,
}

// severalResults are NumPy's functions that have more than one result.
var severalResults = map[string]string{
	"divmod": "use // and %", "modf": "use trunc(x) and x - trunc(x)", "frexp": "use log2 and exp2",
}

// noFunction is the error for a call of a function that there is none of; at is the name in the text.
func noFunction(at *node, name string) error {
	if instead, ok := rowDependent[name]; ok {
		return at.fail(colstore.ErrValue, "row-dependent: %q needs other rows, and an expression sees one row at a time; %s", name, instead)
	}
	if instead, ok := severalResults[name]; ok {
		return at.fail(colstore.ErrValue, "%q has several results, and an expression has one; %s", name, instead)
	}
	return at.fail(colstore.ErrValue, "no function %q%s", name, suggestFunction(name))
}
