//go:build !linux

package memory

// adviseHuge does nothing: the system picks its pages itself.
func adviseHuge([]byte) {}
