// Package ops is the catalogue of what an expression can compute: row-independent functions from columns to a column, and
// reductions whose partial results merge.
//
// # Basics
//
// A [Func] is looked up by name ([Lookup]) and resolved against its operands' types once: the [Overload] says what the
// arguments are converted to, what comes out, and which kernel computes a chunk. Operators are functions too, under
// their NumPy names: + is "add", < is "less", & is "bitwise_and". Result types and values follow NumPy 2; where they
// differ on purpose, docs/compatibility.md says so.
//
// A program adds functions of its own with [Register] before it builds expressions: made of a loop over slices by [Map1] and
// [Map2], or of one over columns by [Vectorized]. A [BatchOp] makes columns of whole batches, where an expression is not
// enough.
//
// An [Agg] folds the rows of columns to a [Result]: [Sum], [Mean], [Var], [Std], [Min], [Max], [Count], [Quantile],
// [Median], [Hist1D], [Hist2D]. Its states merge, and results have the same bits however rows came: see
// docs/decisions/0008-aggregates.md.
//
// # Memory
//
// Kernels get plain columns of a few hundred rows, write every row of the destination, and keep nothing. A state is of
// bounded size, whatever the rows: a few pages, for quantiles up to 1 MiB, for a histogram what its bins take.
package ops
