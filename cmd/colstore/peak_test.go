//go:build linux && !race

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go"
)

// peakTo makes the test's program run the command in a process of its own and write the most memory that this had, in
// bytes, to the file of that name. Linux counts what the parent of a process has in memory when it starts it as the
// child's: a program that has only just begun is the parent of what is measured, not the tests, which may have grown.
const peakTo = "COLSTORE_TEST_PEAK_TO"

// peakOf runs the command in a process of its own and returns the most memory that it had.
func peakOf(t *testing.T, dir string, args ...string) colstore.ByteSize {
	t.Helper()
	to := filepath.Join(t.TempDir(), "peak")
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), peakTo+"="+to)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out))
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	peak, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return colstore.ByteSize(peak)
}

// measure is the process between the tests and the command that peakOf measures; it returns the command's exit code.
func measure(to string) int {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err == nil {
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		err = os.WriteFile(to, strconv.AppendInt(nil, peak, 10), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// What the tests themselves have in memory is no part of what a command takes.
func TestPeakIsOfTheCommandAlone(t *testing.T) {
	grown := make([]byte, 128*colstore.MiB)
	for i := 0; i < len(grown); i += os.Getpagesize() {
		grown[i] = 1
	}
	peak := peakOf(t, t.TempDir(), "version")
	if grown[0] != 1 || peak > 96*colstore.MiB {
		t.Errorf("a command that does nothing takes %s", peak)
	}
}
