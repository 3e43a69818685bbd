//go:build unix

package main

import (
	"os"
	goruntime "runtime"
	"syscall"
)

// peakOf returns the bytes of the largest resident set of a process that has ended.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if goruntime.GOOS == "darwin" || goruntime.GOOS == "ios" {
		return int64(usage.Maxrss) //nolint:unconvert // it is an int32 on some systems
	}
	return int64(usage.Maxrss) << 10 //nolint:unconvert // it is an int32 on some systems
}
