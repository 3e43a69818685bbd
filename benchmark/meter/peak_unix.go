//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the bytes of the largest resident set of a process that has ended, and of those it has waited for.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	peak := wide(usage.Maxrss)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return peak
	}
	return peak << 10 // it is in KiB everywhere else
}

// wide returns a number that has fewer bits on some systems.
func wide[T int32 | int64](n T) int64 { return int64(n) }

// closeOnExec keeps a file from the processes that this one starts.
func closeOnExec(f *os.File) { syscall.CloseOnExec(int(f.Fd())) }
