//go:build !amd64 || purego

package kernel

import "unsafe"

func streamFast(_, _ []byte) int { return 0 }

func storeFence() {}

func stepFast(unsafe.Pointer, lane, int, int, bool) int { return 0 }
