//go:build !linux

package memory

// adviseHuge does nothing: the system picks its pages itself.
func adviseHuge([]byte) {}

// adviseUnused does nothing: pages that were never touched are not there anyway.
func adviseUnused([]byte) {}
