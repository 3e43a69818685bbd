// Package memory makes large results cheap to allocate.
//
// # Basics
//
// [Get] and [Make] return memory of the Go heap that is not cleared first: who asks for it writes all of it. From [Huge]
// bytes on the system is asked to back it with huge pages, so that the first touch costs a fifth. Nothing is touched
// before: of a result that several workers fill each faults its own part, on its own memory node.
//
// # Memory
//
// The memory is the collector's. What nobody refers to any more is handed out again by it, pages and all; there is nothing
// to give back, and a slice of it may go to a user who knows nothing of this package.
//
// From 8 MiB of results on there is a ballast: 8 MiB of heap that are never touched, so that a heap of little else is not
// collected every 4 MiB. It counts in runtime.MemStats and takes no resident memory, but lets garbage grow by as much.
// There is none in a program that sets GOGC or a memory limit, or keeps more than that itself.
//
// # Caveats
//
// The bytes are what was there before. With the build tag invariants they are 0xdb, so that tests see what was not written.
package memory
