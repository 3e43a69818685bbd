// Package arrow reads Arrow records: one as a batch, a reader of many as a source.
//
// # Basics
//
// [FromRecord] gives the rows of a record as a batch. [FromReader] and [FromFunc] give the records of a stream as a
// colstore.Source, for frames and pipelines.
//
//	b, err := arrow.FromRecord(rec, &arrow.Options{Nulls: arrow.Nulls{Mode: arrow.NullFill}})
//
// # Types
//
//	int8 … int64, uint8 … uint64, float16, float, double   the same, without a copy
//	timestamp without zone, duration, date64                datetime and timedelta in s, ms, us, ns, without a copy
//	fixed_size_binary(n)                                    S<n>, without a copy
//	bool                                                    bool
//	date32                                                  datetime64[D]
//	utf8, large_utf8, utf8_view                             U of the longest value
//	binary, large_binary, binary_view                       S of the longest value
//	dictionary, extension                                   as their values, decoded
//	null                                                    float64, all NaN
//
// Zoned timestamps, decimals, times of day, intervals, and all that is nested are refused by name; leave them out with
// Options.Columns. Where the schema's metadata hold a dtype ("colstore.dtype:NAME", as package sink/arrow and the Parquet
// files of this module have it), the column gets it back, and its null times are NaT again.
//
// A column that is null in every row of a record becomes float64. Nulls among values follow Options.Nulls.
//
// # Memory
//
// A batch holds the record until its last Release; its columns are views of the record's buffers where the bytes are the
// same and no null has to be filled. Copies are on the Go heap, or from the allocator of a scan.
//
// # Caveats
//
// Text takes the width of its longest value in every row. A stream is read record by record, so that its text needs a
// width beforehand: from Options.Types, or from the metadata.
package arrow
