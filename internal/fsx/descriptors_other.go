//go:build !unix

package fsx

// descriptorLimit returns 0: the system has no limit of its own.
func descriptorLimit() int { return 0 }
