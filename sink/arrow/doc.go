// Package arrow turns batches into Arrow records.
//
// # Basics
//
// [Record] gives a batch as a record. [NewReader] gives the batches of a frame, a source or a run as a record reader, for
// whatever takes one: a writer of the IPC format, Flight, a database driver.
//
// # Types
//
//	integers, float16, float32, float64     the same, without a copy
//	datetime, timedelta in s, ms, us, ns    timestamp without zone, duration, without a copy; NaT is null
//	S<n>                                    fixed_size_binary(n), without a copy
//	bool                                    bool
//	datetime64[D]                           date32; NaT is null
//	U<n>                                    utf8, without the NULs that pad it
//
// Times of other units are refused by name; cast them first. Columns that do not lie back to back in native byte order
// are copied. All fields are nullable. The schema's metadata hold every dtype ("colstore.dtype:NAME" = "<U16"), so that
// package source/arrow gives back what was there.
//
// # Memory
//
// A record, and every array taken from it, holds the batch whose memory it shows until it is released. That may be after
// the file's reader is closed: the mapping waits.
//
// # Caveats
//
// A column may begin at any address; Arrow recommends multiples of 8. The record of a mapped file shows the file itself: if
// somebody truncates it meanwhile, whoever reads the record faults.
package arrow
