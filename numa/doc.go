// Package numa knows which memory nodes a machine has and which CPUs are near them.
//
// # Basics
//
// [Read] returns the [Topology] that the kernel shows; a machine without one, or a system that is not Linux, is one node.
// Placement of pages and binding of threads build on it.
package numa
