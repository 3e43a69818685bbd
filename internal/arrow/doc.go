// Package arrow turns batches into Arrow records and back. It is the bridge behind the packages source/arrow and
// sink/arrow, which hold its exported face; with them it is all of this module that imports Arrow. What Arrow's memory
// means is known to package internal/columnar.
//
// # Basics
//
// An [Encoder] makes records of the batches of one schema. A [Plan] says how the columns of records of one Arrow schema
// become columns: it is made from a record whose values can be looked at, or from the schema alone. Its [Decoder] turns
// ranges of rows into batches.
//
// # Memory
//
// Values that have the same bytes on both sides are not copied. A record holds the batch whose memory it shows, a batch
// the record: each buffer counts as one holder, and gives it back when Arrow lets go of the buffer. Memory may begin at
// any address, as the columns of a mapped file do; Arrow recommends alignment and does not demand it.
package arrow
