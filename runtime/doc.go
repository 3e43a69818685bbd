// Package runtime plans and runs pipelines: splits of the input, a memory budget, workers, ordered commit.
//
// # Basics
//
// [Run] runs one pipeline, [RunAll] several under one budget, [Prepare] only plans. [Batches] and [Reduce] are the
// parallel twins of a frame's own terminals. Import the standard library's package of this name as goruntime.
//
// # How it runs
//
// One goroutine takes splits of the input in order and a memory slot for each; workers scan and evaluate them; one
// goroutine an output writes the results in order, or the workers write them where they belong if the output takes rows
// at any offset. Then all outputs are prepared, and published one after the other. The first error, or a cancelled
// context, aborts all of them. Output bytes depend on the input and the pipeline alone, not on workers, budget or timing.
//
// # Memory
//
// The budget is the batch size: batch rows = (budget − what the endpoints hold) ÷ (slots × bytes a row), from the
// schemas, and at most what touches 8 MiB. A slot refuses to hand out more than its share. Pages of mapped inputs are given back behind the scan.
package runtime
