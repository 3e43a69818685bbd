//go:build !amd64 || purego

package kernel

func zipFast(_ []field, _, _ int, _ bool) int { return 0 }

func packFast(_ []byte, _ []field, _, _ int, _ bool) int { return 0 }
