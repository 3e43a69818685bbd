//go:build !amd64 || purego

package kernel

func castFast[D, S Number]([]D, []S, kind, kind) int { return 0 }
