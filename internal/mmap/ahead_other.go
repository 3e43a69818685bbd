//go:build !linux

package mmap

// canAhead tells that the system knows which pages are in memory.
const canAhead = false

func inMemory([]byte) bool { return true }

func populate([]byte) bool { return false }
