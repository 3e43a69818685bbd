// Package fault turns a fault on a mapped file, which ends a Go program, into an error that names file and offset.
//
// # Basics
//
// A file that is cut while it is mapped has no bytes behind its new end; reading there raises SIGBUS. [Guard] runs a
// function so that such a fault comes back as [colstore.ErrTruncated]. The switch is per goroutine: whoever reads mapped
// memory in a goroutine of its own calls Guard there. It costs some ten nanoseconds.
//
// # Caveats
//
// Only faults inside a region that was added by [Add] are turned into errors; all others are bugs and stay panics.
package fault
