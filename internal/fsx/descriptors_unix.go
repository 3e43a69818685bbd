//go:build unix

package fsx

import "golang.org/x/sys/unix"

// descriptorLimit returns how many descriptors the process may have, 0 if that is not known.
func descriptorLimit() int {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return int(min(uint64(l.Cur), 1<<30))
}
