//go:build !linux

package fsx

import "os"

func openInput(path string) (*os.File, error) { return os.Open(path) }
