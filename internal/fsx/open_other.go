//go:build !linux

package fsx

import (
	"os"
	"syscall"
)

func openInput(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for its writer
}
