//go:build !linux

package fsx

import "os"

func openInput(path string) (*os.File, error) {
	return openNow(path, func(flag int) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|flag, 0) })
}
