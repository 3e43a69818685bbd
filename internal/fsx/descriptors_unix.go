//go:build unix

package fsx

import "golang.org/x/sys/unix"

// descriptorLimit returns how many descriptors the process may have, 0 if that is not known.
func descriptorLimit() int {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	const most = 1 << 30
	if l.Cur > most {
		return most
	}
	return int(l.Cur)
}
