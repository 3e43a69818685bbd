// Package frame is the intermediate representation of every pipeline: an immutable list of row-independent steps over a
// source, whose expressions form one typed graph.
//
// # Basics
//
// A [Frame] starts from a source ([From]) or unbound ([New]) and grows by verbs that return a new frame, so branches
// share their base:
//
//	f := frame.From(src).
//		Where(frame.Col("pt").Gt(30), frame.Named("trigger"), frame.Weighted("w")).
//		Assign("ratio", frame.Col("close").Div(frame.Col("open"))).
//		Drop("noise")
//
// An [Expr] is built from [Col] and [Lit] or parsed from query text ([Parse]). Names resolve in order: a step sees the
// columns as the steps before it left them. Over a source every step is checked when it is made; the first error sticks
// and every terminal returns it ([Frame.Err]). Nothing is read until a terminal: [Frame.Batches], [Frame.Collect],
// [Frame.Reduce], [Frame.Count].
//
// # How it runs
//
// [Frame.Bind] turns the steps into a [Program]: equal subexpressions are one node, constants are folded, columns that
// nothing needs are not read. A program runs over chunks of at most 4,096 rows whose intermediate values stay in the
// processor's own caches: predicates are bitmaps over the chunk, survivors are compressed, and columns that are derived after
// or beside the cuts are computed on survivors only, straight into the result.
//
// A cut does not protect a later cut: all predicates are evaluated for every row. Several frames are bound as one [Set],
// which computes once what they share; the variations of [Frame.Vary] are run so. [Frame.Limit] is resolved to rows of the
// source before a program runs.
//
// # Memory
//
// A batch that [Frame.Batches] yields is valid until the loop body ends. Unchanged columns of an uncut batch are views of
// the source's; everything else is in buffers that the batch gives back. What [Frame.Collect] returns is the caller's own.
//
// Half of what a large result costs is new memory for it. [Frame.Prepare] binds once for many evaluations, and
// [Prepared.Into] writes the rows into slices of the caller's, as [Frame.CollectInto] does once and [Program.EvalInto] for a
// batch at hand.
package frame
