//go:build unix

package fsx_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/colstore/colstore-go/internal/fsx"
)

// duplicate makes a second descriptor of an open file, until the test ends.
func duplicate(t *testing.T, f fsx.File) {
	t.Helper()
	fd, err := unix.Dup(int(f.(interface{ Fd() uintptr }).Fd()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
}
