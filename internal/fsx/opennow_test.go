package fsx_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// A file of which another process has a lease is waited for; what is no file is not.
func TestOpenLeased(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		flags []int
		err   error
	}{
		{path, []int{syscall.O_NONBLOCK, 0}, nil},
		{dir, []int{syscall.O_NONBLOCK}, syscall.EAGAIN},
		{filepath.Join(dir, "none"), []int{syscall.O_NONBLOCK}, syscall.EAGAIN},
	} {
		var flags []int
		_, err := fsx.OpenNow(c.path, func(flag int) (int, error) {
			flags = append(flags, flag)
			if flag != 0 {
				return 0, &os.PathError{Op: "open", Path: c.path, Err: syscall.EAGAIN}
			}
			return 1, nil
		})
		if !errors.Is(err, c.err) || !slices.Equal(flags, c.flags) {
			t.Errorf("%s: %v with %v", c.path, err, flags)
		}
	}
}
