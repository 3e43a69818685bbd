// Package format says what a file format is: a [Descriptor] with its extensions, its options, and how it is opened and
// created. It holds the rules that all formats share: null policy, missing values, options, limits on hostile input.
//
// One directory internal/format/<name> is one format; the table of them is internal/format/all. A format reads into
// colstore batches and writes from them; it knows nothing of frames, pipelines or the command line.
package format
