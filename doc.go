// Package colstore is the vocabulary that everything else here speaks: dtypes, schemas, columns, batches, the contract
// of sources and sinks, sizes and errors.
//
// # Basics
//
// A [Schema] is an ordered list of named [DType]s. A [Column] is one dtype, a number of rows and a constant stride over
// memory that somebody else owns. A [Batch] is a set of equal-length columns that travel together; it is the unit of
// memory, of work and of cancellation. A [Source] yields batches, a [Sink] takes them.
//
//	for b, err := range src.Scan(ctx, colstore.Scan{Columns: []string{"pt"}}) {
//		if err != nil {
//			return err
//		}
//		pt, err := colstore.Values[float64](b.At(0)) // no copy, or ErrNotViewable
//		…
//	}
//
// # Memory
//
// A column owns nothing, its batch does. A yielded batch is valid until the loop body ends: to keep it call
// [Batch.Retain] and owe one [Batch.Release], or [Batch.Detach] for a copy that owes nothing. Slices taken from a batch
// die with it. Batches of a mapped file show the file itself, so a file that somebody truncates meanwhile faults when
// such a slice is read; the packages here turn the fault into [ErrTruncated], a caller that reads raw slices cannot.
//
// Results that views and frames put into new memory are the garbage collector's. From 8 MiB of them on 8 MiB of heap that
// are never touched are held as well, so that a heap of little else is collected less often: HeapAlloc of runtime.MemStats
// counts them, resident memory does not. A program that sets GOGC or a memory limit, or keeps much itself, has none.
//
// # Caveats
//
// Only little-endian hosts are supported: a native column is a little-endian one. Missing values have no bitmap; they
// are NaN, NaT, "", 0 or false, by the rules of the source that met them.
package colstore
