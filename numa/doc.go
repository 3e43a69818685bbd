// Package numa knows which memory nodes a machine has and which CPUs are near them, and places pages and threads on them.
//
// # Basics
//
// [Read] returns the [Topology] that the kernel shows; a machine without one, or a system that is not Linux, is one node.
// [This] is the machine that the program runs on: [Machine.Place] runs a function so that pages which it is the first to touch
// are placed by a [Policy], [Machine.Bind] binds a goroutine to the CPUs of a node, and [Machine.Check] finds out what the
// kernel really does. [Bound] asks for the workers of a run or read to be bound, which they are not otherwise.
//
// # Caveats
//
// On one node, and where the kernel refuses, as in many containers, placing and binding do nothing and say nothing: they change
// speed only. Pages that are in memory already stay where they are.
package numa
